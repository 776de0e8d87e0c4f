"""The main memory: how much there is, how much of it this process can have, and how it is paged."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources
from headway.machine.control_groups import ControlGroupLimits


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The main memory of the machine."""

    total_bytes: int | None = None
    available_bytes: int | None = None
    """What the kernel estimates to be free for new work without swapping (MemAvailable)."""
    usable_bytes: int | None = None
    """``available_bytes``, but no more than what the control group leaves."""
    cgroup_limit_bytes: int | None = None
    swap_total_bytes: int | None = None
    swap_used_bytes: int | None = None
    num_huge_pages: int | None = None
    num_free_huge_pages: int | None = None
    huge_page_bytes: int | None = None
    transparent_huge_pages: str | None = None
    """``always``, ``madvise`` or ``never``."""


def read_memory(limits: ControlGroupLimits, root: Path = sources.ROOT) -> Memory:
    """Read what the kernel says about memory.

    Args:
        limits: the control groups' limits; they bound ``usable_bytes``.
        root: the folder that holds ``proc`` and ``sys``.
    """
    fields = sources.parse_fields(sources.read_text(root / "proc/meminfo"))
    available_bytes = _kibibytes(fields, "MemAvailable")
    swap_total_bytes, swap_free_bytes = _kibibytes(fields, "SwapTotal"), _kibibytes(fields, "SwapFree")
    used_bytes = None
    if swap_total_bytes is not None and swap_free_bytes is not None:
        used_bytes = max(0, swap_total_bytes - swap_free_bytes)
    return Memory(
        total_bytes=_kibibytes(fields, "MemTotal"),
        available_bytes=available_bytes,
        usable_bytes=_usable_bytes(available_bytes, limits),
        cgroup_limit_bytes=limits.memory_limit_bytes,
        swap_total_bytes=swap_total_bytes,
        swap_used_bytes=used_bytes,
        num_huge_pages=sources.parse_int(fields.get("HugePages_Total")),
        num_free_huge_pages=sources.parse_int(fields.get("HugePages_Free")),
        huge_page_bytes=_kibibytes(fields, "Hugepagesize"),
        transparent_huge_pages=_chosen(sources.read_text(root / "sys/kernel/mm/transparent_hugepage/enabled")),
    )


def _kibibytes(fields: dict[str, str], name: str) -> int | None:
    # /proc/meminfo says kB and means KiB (proc(5)).
    value = sources.parse_int(fields.get(name))
    return value * 1024 if value is not None and value >= 0 else None


def _usable_bytes(available_bytes: int | None, limits: ControlGroupLimits) -> int | None:
    bounds = [] if available_bytes is None else [available_bytes]
    if limits.memory_limit_bytes is not None:
        bounds.append(max(0, limits.memory_limit_bytes - (limits.memory_used_bytes or 0)))
    return min(bounds, default=None)


def _chosen(text: str | None) -> str | None:
    match = re.search(r"\[(\w+)\]", text or "")
    return match.group(1) if match else None
