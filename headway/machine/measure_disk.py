"""Disk speed: writing a file through to the device, and reading it without the page cache's help."""

from __future__ import annotations

import errno
import fcntl
import mmap
import os
import tempfile
import time

from headway import units
from headway.machine.disks import Disk
from headway.machine.measurements import DiskSpeed, Note

LARGEST_FILE_BYTES = 256 * units.MIB
_CHUNK_BYTES = 4 * units.MIB
_FLUSH_BYTES = 64 * units.MIB
"""Flushing this often keeps a slow disk from taking minutes for one flush at the end."""


def measure_disk(
    disk: Disk, *, budget_seconds: float = 3.0, file_bytes: int = LARGEST_FILE_BYTES
) -> tuple[DiskSpeed | None, list[Note]]:
    """Measure the disk below a folder with a file that has no name and so cannot be left behind.

    Args:
        disk: where to write; no more than a quarter of its free space is used.
        budget_seconds: writing stops after this time, at the next flush; reading likewise.
        file_bytes: the size of the file where space and time allow.

    Returns:
        The speed, or None where the folder cannot take a file, and notes on why.
    """
    if disk.free_bytes is not None:
        file_bytes = min(file_bytes, disk.free_bytes // 4)
    file_bytes = file_bytes // _CHUNK_BYTES * _CHUNK_BYTES
    if not file_bytes:
        arguments: dict[str, str | int | float] = {"folder": disk.folder, "free_bytes": disk.free_bytes or 0}
        return None, [Note(message_id="machine-note-disk-full", arguments=arguments)]
    try:
        with tempfile.TemporaryFile(dir=disk.folder, buffering=0) as file:
            written_bytes, write_seconds = _write(file.fileno(), file_bytes, budget_seconds)
            method, read_bytes, read_seconds = _read(
                file.fileno(), written_bytes, budget_seconds, in_memory=disk.device == "tmpfs"
            )
    except OSError as error:
        reason = errno.errorcode.get(error.errno or 0, str(error.errno))
        failure: dict[str, str | int | float] = {"folder": disk.folder, "reason": reason}
        return None, [Note(message_id="machine-note-disk-failed", arguments=failure)]
    speed = DiskSpeed(
        folder=disk.folder,
        file_bytes=written_bytes,
        write_bytes_per_second=written_bytes / write_seconds,
        read_bytes_per_second=read_bytes / read_seconds,
        read_method=method,
    )
    return speed, []


def _write(descriptor: int, file_bytes: int, budget_seconds: float) -> tuple[int, float]:
    # Random bytes: some disks and file systems compress.
    chunk = os.urandom(_CHUNK_BYTES)
    begin = time.perf_counter()
    written_bytes = 0
    while written_bytes < file_bytes:
        written_bytes += os.write(descriptor, chunk[: file_bytes - written_bytes])
        if written_bytes % _FLUSH_BYTES == 0 or written_bytes >= file_bytes:
            os.fsync(descriptor)
            if time.perf_counter() - begin > budget_seconds:
                break
    os.fsync(descriptor)
    return written_bytes, max(time.perf_counter() - begin, 1e-9)


def _read(descriptor: int, file_bytes: int, budget_seconds: float, *, in_memory: bool) -> tuple[str, int, float]:
    if in_memory:
        # tmpfs takes O_DIRECT since Linux 6.6, and reads from memory all the same.
        return "cached", *_read_chunks(descriptor, file_bytes, budget_seconds, direct=False)
    try:
        return "direct", *_read_chunks(descriptor, file_bytes, budget_seconds, direct=True)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    os.posix_fadvise(descriptor, 0, file_bytes, os.POSIX_FADV_DONTNEED)
    return "uncached", *_read_chunks(descriptor, file_bytes, budget_seconds, direct=False)


def _read_chunks(descriptor: int, file_bytes: int, budget_seconds: float, *, direct: bool) -> tuple[int, float]:
    flags = fcntl.fcntl(descriptor, fcntl.F_GETFL)
    if direct:
        fcntl.fcntl(descriptor, fcntl.F_SETFL, flags | os.O_DIRECT)
    # Direct reads want page-aligned memory, which a map without a file is.
    with mmap.mmap(-1, _CHUNK_BYTES) as buffer:
        try:
            os.lseek(descriptor, 0, os.SEEK_SET)
            begin, read_bytes = time.perf_counter(), 0
            while read_bytes < file_bytes and (not read_bytes or time.perf_counter() - begin < budget_seconds):
                count = os.readv(descriptor, [buffer])
                if count == 0:
                    break
                read_bytes += count
            return read_bytes, max(time.perf_counter() - begin, 1e-9)
        finally:
            fcntl.fcntl(descriptor, fcntl.F_SETFL, flags)
