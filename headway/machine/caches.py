"""The processors' caches."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources


@dataclass(frozen=True, kw_only=True)
class Caches:
    """Cache sizes. The first four are of one instance, as the first core sees it; the last is of the machine."""

    l1_data_bytes: int | None = None
    l1_instruction_bytes: int | None = None
    l2_bytes: int | None = None
    l3_bytes: int | None = None
    last_level_total_bytes: int | None = None
    """The sum over all instances of the highest level: what a bandwidth test has to exceed."""


def read_caches(processors: tuple[int, ...], root: Path = sources.ROOT) -> Caches:
    """Read the cache sizes of the given logical processors."""
    instances: dict[tuple[int, str, str], int] = {}
    first_seen: dict[tuple[int, str], int] = {}
    for number in processors:
        for folder in sources.children(root / f"sys/devices/system/cpu/cpu{number}/cache", "index"):
            level, kind = sources.read_int(folder / "level"), sources.read_text(folder / "type")
            size_bytes = sources.parse_size_bytes(sources.read_text(folder / "size"))
            if level is None or kind is None or not size_bytes:
                continue
            shared = sources.read_text(folder / "shared_cpu_list") or str(number)
            instances[level, kind, shared] = size_bytes
            first_seen.setdefault((level, kind), size_bytes)
    last_level = max((level for level, _ in first_seen), default=0)
    return Caches(
        l1_data_bytes=first_seen.get((1, "Data")),
        l1_instruction_bytes=first_seen.get((1, "Instruction")),
        l2_bytes=first_seen.get((2, "Unified"), first_seen.get((2, "Data"))),
        l3_bytes=first_seen.get((3, "Unified")),
        last_level_total_bytes=sum(size for (level, _, _), size in instances.items() if level == last_level) or None,
    )
