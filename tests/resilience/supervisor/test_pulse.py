"""Hangs of workers that say what they are doing, by a clock that is a mock."""

from __future__ import annotations

from pathlib import Path

import pytest

from headway.resilience.supervisor.pulse import OTHER_SECONDS, UNKNOWN_SECONDS, PulseWatch
from headway.resilience.supervisor.watch import LEAST_HANG_SECONDS
from headway.runs.heartbeat import Doing, Heartbeat


class Ranks:
    """Two ranks, and the watch over them, after some steps of two seconds."""

    def __init__(self, folder: Path, hang_steps: float = 10.0) -> None:
        self.now = 0.0
        self.hearts = [Heartbeat(folder / str(rank)) for rank in (0, 1)]
        self.watch = PulseWatch([folder / "0", folder / "1"], hang_steps, lambda: self.now)
        for _ in range(5):
            self.watch.note_step(2.0)

    def say(self, first: Doing, second: Doing, step: int = 9, second_step: int = 9) -> None:
        self.hearts[0].beat(first, step)
        self.hearts[1].beat(second, second_step)
        self.watch.look()

    def is_hung_after(self, seconds: float) -> bool:
        self.now += seconds
        self.watch.look()
        return self.watch.hung_seconds() is not None


STEP_LIMIT = 10 * 2.0 + LEAST_HANG_SECONDS


def test_a_silence_of_some_usual_steps_is_a_hang(tmp_path: Path) -> None:
    ranks = Ranks(tmp_path)
    ranks.say("step", "step")
    assert not ranks.is_hung_after(STEP_LIMIT)
    assert ranks.is_hung_after(0.1)
    ranks.say("step", "step", 10, 10)
    assert not ranks.is_hung_after(1.0)


@pytest.mark.parametrize("doing", ["start", "prepare", "build", "end"])
def test_what_nobody_can_time_is_no_hang(doing: Doing, tmp_path: Path) -> None:
    ranks = Ranks(tmp_path)
    ranks.say(doing, doing)
    assert not ranks.is_hung_after(1e6)


def test_a_checkpoint_is_timed_by_those_before(tmp_path: Path) -> None:
    ranks = Ranks(tmp_path)
    ranks.say("checkpoint", "step")
    assert not ranks.is_hung_after(UNKNOWN_SECONDS), "the others wait for it in their step"
    assert ranks.is_hung_after(1.0)
    ranks.say("data", "step", 10, 10)
    ranks.say("checkpoint", "checkpoint", 11, 11)
    ranks.now += 1.0
    longest = UNKNOWN_SECONDS + 1.0
    assert not ranks.is_hung_after(10 * longest + OTHER_SECONDS - 1.0)
    assert ranks.is_hung_after(1.1)


def test_who_is_least_far_decides_and_is_named(tmp_path: Path) -> None:
    ranks = Ranks(tmp_path)
    ranks.say("checkpoint", "step", 10, 9)
    assert ranks.is_hung_after(STEP_LIMIT + 0.1), "the first waits for the second with its part of the checkpoint"
    assert ranks.watch.behind() == [1]
    ranks.say("step", "step", 10, 10)
    assert ranks.watch.behind() == []
    ranks.say("data", "step", 11, 11)
    assert ranks.watch.behind() == [0]


def test_without_a_pace_or_a_wish_nothing_hangs(tmp_path: Path) -> None:
    ranks = Ranks(tmp_path, hang_steps=0)
    ranks.say("step", "step")
    assert not ranks.is_hung_after(1e6)
    assert PulseWatch([tmp_path / "0"], 3).hung_seconds() is None
