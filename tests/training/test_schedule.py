"""The learning rate by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest

from headway.recipe import resolve_recipe
from headway.training.schedule import learning_rate


def rates(**training: Any) -> list[float]:
    recipe = resolve_recipe(
        {
            "model": {"preset": "headway-tiny-1m"},
            "training": {"learning_rate": 1.0, "steps": 11, "min_learning_rate_ratio": 0.1, **training},
        }
    )
    return [learning_rate(recipe, step) for step in range(recipe.num_steps)]


def test_cosine() -> None:
    found = rates(schedule="cosine")
    assert found[0] == 1.0
    assert found[5] == pytest.approx(0.1 + 0.9 * 0.5)
    assert found[10] == pytest.approx(0.1)
    assert found[2] == pytest.approx(0.1 + 0.9 * 0.5 * (1 + math.cos(math.pi * 0.2)))


def test_linear() -> None:
    assert rates(schedule="linear") == pytest.approx([1 - 0.09 * step for step in range(11)])


def test_warmup_and_stable_and_decay() -> None:
    found = rates(schedule="wsd", warmup_steps=4, decay_fraction=0.3)
    assert found[:4] == pytest.approx([0.25, 0.5, 0.75, 1.0])
    # The last ceil(0.3 x 11) = 4 steps decay from the peak to the minimum.
    assert found[4:8] == pytest.approx([1.0] * 4)
    assert found[7:] == pytest.approx([1.0, 0.7, 0.4, 0.1])


def test_constant() -> None:
    assert rates(schedule="constant", warmup_steps=2) == pytest.approx([0.5] + [1.0] * 10)


def test_warmup_that_lasts_the_whole_run() -> None:
    assert rates(schedule="cosine", warmup_steps=11)[-1] == pytest.approx(1.0)


@pytest.mark.parametrize("schedule", ["cosine", "linear", "wsd", "constant"])
def test_a_run_of_one_step_has_a_rate(schedule: str) -> None:
    assert rates(schedule=schedule, steps=1) == [1.0]
