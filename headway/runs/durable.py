"""What every room that writes files to last needs: a flushed folder, and whether an error means a full disk."""

from __future__ import annotations

import errno
import os
from pathlib import Path

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def flush_folder(folder: Path) -> None:
    """Make names that were created or renamed in a folder survive a power failure.

    Raises:
        OSError: as the file system reports it.
    """
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def is_disk_full(error: OSError) -> bool:
    """Say whether an error means that no more can be written: the disk, a quota, or the largest file is reached."""
    return error.errno in _FULL
