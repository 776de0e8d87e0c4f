"""The limits that control groups (v1, v2, and both at once) put on this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources

_UNLIMITED_BYTES = 1 << 60
"""Control groups v1 print "no limit" as the largest page-aligned number; nothing real reaches this."""


@dataclass(frozen=True, kw_only=True)
class ControlGroupLimits:
    """What the control groups of this process allow; None means no limit, or none that can be read."""

    cpu_quota_cores: float | None = None
    """CPU seconds per second, the least along the path to the root: 1.5 is one and a half cores."""
    memory_limit_bytes: int | None = None
    memory_used_bytes: int | None = None
    """What counts against ``memory_limit_bytes`` and cannot be dropped: usage less the inactive page cache."""


def read_control_groups(root: Path = sources.ROOT) -> ControlGroupLimits:
    """Read the CPU quota and the memory limit of this process's control groups."""
    quotas = [quota for folder in _folders(root, "cpu") if (quota := _quota_cores(folder)) is not None]
    limit_bytes, used_bytes = None, None
    for folder in _folders(root, "memory"):
        found_bytes = _memory_limit_bytes(folder)
        if found_bytes is not None and (limit_bytes is None or found_bytes < limit_bytes):
            limit_bytes, used_bytes = found_bytes, _memory_used_bytes(folder)
    return ControlGroupLimits(
        cpu_quota_cores=min(quotas, default=None), memory_limit_bytes=limit_bytes, memory_used_bytes=used_bytes
    )


def _folders(root: Path, controller: str) -> Iterator[Path]:
    """Yield the folders that limit a controller, from the process's own group up to the mount's root."""
    base = root / "sys/fs/cgroup"
    for line in (sources.read_text(root / "proc/self/cgroup") or "").splitlines():
        parts = line.split(":", 2)
        if len(parts) != 3:
            continue
        controllers, path = parts[1], parts[2]
        if controllers == "":
            yield from _upward(base / "unified" if (base / "unified").is_dir() else base, path)
        elif controller in controllers.split(","):
            own = base / controller
            yield from _upward(own if own.is_dir() else base / controllers, path)


def _upward(top: Path, path: str) -> Iterator[Path]:
    # A container without a namespace of its own sees the host's path over a mount that starts at its group:
    # folders that do not exist are simply unreadable, and the walk ends at the mount's root.
    names = [name for name in path.split("/") if name not in ("", ".", "..")]
    for count in range(len(names), -1, -1):
        yield top.joinpath(*names[:count])


def _quota_cores(folder: Path) -> float | None:
    both = (sources.read_text(folder / "cpu.max") or "").split()
    if len(both) == 2:
        quota, period = sources.parse_int(both[0]), sources.parse_int(both[1])
    else:
        quota = sources.read_int(folder / "cpu.cfs_quota_us")
        period = sources.read_int(folder / "cpu.cfs_period_us")
    return quota / period if quota and period and quota > 0 and period > 0 else None


def _memory_limit_bytes(folder: Path) -> int | None:
    limit_bytes = _first(sources.read_int, folder, ("memory.max", "memory.limit_in_bytes"))
    return limit_bytes if limit_bytes is not None and 0 <= limit_bytes < _UNLIMITED_BYTES else None


def _memory_used_bytes(folder: Path) -> int | None:
    usage_bytes = _first(sources.read_int, folder, ("memory.current", "memory.usage_in_bytes"))
    if usage_bytes is None:
        return None
    # The kubelet's working set is the same difference (cadvisor, container/libcontainer/handler.go).
    statistics = dict(
        line.split(maxsplit=1)
        for line in (sources.read_text(folder / "memory.stat") or "").splitlines()
        if len(line.split()) == 2
    )
    inactive = statistics.get("total_inactive_file", statistics.get("inactive_file"))
    return max(0, usage_bytes - (sources.parse_int(inactive) or 0))


def _first(read: Callable[[Path], int | None], folder: Path, names: tuple[str, ...]) -> int | None:
    return next((value for name in names if (value := read(folder / name)) is not None), None)
