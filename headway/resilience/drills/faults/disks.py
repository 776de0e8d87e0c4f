"""Disks that are full, read-only or slow."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import final

from headway.resilience.drills.fault import Fault, Grounds, InnerFault
from headway.resilience.drills.result import Reason
from headway.resilience.drills.stage import Stage

STOPPED = frozenset({"attempt-failed", "attempt-finished", "gave-up", "guard"})

CHECKPOINTS_KEPT = 4
"""That the small disk has room for, beside the logs."""

LOG_BYTES = 32 * 2**20

SLOW_FLUSH_MILLISECONDS = 200
"""By which a flush takes longer: some flushes make a checkpoint, so that each then takes a second or more."""


@final
class FullDisk(Fault):
    """A small disk of its own, filled until half a checkpoint fits; then a person makes room."""

    name = "full-disk"
    signs = STOPPED
    is_mended_by_hand = True

    def __init__(self) -> None:
        self._room_bytes = 0
        self._left_bytes = 0
        self._disk: Path | None = None

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where no file system may be mounted; `FullQuota` is the same by another way."""
        if not grounds.may_mount:
            return Reason(message_id="drill-obstacle-mount")
        self._room_bytes = CHECKPOINTS_KEPT * grounds.checkpoint_bytes + LOG_BYTES
        self._left_bytes = grounds.checkpoint_bytes // 2
        if self._room_bytes > available_bytes() // 4:
            return Reason(message_id="drill-obstacle-memory-disk", arguments={"needed_bytes": self._room_bytes})
        return super().obstacle(grounds)

    def prepare(self, stage: Stage) -> None:
        """Mount the disk where the folder of the run will be."""
        stage.root.mkdir(exist_ok=True)
        _mount("-t", "tmpfs", "-o", f"size={self._room_bytes}", "tmpfs", str(stage.root))
        self._disk = stage.root

    def inject(self, stage: Stage) -> None:
        """Fill it."""
        fill_bytes = shutil.disk_usage(stage.root).free - self._left_bytes
        with (stage.root / "filler").open("wb") as file:
            os.posix_fallocate(file.fileno(), 0, max(fill_bytes, 1))

    def mend(self, stage: Stage) -> None:
        """Make room."""
        (stage.root / "filler").unlink(missing_ok=True)

    def close(self, stage: Stage) -> None:
        """Unmount it; the logs stay in its place."""
        if self._disk is None:
            return
        kept = self._disk.with_name(f"{self._disk.name}-kept")
        shutil.copytree(self._disk, kept, ignore=shutil.ignore_patterns("filler", "step-*", "*.lock"))
        _unmount(self._disk)
        self._disk.rmdir()
        kept.rename(self._disk)


@final
class FullQuota(InnerFault):
    """No file may grow beyond half the largest of a checkpoint: what a quota does, without rights to mount."""

    name = "full-quota"
    deed = "quota"
    signs = STOPPED
    is_mended_by_hand = True

    def amount(self, grounds: Grounds) -> int:
        """Return the limit in bytes."""
        return grounds.largest_file_bytes // 2


@final
class ReadOnlyDisk(Fault):
    """The folder of checkpoints can no longer be written, as after an error of the file system."""

    name = "read-only-disk"
    signs = STOPPED
    is_mended_by_hand = True

    def __init__(self) -> None:
        self._mounted: Path | None = None

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where root writes everywhere, and may not mount."""
        if not grounds.may_mount and os.geteuid() == 0:
            return Reason(message_id="drill-obstacle-mount")
        self._mounts = grounds.may_mount
        return super().obstacle(grounds)

    def inject(self, stage: Stage) -> None:
        """Make it read-only."""
        folder = stage.run.checkpoints_folder
        if self._mounts:
            _mount("--bind", str(folder), str(folder))
            self._mounted = folder
            _mount("-o", "remount,ro,bind", str(folder))
        else:
            folder.chmod(0o500)

    def mend(self, stage: Stage) -> None:
        """Make it writable again."""
        if self._mounted is not None:
            _unmount(self._mounted)
            self._mounted = None
        else:
            stage.run.checkpoints_folder.chmod(0o755)

    def close(self, stage: Stage) -> None:
        """Leave no mount behind."""
        if self._mounted is not None:
            self.mend(stage)


@final
class SlowDisk(InnerFault):
    """Each flush takes as long as on a busy disk that turns; nothing is promised but that nothing else changes."""

    name = "slow-disk"
    deed = "slow-disk"
    signs = frozenset()

    def amount(self, grounds: Grounds) -> int:
        """Return the milliseconds."""
        return SLOW_FLUSH_MILLISECONDS


def available_bytes() -> int:
    """Return the memory that is free for a disk in memory."""
    import psutil

    return int(psutil.virtual_memory().available)


def may_mount(folder: Path) -> bool:
    """Say whether file systems may be mounted here: root may, where the container lets it."""
    probe = folder / ".mount"
    probe.mkdir(exist_ok=True)
    try:
        _mount("-t", "tmpfs", "-o", "size=65536", "tmpfs", str(probe))
    except (OSError, subprocess.CalledProcessError):
        return False
    else:
        _unmount(probe)
        return True
    finally:
        probe.rmdir()


def _mount(*arguments: str) -> None:
    subprocess.run(["mount", *arguments], check=True, capture_output=True)


def _unmount(folder: Path) -> None:
    # Lazily: whoever still looks into it keeps nobody waiting.
    subprocess.run(["umount", "-l", str(folder)], check=True, capture_output=True)
