"""Progress from what a job writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from headway.resilience.supervisor.watch import LEAST_HANG_SECONDS, Watch


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def write(log: Path, text: str) -> None:
    with log.open("a") as file:
        file.write(text)


def test_a_silence_of_some_usual_steps_is_a_hang(tmp_path: Path) -> None:
    log, clock = tmp_path / "a.log", Clock()
    watch = Watch(log, hang_steps=10, clock=clock)
    for step in range(6):
        write(log, f"step: {step} loss: 1.0\n")
        watch.look()
        clock.now += 2.0
    assert (watch.step, watch.first_step_at) == (5, 0.0)
    clock.now = 10.0 + 20.0 + LEAST_HANG_SECONDS
    assert watch.hung_seconds() is None
    clock.now += 0.1
    assert watch.hung_seconds() == pytest.approx(20.1 + LEAST_HANG_SECONDS)
    write(log, "step: 6 loss: 1.0\n")
    watch.look()
    assert watch.hung_seconds() is None


def test_before_the_pace_is_known_nothing_hangs(tmp_path: Path) -> None:
    log, clock = tmp_path / "a.log", Clock()
    watch = Watch(log, hang_steps=1, clock=clock)
    write(log, "compiling\nstep: 1 loss: 1.0\n")
    watch.look()
    clock.now = 1e6
    assert watch.hung_seconds() is None


def test_a_line_may_come_in_two_parts(tmp_path: Path) -> None:
    log, clock = tmp_path / "a.log", Clock()
    watch = Watch(log, hang_steps=1, clock=clock)
    write(log, "step: 1")
    assert watch.look() == b"step: 1"
    assert watch.step is None
    write(log, "2 loss: 1.0\n")
    assert watch.look() == b"2 loss: 1.0\n"
    assert watch.step == 12


def test_only_what_this_attempt_writes_counts(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    write(log, "step: 99 loss: 1.0\n")
    watch = Watch(log, hang_steps=1)
    assert watch.look() == b""
    assert watch.step is None


def test_a_log_that_is_not_there_yet_is_no_failure(tmp_path: Path) -> None:
    assert Watch(tmp_path / "a.log", hang_steps=1).look() == b""
