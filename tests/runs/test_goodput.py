"""Where the time of a run went, by hand and for any logs."""

from __future__ import annotations

import random
from typing import Any

import pytest

from headway.runs.goodput import PARTS, account


def step(number: int, time: float, seconds: float, since: int = 9, **more: Any) -> dict[str, Any]:
    return {"step": number, "time": time, "step_seconds": seconds, "steps_since_start": since, **more}


def event(kind: str, time: float, **more: Any) -> dict[str, Any]:
    return {"event": kind, "time": time, **more}


def parts(metrics: list[dict[str, Any]], events: list[dict[str, Any]]) -> dict[str, float]:
    made = account(metrics, events).to_dict()
    assert sum(made["parts"].values()) == pytest.approx(made["wall_seconds"])
    return {name.removesuffix("_seconds"): value for name, value in made["parts"].items() if value}


def test_a_run_without_trouble_by_hand() -> None:
    metrics = [step(1, 10, 3, 1), step(2, 12, 2, 3, data_seconds=0.5), step(3, 14, 2), step(4, 20, 2)]
    events = [
        event("started", 5, process_seconds=2.0),
        event("evaluated", 16, step=3, seconds=1.5),
        event("checkpoint-saved", 17, step=3, seconds=1.0),
        event("finished", 21),
    ]
    assert parts(metrics, events) == {
        "start": 4,  # from 3 to 7
        "warm_up": 1,  # the first step took 3 s where the median is 2 s
        "step": 2 + 1.5 + 2 + 2,
        "data_stall": 0.5,
        "evaluation": 1.5,
        "checkpoint_stall": 1,
        "idle": 0.5 + 1 + 1,
    }


def test_a_kill_by_hand() -> None:
    metrics = [step(1, 2, 1), step(2, 3, 1), step(3, 4, 1), step(2, 20, 1), step(3, 21, 1)]
    events = [event("started", 0), event("checkpoint-saved", 2, step=1, seconds=0), event("resumed", 15)]
    # Killed some time after 4 s, and resumed with step 2.
    assert parts(metrics, events) == {"start": 1, "step": 3, "lost_work": 2, "restart": 15}


def test_what_the_supervisor_tells_is_part_of_a_restart() -> None:
    metrics = [step(1, 2, 1), step(2, 20, 1)]
    events = [
        event("attempt-started", 0),
        event("started", 1),
        event("attempt-failed", 6),
        event("attempt-started", 8),
        event("resumed", 12),
    ]
    assert parts(metrics, events) == {"start": 1, "step": 2, "restart": 17}


def test_the_time_after_a_stop_on_request_is_nobodys_restart() -> None:
    metrics = [step(1, 2, 1), step(2, 108, 1)]
    events = [event("started", 0), event("stopped", 3), event("resumed", 105, process_seconds=2.0)]
    assert parts(metrics, events) == {"start": 1 + 2 + 2, "step": 2, "idle": 101}


def test_a_roll_back_leaves_work_behind() -> None:
    metrics = [step(1, 1, 1), step(2, 2, 1), step(3, 3, 1), step(2, 6, 1, roll_backs=1)]
    events = [event("started", 0), event("guard", 3, action="roll-back", guard="loss-spike")]
    assert parts(metrics, events) == {"step": 2, "lost_work": 2, "restart": 2}


def test_a_checkpoint_in_the_background_stalls_behind_its_step() -> None:
    metrics = [step(1, 1, 1), step(2, 2.25, 1), step(3, 3.25, 1)]
    events = [event("started", 0), event("checkpoint-saved", 3.25, step=1, seconds=2.0, stall_seconds=0.2)]
    assert parts(metrics, events) == {"step": 3, "checkpoint_stall": 0.2, "idle": pytest.approx(0.05)}


def test_no_start_is_no_time() -> None:
    assert account([step(1, 2, 1)], []).share is None
    assert account([], [event("notice", 3)]).wall_microseconds == 0
    assert account([], [event("started", 3), event("failed", 5)]).to_dict()["wall_seconds"] == 2


@pytest.mark.parametrize("seed", range(30))
def test_the_parts_of_any_logs_add_up_to_the_wall_time_exactly(seed: int) -> None:
    """Logs of random content, with clocks that jump, durations that cannot be, and events in any order."""
    randomness = random.Random(seed)
    kinds = [
        "started", "resumed", "stopped", "finished", "failed", "evaluated", "checkpoint-saved", "notice", "guard",
        "attempt-started", "attempt-failed", "retrying", "hang",
    ]  # fmt: skip
    events = [event("started", 0.0)]
    metrics = []
    now = 0.0
    for _ in range(200):
        now += randomness.expovariate(1) * (1 if randomness.random() < 0.9 else -3)
        seconds = randomness.choice([0.0, randomness.expovariate(1), 1e6])
        if randomness.random() < 0.5:
            number = randomness.randrange(1, 50)
            since = randomness.randrange(1, 9)
            metrics.append(step(number, now, seconds, since, data_seconds=randomness.choice([0.0, seconds, 9.0])))
        else:
            more = {"seconds": seconds, "step": randomness.randrange(50), "action": "roll-back"}
            if randomness.random() < 0.3:
                more["stall_seconds"] = seconds / 2
            events.append(event(randomness.choice(kinds), now, process_seconds=seconds, **more))
    made = account(metrics, events)
    assert set(made.microseconds) == set(PARTS)
    assert all(type(spent) is int and spent >= 0 for spent in made.microseconds.values())
    last = max(record["time"] for record in (*metrics, *events) if record["time"] >= 0)
    assert sum(made.microseconds.values()) == made.wall_microseconds == round(last * 1_000_000)
