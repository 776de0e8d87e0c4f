"""The time between checkpoints, by what is believed of failures and what a run has met."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headway.planning.reliability.intervals import best_interval_seconds
from headway.recipe import Recipe
from headway.runs import EventLog, RunFolder
from headway.training.intervals import (
    JEFFREYS,
    AdaptedInterval,
    FailureHistory,
    Prior,
    count_failures,
    history_of,
    prior_of,
)

Make = Callable[..., Recipe]
AUTO = {"checkpoint_every": "auto", "checkpoint_every_steps": None}


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def run_of(recipe: Recipe, root: Path, *kinds: str) -> RunFolder:
    run = RunFolder.create(root, recipe, {})
    with EventLog(run.events_path) as events:
        for kind in kinds:
            events.record(kind, torch="2.13.0")
    return run


def events(*kinds: str) -> list[dict[str, Any]]:
    return [{"event": kind} for kind in kinds]


def test_belief_and_sight_are_weighed() -> None:
    prior = Prior(shape=2.0, seconds=2000.0)
    assert prior.mtbf_seconds(FailureHistory(failures=0, seconds=0.0)) == 1000.0
    assert prior.mtbf_seconds(FailureHistory(failures=3, seconds=500.0)) == 500.0
    assert JEFFREYS.mtbf_seconds(FailureHistory(failures=1, seconds=300.0)) == 200.0


def test_the_prior_is_the_plans_rate(make_small_recipe: Make) -> None:
    assert prior_of(make_small_recipe()) is JEFFREYS
    prior = prior_of(make_small_recipe(resilience={"failures_per_1000_devices_per_day": 1000.0}))
    assert prior.mtbf_seconds(FailureHistory(failures=0, seconds=0.0)) == pytest.approx(86400.0)
    assert 0 < prior.shape < math.inf


def test_attempts_that_were_not_asked_to_end_are_failures() -> None:
    assert count_failures(events("started", "engine-ready")) == 0
    assert count_failures(events("started", "engine-ready", "resumed", "engine-ready")) == 1
    assert count_failures(events("started", "engine-ready", "failed", "resumed")) == 1
    assert count_failures(events("started", "engine-ready", "stopped", "resumed", "engine-ready", "finished")) == 0
    # A recipe that cannot run fails before there is anything to lose.
    assert count_failures(events("started", "failed", "started", "failed")) == 0


def test_the_interval_follows_failures_and_writes(make_small_recipe: Make, tmp_path: Path) -> None:
    run = run_of(make_small_recipe(resilience=AUTO), tmp_path, "started", "engine-ready", "resumed", "engine-ready")
    assert history_of(run).failures == 1
    changes: list[dict[str, Any]] = []
    clock = Clock()
    interval = AdaptedInterval(make_small_recipe(resilience=AUTO), run, changes.append, clock)
    assert interval.seconds == 60.0
    clock.now = 900.0
    interval.adapt(0.1, 0.1)
    assert interval.seconds == pytest.approx(best_interval_seconds(600.0, 0.1), rel=1e-3)
    assert [round(change["mtbf_seconds"]) for change in changes] == [600]
    # A little more is no reason to change.
    interval.adapt(0.11, 0.11)
    assert len(changes) == 1
    for _ in range(9):
        interval.adapt(10.0, 10.0)
    assert interval.seconds == pytest.approx(best_interval_seconds(600.0, 10.0), rel=0.2)
    assert changes[-1]["before_seconds"] < changes[-1]["seconds"]


@pytest.mark.parametrize("saving", [AUTO, {"checkpoint_every": 60.0, "checkpoint_every_steps": None}, {}])
def test_nothing_is_adapted_without_knowledge_or_where_the_recipe_says(
    saving: dict[str, Any], make_small_recipe: Make, tmp_path: Path
) -> None:
    recipe = make_small_recipe(resilience=saving)
    failed = () if saving is AUTO else ("started", "engine-ready", "resumed", "engine-ready")
    interval = AdaptedInterval(recipe, run_of(recipe, tmp_path, *failed), lambda _: pytest.fail("nothing changes"))
    interval.adapt(5.0, 5.0)
    assert interval.seconds == 60.0


def test_a_write_in_the_background_ends_before_the_next(make_small_recipe: Make, tmp_path: Path) -> None:
    saving = {**AUTO, "asynchronous_checkpoints": True, "failures_per_1000_devices_per_day": 1e6}
    recipe = make_small_recipe(resilience=saving)
    interval = AdaptedInterval(recipe, run_of(recipe, tmp_path), lambda _: None)
    interval.adapt(0.5, 40.0)
    assert interval.seconds >= 39.5
