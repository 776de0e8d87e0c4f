"""The disk of the runs: room for all checkpoints, and speed for one."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from dataclasses import replace

from headway import units
from headway.machine.measure_disk import measure_disk
from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

WRITE_BUDGET_SECONDS = 1.0
WRITTEN_BYTES = 64 * units.MIB

SLOW_SHARE = 0.1
"""A checkpoint whose writing takes more than this share of the time between two is worth a word."""


def disk_space(subject: Subject) -> Iterator[Finding]:
    """Compare what is free with what the run will hold at its fullest."""
    folder = subject.folder
    if not os.access(folder, os.W_OK | os.X_OK):
        yield Finding(status="failed", message_id="preflight-disk-closed", arguments={"folder": str(folder)})
        return
    try:
        free_bytes = shutil.disk_usage(folder).free
        status = os.statvfs(folder)
    except OSError as error:
        arguments: dict[str, str | int | float] = {"folder": str(folder), "reason": error.strerror or str(error)}
        yield Finding(status="failed", message_id="preflight-disk-unreadable", arguments=arguments)
        return
    if status.f_files and not status.f_favail:
        yield Finding(status="failed", message_id="preflight-inodes", arguments={"folder": str(folder)})
    planned_bytes = subject.planned("storage", "total_bytes")
    if planned_bytes is None:
        yield Finding(status="unknown", message_id="preflight-disk-unplanned", arguments={"free_bytes": free_bytes})
        return
    needed_bytes = max(planned_bytes - subject.present_bytes, 0.0)
    fits = needed_bytes <= free_bytes
    yield Finding(
        status="passed" if fits else "failed",
        message_id="preflight-disk" if fits else "preflight-disk-short",
        arguments={"folder": str(folder), "needed_bytes": needed_bytes, "free_bytes": free_bytes},
    )


def disk_speed(subject: Subject) -> Iterator[Finding]:
    """Write a small file through to the disk, and say how long a checkpoint will take."""
    # The run's own folder, not what was measured once and kept: the disk may have changed.
    disk = replace(subject.inventory.disk, folder=str(subject.folder))
    speed, notes = measure_disk(disk, budget_seconds=WRITE_BUDGET_SECONDS, file_bytes=WRITTEN_BYTES)
    if speed is None:
        for note in notes:
            yield Finding(status="failed", message_id=note.message_id, arguments=dict(note.arguments))
        return
    checkpoint_bytes = subject.planned("storage", "checkpoint_bytes")
    rate: dict[str, str | int | float] = {"write_bytes_per_second": speed.write_bytes_per_second}
    if checkpoint_bytes is None:
        yield Finding(status="passed", message_id="preflight-disk-speed", arguments=rate)
        return
    seconds = checkpoint_bytes / speed.write_bytes_per_second
    interval = subject.recipe.resilience.interval_seconds(subject.planned("reliability", "checkpoint_interval_seconds"))
    slow = subject.recipe.resilience.checkpoint_every_steps is None and seconds > SLOW_SHARE * interval
    yield Finding(
        status="warning" if slow else "passed",
        message_id="preflight-disk-slow" if slow else "preflight-checkpoint-time",
        arguments={**rate, "checkpoint_bytes": checkpoint_bytes, "seconds": seconds, "interval_seconds": interval},
    )
