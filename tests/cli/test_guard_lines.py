"""What the terminal says of each guard: a whole sentence, and what is done or can be done."""

from __future__ import annotations

from typing import Any

import pytest

from headway.cli.training_view import event_line

SEEN: dict[str, dict[str, Any]] = {
    "not-finite": {"loss": float("nan"), "gradient_norm": 1.0},
    "loss-spike": {"loss": 9.0, "median": 2.0, "deviations": 40.0, "limit": 10.0},
    "scale-collapse": {"loss_scale": 1.0, "skipped": 17},
    "memory-creep": {"used_bytes": 2**30, "bytes_per_second": 1e6, "left_seconds": 600.0},
    "disk": {"free_bytes": 2**30, "checkpoint_bytes": 2**29, "left_seconds": float("inf")},
    "throughput": {"beside": "plan", "step_seconds": 2.0, "expected_seconds": 1.0, "share": 0.5},
    "straggler": {"rank": 3, "seconds": 0.03, "usual_seconds": 0.01, "ratio": 3.0},
    "corruption": {"what": "copies", "rank": 2},
    "device-events": {"device": "mc0", "kind": "corrected", "count": 2, "code": 0},
    "data-stall": {"share": 0.2},
}


@pytest.mark.parametrize("guard", SEEN)
@pytest.mark.parametrize("action", ["warn", "skip", "roll-back", "pause", "stop"])
def test_a_line_says_what_was_seen_and_what_follows(guard: str, action: str) -> None:
    event = {"event": "guard", "guard": guard, "action": action, "step": 12, "to_step": 10, "skipped": [], "time": 1.0}
    line = event_line({**event, **SEEN[guard]})
    assert line is not None
    assert line.endswith(".")
    assert line.count(". ") >= 1
    assert not set("{}\n") & set(line)
    assert "guard-" not in line


def test_a_line_of_a_spike() -> None:
    event = {"event": "guard", "guard": "loss-spike", "action": "roll-back", "step": 12, "to_step": 10, "time": 1.0}
    assert event_line({**event, **SEEN["loss-spike"]}) == (
        "The loss spikes at step 12: 9 where the median is 2, 40 deviations above it. "
        "The run goes back to step 10 and passes over that data."
    )
