"""The guards of loss, gradients and loss scale, fed with numbers."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest

from headway.resilience.guards.loss_spike import LossSpike
from headway.resilience.guards.not_finite import NotFinite
from headway.resilience.guards.scale_collapse import ScaleCollapse


def spike(**changes: Any) -> LossSpike:
    return LossSpike("roll-back", **{"deviations": 10.0, "window": 64, "steps": 3, **changes})


def falling(count: int, seed: int = 0) -> list[float]:
    """A loss curve as trainings have: falling, with noise that is now and then large."""
    randomness = random.Random(seed)
    return [2 + 6 * math.exp(-step / 300) + randomness.gauss(0, 0.05) * (1 + (step % 37 == 0)) for step in range(count)]


@pytest.mark.parametrize("seed", range(10))
def test_a_healthy_curve_has_no_spike(seed: int) -> None:
    guard = spike()
    assert not [step for step, loss in enumerate(falling(3000, seed), start=1) if guard.take(step, loss)]


def test_several_losses_far_above_the_others_are_a_spike() -> None:
    guard, losses = spike(), falling(500)
    losses[400:410] = [loss + 2 for loss in losses[400:410]]
    found = [one for step, loss in enumerate(losses[:403], start=1) if (one := guard.take(step, loss))]
    assert [(one.action, one.first_bad_step) for one in found] == [("roll-back", 400)]
    assert found[0].arguments["deviations"] > 10


def test_one_odd_batch_is_none_and_neither_is_a_loss_that_falls() -> None:
    guard, losses = spike(), falling(500)
    losses[400] += 50
    losses[450:460] = [0.01] * 10
    assert not [step for step, loss in enumerate(losses, start=1) if guard.take(step, loss)]


def test_nothing_is_judged_by_too_few_losses() -> None:
    guard = spike()
    assert not [step for step in range(32) if guard.take(step, 1.0 if step < 20 else 100.0)]
    assert [step for step in range(1, 20) if spike(window=8, steps=1).take(step, 1.0)] == []


def test_a_guard_that_is_refilled_judges_as_one_that_saw_all() -> None:
    losses = falling(300)
    losses[-2:] = [99.0, 99.0]
    one, other = spike(), spike()
    for step, loss in enumerate(losses, start=1):
        one.take(step, loss)
    other.refill(losses[-128:])
    assert one.take(301, 99.0) is not None
    assert other.take(301, 99.0) is not None


@pytest.mark.parametrize(("loss", "norm"), [(math.nan, 1.0), (math.inf, 1.0), (1.0, math.nan), (1.0, math.inf)])
def test_what_is_no_number_is_found(loss: float, norm: float) -> None:
    guard = NotFinite("roll-back", 2)
    assert guard.take(1, 1.0, 1.0, is_skipped=False) is None
    found = guard.take(2, loss, norm, is_skipped=False)
    assert found is not None
    assert (found.guard, found.action) == ("not-finite", "roll-back")


def test_an_overflow_of_fp16_is_no_lost_step() -> None:
    assert NotFinite("stop", 2).take(1, 1.0, math.inf, is_skipped=True) is None


def test_steps_are_left_out_a_few_times_in_a_row_only() -> None:
    guard = NotFinite("skip", 2)
    actions = []
    for step, loss in enumerate([math.nan, math.nan, 1.0, math.nan, math.nan, math.nan]):
        found = guard.take(step, loss, 1.0, is_skipped=False)
        actions.append(found.action if found else None)
    assert actions == ["skip", "skip", None, "skip", "skip", "stop"]


def test_a_scale_that_finds_its_value_is_healthy() -> None:
    guard = ScaleCollapse("stop", least_scale=1.0, max_skipped=4)
    for step in range(100):
        assert guard.take(step, 2.0**10, is_skipped=step % 5 != 4) is None


def test_a_scale_collapses_by_value_or_by_count() -> None:
    guard = ScaleCollapse("warn", least_scale=1.0, max_skipped=4)
    assert guard.take(1, 1.0, is_skipped=False) is None, "a low scale that holds is none of its business"
    assert guard.take(2, 1.0, is_skipped=True) is not None
    found = [guard.take(step, 2.0**10, is_skipped=True) for step in range(5)]
    assert [one is None for one in found] == [True] * 4 + [False]
    assert guard.take(9, None, is_skipped=False) is None
