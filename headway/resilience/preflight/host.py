"""Memory, limits, load and the clock of this server."""

from __future__ import annotations

import ctypes
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from headway import units
from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

FILES_PER_PROCESS = 1024
"""Shards, sockets and pipes that a process of a training may hold at once."""

SHARED_MEMORY_PER_PROCESS_BYTES = 64 * units.MIB
"""NCCL's buffers between two devices of one server lie there. Source: NVIDIA NCCL User Guide, "Troubleshooting",
shared memory: a container's default of 64 MB is too little for several ranks."""

BUSY_SHARE = 0.5
"""A load average above this share of the usable cores slows the run, and spoils what is measured."""

LARGEST_SKEW_SECONDS = 1.0
"""A file's time further than this from the clock puts events of several servers in the wrong order."""

_UNSYNCHRONIZED = 0x0040
"""STA_UNSYNC. Source: Linux, include/uapi/linux/timex.h."""
_TIMEX_BYTES = 208
"""At least the size of struct timex on 64-bit Linux, whose ``status`` is the int at byte 40. Source: as above."""
_STATUS_OFFSET = 40


def memory(subject: Subject) -> Iterator[Finding]:
    """Compare the memory that is free with what the plan says that the processes here take."""
    available_bytes = subject.inventory.memory.usable_bytes
    peak_bytes = subject.planned("memory", "device_peak_bytes")
    if available_bytes is None or subject.uses_accelerators or peak_bytes is None:
        # Of a run on accelerators nobody has told what it takes of the host.
        arguments: dict[str, str | int | float] = {
            "available_bytes": -1 if available_bytes is None else available_bytes
        }
        yield Finding(status="unknown", message_id="preflight-memory-unknown", arguments=arguments)
        return
    needed_bytes = peak_bytes * subject.processes_here
    fits = needed_bytes <= available_bytes
    yield Finding(
        status="passed" if fits else "failed",
        message_id="preflight-memory" if fits else "preflight-memory-short",
        arguments={"available_bytes": available_bytes, "needed_bytes": needed_bytes},
    )


def shared_memory(subject: Subject) -> Iterator[Finding]:
    """Ask for room in /dev/shm, through which the processes of one server pass buffers."""
    processes = subject.processes_here
    size_bytes = subject.inventory.limits.shared_memory_bytes
    if processes == 1:
        yield Finding(status="passed", message_id="preflight-shared-memory-unused")
        return
    if size_bytes is None:
        yield Finding(status="unknown", message_id="preflight-shared-memory-unknown")
        return
    needed_bytes = SHARED_MEMORY_PER_PROCESS_BYTES * processes
    fits = size_bytes > needed_bytes
    yield Finding(
        status="passed" if fits else "warning",
        message_id="preflight-shared-memory" if fits else "preflight-shared-memory-small",
        arguments={"size_bytes": size_bytes, "needed_bytes": needed_bytes, "processes": processes},
    )


def limits(subject: Subject) -> Iterator[Finding]:
    """Compare the limits on this process with what the run needs."""
    found = subject.inventory.limits
    needed = FILES_PER_PROCESS
    if found.open_files is not None and found.open_files < needed:
        yield Finding(
            status="warning",
            message_id="preflight-open-files",
            arguments={"limit": found.open_files, "needed": needed, "hard": found.open_files_hard or found.open_files},
        )
    locked = found.locked_memory_bytes
    has_rdma = (subject.root / "sys/class/infiniband").is_dir() and any(
        (subject.root / "sys/class/infiniband").iterdir()
    )
    if has_rdma and locked is not None:
        yield Finding(status="warning", message_id="preflight-locked-memory", arguments={"limit_bytes": locked})
    quota, allowed = found.cpu_quota_cores, subject.inventory.processor.num_allowed_logical_cores
    threads = subject.recipe.hardware.threads or 1
    if quota is not None and quota < threads:
        yield Finding(
            status="warning",
            message_id="preflight-cpu-quota",
            arguments={"quota_cores": quota, "threads": threads, "visible_cores": allowed or threads},
        )
    yield Finding(
        status="passed",
        message_id="preflight-limits",
        arguments={"open_files": found.open_files if found.open_files is not None else -1},
    )


def load(subject: Subject) -> Iterator[Finding]:
    """Look for other work on this server."""
    cores = subject.inventory.processor.usable_cores
    average = os.getloadavg()[0]
    busy = average > BUSY_SHARE * cores
    yield Finding(
        status="warning" if busy else "passed",
        message_id="preflight-load-busy" if busy else "preflight-load",
        arguments={"load": round(average, 2), "cores": cores},
    )


def clock(subject: Subject) -> Iterator[Finding]:
    """Ask whether the clock is kept right, and whether the runs' disk agrees with it."""
    synchronized = is_synchronized()
    if synchronized is None:
        yield Finding(status="unknown", message_id="preflight-clock-unknown")
    elif not synchronized:
        yield Finding(status="warning", message_id="preflight-clock-free")
    skew_seconds = file_skew_seconds(subject.folder)
    if skew_seconds is not None and abs(skew_seconds) > LARGEST_SKEW_SECONDS:
        yield Finding(
            status="warning",
            message_id="preflight-clock-skew",
            arguments={"folder": str(subject.folder), "skew_seconds": round(skew_seconds, 1)},
        )
    if synchronized:
        yield Finding(status="passed", message_id="preflight-clock")


def is_synchronized() -> bool | None:
    """Say whether the kernel's clock is disciplined by a time service; None where it does not tell."""
    try:
        adjtimex = ctypes.CDLL(None, use_errno=True).adjtimex
    except (AttributeError, OSError):
        return None
    # modes 0: nothing is changed.
    buffer = ctypes.create_string_buffer(_TIMEX_BYTES)
    if adjtimex(buffer) < 0:
        return None
    status = int.from_bytes(buffer.raw[_STATUS_OFFSET : _STATUS_OFFSET + 4], "little", signed=True)
    return not status & _UNSYNCHRONIZED


def file_skew_seconds(folder: Path) -> float | None:
    """Return how far the time of a new file is from this server's clock; None where no file can be made."""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            before = time.time()
            file.write(b".")
            file.flush()
            os.fsync(file.fileno())
            written = os.fstat(file.fileno()).st_mtime
            after = time.time()
    except OSError:
        return None
    # Within the write, and within the tick by which a file system counts, there is no skew.
    return written - before if written < before - 0.1 else max(written - after, 0.0)
