"""Figures that logs hold."""

from __future__ import annotations

import io

import pytest

from headway.diagnosis.figures import bytes_of, finer_memory_cause, memory_figures, work_lost
from headway.diagnosis.reading import read_log

GIB = 1 << 30


@pytest.mark.parametrize(
    ("text", "size"),
    [("1.50 GiB", 1.5 * GIB), ("512.00 MiB", 512 << 20), ("3.05GiB", 3.05 * GIB), ("128 bytes", 128.0), ("2 GB", 2e9),
     ("", None), (None, None), ("many", None), ("1.2.3 GiB", None)],
)  # fmt: skip
def test_sizes(text: str | None, size: float | None) -> None:
    assert bytes_of(text) == size


def test_the_old_message_is_read_too() -> None:
    figures = memory_figures({"tried": "2.00 GiB", "capacity": "40 GiB", "allocated": "30 GiB", "reserved": "38 GiB"})
    assert figures["device_unallocated_bytes"] == 8 * GIB


@pytest.mark.parametrize(
    ("tried", "free", "process", "unallocated", "cause"),
    [
        (4, 2, 77, 17, "device-memory-fragmentation"),
        (4, 2, 77, 1, None),
        (20, 2, 77, 17, None),
        (4, 2, 40, 1, "device-memory-others"),
        (4, 2, None, 1, None),
    ],
)
def test_the_finer_cause(
    tried: float, free: float, process: float | None, unallocated: float, cause: str | None
) -> None:
    """Of a device of 80 GiB: 17 GiB held in pieces while 4 were asked for; 38 GiB of another process."""
    figures = {
        "device_tried_bytes": tried * GIB,
        "device_capacity_bytes": 80.0 * GIB,
        "device_free_bytes": free * GIB,
        "device_unallocated_bytes": unallocated * GIB,
    }
    if process is not None:
        figures["device_process_bytes"] = process * GIB
    assert finer_memory_cause(figures) == cause


def test_the_work_lost_is_what_follows_the_last_checkpoint() -> None:
    steps = "".join(f"iteration {n}/ 500 | lm loss: 2.5\n" for n in range(1, 31))
    text = steps[: len(steps) // 2] + "successfully saved checkpoint from iteration      12 to /x\n" + steps
    report = read_log("a", io.BytesIO(text.encode()))
    found = work_lost([report], report.sightings)
    assert found == {"last_step": 30, "last_checkpoint_step": 12, "steps_lost": 18}
    assert work_lost([], []) == {}
