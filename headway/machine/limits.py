"""The limits on this process, and what it may read about energy."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources
from headway.machine.control_groups import ControlGroupLimits

_CONTAINER_MARKS = (
    (r"kubepods", "kubernetes"),
    (r"docker", "docker"),
    (r"libpod", "podman"),
    (r"/lxc", "lxc"),
    (r"containerd|crio", "containerd"),
)


@dataclass(frozen=True, kw_only=True)
class Limits:
    """What bounds this process; None means unlimited or unreadable, as each field says."""

    cpu_quota_cores: float | None = None
    """The control group's CPU quota; None where there is none."""
    open_files: int | None = None
    """The soft limit of open files; None where unlimited or unreadable."""
    open_files_hard: int | None = None
    locked_memory_bytes: int | None = None
    """The soft limit of locked memory (RDMA and pinned buffers need it); None where unlimited or unreadable."""
    shared_memory_bytes: int | None = None
    """The size of /dev/shm, through which data-loader workers pass batches."""
    container: str | None = None
    """``docker``, ``podman``, ``kubernetes``, ``lxc``, ``containerd`` or ``other``; None where nothing says so."""
    rapl_readable: bool = False
    """Whether this process may read the processors' energy counters."""


def read_limits(
    control_groups: ControlGroupLimits, root: Path = sources.ROOT, environment: Mapping[str, str] | None = None
) -> Limits:
    """Read the limits on this process.

    Args:
        control_groups: the control groups' limits.
        root: the folder that holds ``proc``, ``sys`` and ``dev``.
        environment: the environment variables; by default the process's own where ``root`` is ``/``, else none.
    """
    if environment is None:
        environment = os.environ if root == sources.ROOT else {}
    text = sources.read_text(root / "proc/self/limits") or ""
    return Limits(
        cpu_quota_cores=control_groups.cpu_quota_cores,
        open_files=_limit(text, "Max open files", 1),
        open_files_hard=_limit(text, "Max open files", 2),
        locked_memory_bytes=_limit(text, "Max locked memory", 1),
        shared_memory_bytes=_shared_memory_bytes(root),
        container=_container(root, environment),
        rapl_readable=_rapl_readable(root),
    )


def _limit(text: str, name: str, column: int) -> int | None:
    match = re.search(rf"^{name}\s+(\d+|unlimited)\s+(\d+|unlimited)", text, re.MULTILINE)
    return int(match.group(column)) if match and match.group(column) != "unlimited" else None


def _shared_memory_bytes(root: Path) -> int | None:
    mount = next((mount for mount in reversed(sources.mounts(root)) if mount.mount_point == "/dev/shm"), None)
    if mount is None:
        return None
    option = re.search(r"(?:^|,)size=(\d+[kmg]?)(?:,|$)", mount.options)
    if option:
        return sources.parse_size_bytes(option.group(1))
    try:
        figures = os.statvfs(root / "dev/shm")
    except OSError:
        return None
    return figures.f_blocks * figures.f_frsize


def _container(root: Path, environment: Mapping[str, str]) -> str | None:
    if "KUBERNETES_SERVICE_HOST" in environment:
        return "kubernetes"
    groups = sources.read_text(root / "proc/self/cgroup") or ""
    for pattern, name in _CONTAINER_MARKS:
        if re.search(pattern, groups):
            return name
    for path, name in ((".dockerenv", "docker"), ("run/.containerenv", "podman")):
        if (root / path).exists():
            return name
    # Container managers set this variable for the first process (systemd, "The Container Interface").
    named = re.search(r"(?:^|\0)container=([\w-]+)", sources.read_text(root / "proc/1/environ") or "")
    if named is None:
        return None
    return named.group(1) if named.group(1) in ("docker", "podman", "lxc") else "other"


def _rapl_readable(root: Path) -> bool:
    zones = sources.children(root / "sys/class/powercap")
    return any(sources.read_int(zone / "energy_uj") is not None for zone in zones)
