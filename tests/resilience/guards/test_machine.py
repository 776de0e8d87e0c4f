"""The guards of memory, disk, speed and stragglers, fed with numbers."""

from __future__ import annotations

import random
from typing import Any

import pytest

from headway.resilience.guards.disk import Disk
from headway.resilience.guards.finding import Finding
from headway.resilience.guards.memory_creep import MemoryCreep
from headway.resilience.guards.straggler import Straggler
from headway.resilience.guards.throughput import Throughput
from headway.resilience.guards.trend import LEAST_SAMPLES, Trend

MIB = 2**20


def test_a_trend_is_found_through_noise_and_spikes() -> None:
    randomness = random.Random(3)
    trend = Trend()
    for number in range(60):
        trend.add(10.0 * number, 1e9 + 2e6 * number + randomness.gauss(0, 3e6) + (1e9 if number == 30 else 0))
    assert trend.per_second() == pytest.approx(2e5, rel=0.1)


@pytest.mark.parametrize("seed", range(20))
def test_noise_is_no_trend(seed: int) -> None:
    randomness = random.Random(seed)
    trend = Trend()
    for number in range(60):
        trend.add(10.0 * number, 1e9 + randomness.gauss(0, 2e7))
        assert trend.per_second() == 0


def creep(action: Any = "pause") -> tuple[MemoryCreep, dict[str, Any]]:
    return MemoryCreep(action), {"remaining_seconds": 5000.0, "save_seconds": 60.0}


def leak(guard: MemoryCreep, more: dict[str, Any], *, bytes_per_second: float, room: int) -> list[tuple[int, Finding]]:
    """Feed a process that leaks until nothing is left; return when it was told."""
    told = []
    for second in range(0, 20_000, 10):
        used = round(bytes_per_second * second)
        if used > room:
            break
        found = guard.take(float(second), used_bytes=500 * MIB + used, room_bytes=room - used, **more)
        told += [(second, found)] if found else []
    return told


def test_a_leak_is_told_with_its_end_and_pauses_the_run_before_it() -> None:
    guard, more = creep()
    told = leak(guard, more, bytes_per_second=MIB, room=2000 * MIB)
    (early, first), *later = told
    assert (early, first.action) == (10 * (LEAST_SAMPLES - 1), "warn")
    assert early + first.arguments["left_seconds"] == pytest.approx(2000, rel=0.01)
    assert later[0][1].action == "pause"
    assert 2000 - later[0][0] == pytest.approx(60, abs=11)


def test_a_leak_that_outlasts_the_run_is_nobodys_business() -> None:
    guard = MemoryCreep("pause")
    for second in range(0, 600, 10):
        used = {"used_bytes": 500 * MIB + second * MIB, "room_bytes": 10_000 * MIB}
        assert guard.take(float(second), **used, remaining_seconds=60.0, save_seconds=5.0) is None


def test_a_leak_may_be_told_only_or_not_at_all() -> None:
    assert [one.action for _, one in leak(*creep("warn"), bytes_per_second=MIB, room=2000 * MIB)] == ["warn"]
    assert not leak(*creep("off"), bytes_per_second=MIB, room=2000 * MIB)
    guard, more = creep()
    assert guard.take(0.0, used_bytes=1, room_bytes=None, **more) is None


def fill(guard: Disk, free: list[int], remaining_seconds: float = 1e5) -> list[tuple[int, str]]:
    told = []
    for number, free_bytes in enumerate(free):
        more = {"checkpoint_bytes": 100 * MIB, "remaining_seconds": remaining_seconds, "sample_seconds": 10.0}
        found = guard.take(10.0 * number, free_bytes=free_bytes, **more)
        told += [(number, found.action)] if found else []
    return told


def test_a_disk_that_fills_is_told_early_and_pauses_while_one_checkpoint_fits() -> None:
    free = [2000 * MIB - 20 * MIB * number for number in range(100)]
    told = fill(Disk("pause"), free)
    assert told[0] == (LEAST_SAMPLES - 1, "warn")
    paused = told[1][0]
    assert told[1][1] == "pause"
    assert 100 * MIB <= free[paused] < 150 * MIB
    assert fill(Disk("warn"), free) == told[:1]
    assert fill(Disk("off"), free) == []


def test_a_disk_with_room_for_few_is_told_at_once() -> None:
    assert fill(Disk("pause"), [150 * MIB] * 3) == [(0, "warn")]


def test_a_disk_that_is_short_must_be_so_twice() -> None:
    assert fill(Disk("pause"), [90 * MIB, 2000 * MIB, 90 * MIB, 2000 * MIB]) == [(0, "warn")]
    assert fill(Disk("pause"), [90 * MIB, 90 * MIB])[-1] == (1, "pause")


def test_a_checkpoint_of_unknown_size_says_nothing() -> None:
    more = {"checkpoint_bytes": None, "remaining_seconds": 9.0, "sample_seconds": 10.0}
    assert Disk("pause").take(0.0, free_bytes=1, **more) is None


def slow_steps(guard: Throughput, steps: list[float]) -> list[tuple[int, Any]]:
    found = ((number, guard.take(seconds)) for number, seconds in enumerate(steps, start=1))
    return [(number, one.arguments["beside"]) for number, one in found if one is not None]


def test_a_run_that_becomes_slower_is_told_once_until_it_is_fast_again() -> None:
    guard = Throughput("warn", share=0.7, planned_seconds=None)
    assert slow_steps(guard, [1.0] * 60 + [1.2] * 40 + [1.0] * 20) == []
    assert slow_steps(guard, [2.0] * 100) == [(40, "best")]
    assert slow_steps(guard, [1.0] * 20 + [2.0] * 40) == [(60, "best")]
    assert slow_steps(Throughput("off", share=0.7, planned_seconds=0.1), [1.0] * 60 + [9.0] * 60) == []


def test_a_few_seconds_are_no_window() -> None:
    guard = Throughput("warn", share=0.7, planned_seconds=None)
    assert slow_steps(guard, [0.1] * 200 + [0.2] * 40 + [0.1] * 60) == []
    assert [beside for _, beside in slow_steps(guard, [0.2] * 200)] == ["best"]


def test_a_run_that_is_slower_than_planned_is_told_once() -> None:
    assert slow_steps(Throughput("warn", share=0.7, planned_seconds=0.9), [1.0] * 200) == [(40, "plan")]
    assert slow_steps(Throughput("warn", share=0.7, planned_seconds=1.1), [1.0] * 200) == []


def test_a_straggler_is_named_when_it_is_slow_several_times_in_a_row() -> None:
    guard = Straggler("warn", ratio=1.5, windows=3)
    even, slow = [0.010, 0.011, 0.009, 0.010], [0.010, 0.011, 0.030, 0.010]
    windows = [slow, slow, even, slow, slow, slow, slow]
    found = [guard.take(window) for window in windows]
    assert [one is not None for one in found] == [False] * 5 + [True, False]
    assert found[5] is not None
    assert found[5].arguments["rank"] == 2
    assert found[5].arguments["ratio"] == pytest.approx(3.0)


def test_one_of_two_can_be_the_straggler_and_noise_cannot() -> None:
    guard = Straggler("warn", ratio=1.5, windows=1)
    assert guard.take([0.004, 0.012]).arguments["rank"] == 1  # type: ignore[union-attr]
    assert guard.take([0.0001, 0.0005]) is None
    assert guard.take([0.5]) is None
    assert Straggler("off", ratio=1.5, windows=1).take([0.004, 0.012]) is None
