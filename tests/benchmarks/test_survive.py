"""What the figures of killed runs are counted from."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.survive.figures import _detections, _recoveries, lost_checkpoints


def events(*told: tuple[str, int]) -> list[dict[str, Any]]:
    return [{"event": event, "step": step} for event, step in told]


@pytest.mark.parametrize(
    ("told", "lost"),
    [
        ([("started", 0), ("checkpoint-saved", 10), ("resumed", 10)], 0),
        ([("started", 0), ("checkpoint-saved", 10), ("checkpoint-saved", 20), ("resumed", 10)], 1),
        ([("started", 0), ("checkpoint-saved", 10), ("started", 0)], 1),
        # What was saved and not yet said when the process died is found, and is no loss.
        ([("started", 0), ("checkpoint-saved", 10), ("resumed", 20), ("resumed", 20)], 0),
        ([("started", 0), ("started", 0)], 0),
    ],
)
def test_a_checkpoint_that_was_told_of_and_not_found_is_lost(told: list[tuple[str, int]], lost: int) -> None:
    assert lost_checkpoints(events(*told)) == lost


def test_a_kill_that_another_one_followed_too_soon_has_no_time() -> None:
    kills = [
        {"time": 10.0, "target": "worker"},
        {"time": 11.0, "target": "everything"},
        {"time": 20.0, "target": "workers"},
    ]
    failed = [{"event": "attempt-failed", "time": time} for time in (10.25, 20.5)]
    assert list(_detections(kills, failed)) == [0.25, 0.5]
    records = [{"step": step, "time": time} for step, time in ((1, 9.0), (2, 10.2), (1, 14.0), (2, 14.5), (3, 15.0))]
    assert list(_recoveries(kills, records)) == [4.0]
