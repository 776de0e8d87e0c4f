"""The disk below a folder."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from headway.machine import sources

_MEMORY_FILESYSTEMS = frozenset({"tmpfs", "ramfs", "devtmpfs"})
_NETWORK_FILESYSTEMS = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "fuse.gcsfuse", "fuse.glusterfs", "fuse.juicefs", "fuse.mount-s3",
    "fuse.s3fs", "fuse.sshfs", "glusterfs", "gpfs", "lustre", "nfs", "nfs4", "smb3", "virtiofs", "wekafs",
})  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Disk:
    """The file system that holds a folder, and the device below it."""

    folder: str
    mount_point: str | None = None
    filesystem: str | None = None
    device: str = "unknown"
    """``nvme``, ``ssd``, ``hdd``, ``network``, ``tmpfs`` (memory), or ``unknown`` (a virtual disk hides its medium)."""
    total_bytes: int | None = None
    free_bytes: int | None = None
    """What an ordinary user may still write."""


def existing_folder(folder: Path) -> Path:
    """Return the nearest folder that is there: the one that is meant may be made later, on the same disk."""
    absolute = folder.absolute()
    return next(parent for parent in (absolute, *absolute.parents) if parent.is_dir())


def read_disk(folder: Path, root: Path = sources.ROOT) -> Disk:
    """Read what holds a folder.

    Args:
        folder: an absolute path; as the process sees it, not below ``root``.
        root: the folder that holds ``proc`` and ``sys``, and below which ``folder`` is measured.
    """
    resolved = folder.resolve() if root == sources.ROOT else folder
    mount = _mount_of(PurePosixPath(resolved), sources.mounts(root))
    total_bytes, free_bytes = _space(resolved if root == sources.ROOT else root / str(resolved).lstrip("/"))
    return Disk(
        folder=str(resolved),
        mount_point=mount.mount_point if mount else None,
        filesystem=mount.filesystem if mount else None,
        device=_device(mount, root) if mount else "unknown",
        total_bytes=total_bytes,
        free_bytes=free_bytes,
    )


def _mount_of(folder: PurePosixPath, mounts: list[sources.Mount]) -> sources.Mount | None:
    holding = [mount for mount in mounts if folder.is_relative_to(mount.mount_point)]
    # A later mount on the same point hides an earlier one, and max() keeps the first of equals: look from the end.
    return max(reversed(holding), key=lambda mount: len(PurePosixPath(mount.mount_point).parts), default=None)


def _space(folder: Path) -> tuple[int | None, int | None]:
    try:
        figures = os.statvfs(folder)
    except OSError:
        return None, None
    return figures.f_blocks * figures.f_frsize, figures.f_bavail * figures.f_frsize


def _device(mount: sources.Mount, root: Path) -> str:
    if mount.filesystem in _MEMORY_FILESYSTEMS:
        return "tmpfs"
    if mount.filesystem in _NETWORK_FILESYSTEMS:
        return "network"
    block = root / "sys/dev/block" / mount.device
    if not block.exists() and mount.source.startswith("/dev/"):
        # btrfs and other multi-device file systems have a device number that belongs to no block device.
        block = root / "sys/class/block" / PurePosixPath(mount.source).name
    return _medium(block)


def _medium(block: Path, depth: int = 4) -> str:
    try:
        resolved = block.resolve()
    except (OSError, RuntimeError):
        return "unknown"
    lower = sources.children(resolved / "slaves")
    if lower and depth:
        media = {_medium(device, depth - 1) for device in lower}
        return media.pop() if len(media) == 1 else "unknown"
    disk = resolved if (resolved / "queue").is_dir() else resolved.parent
    if re.match(r"nvme\d", disk.name):
        return "nvme"
    if re.match(r"(sd|hd)[a-z]|mmcblk\d", disk.name):
        rotational = sources.read_int(disk / "queue/rotational")
        return {0: "ssd", 1: "hdd"}.get(rotational if rotational is not None else -1, "unknown")
    return "unknown"
