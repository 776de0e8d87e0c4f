"""The best checkpoint stays, and a run that gets no better ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headway.errors import RecipeError, RunError
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import RunFolder
from headway.training.best import Best
from headway.training.reading import best_step, chosen_step
from headway.training.resuming import is_complete
from headway.training.session import Session, open_run

Make = Callable[..., Recipe]

SPOILING = {"learning_rate": 0.3, "schedule": "constant", "warmup_steps": 8, "precision": "fp32"}
"""A rate that learns while it is warming up, and then forgets all."""


def train(recipe: Recipe, root: Path, **settings: Any) -> RunFolder:
    run = open_run(recipe, {}, root=root, **settings)
    assert Session(run).wait() == 0
    return run


def losses(run: RunFolder) -> dict[int, float]:
    return {event["step"]: event["loss"] for event in run.events() if event["event"] == "evaluated"}


@pytest.fixture(scope="module")
def stopped(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    recipe = make_small_recipe(
        training={**SPOILING, "steps": 60, "evaluate_every_steps": 2, "early_stopping_patience": 3},
        resilience={"checkpoint_every_steps": 4, "keep_last": 1},
    )
    return train(recipe, tmp_path_factory.mktemp("stopped"))


def test_a_run_that_gets_no_better_ends(stopped: RunFolder) -> None:
    found = losses(stopped)
    best = min(found, key=lambda step: found[step])
    assert stopped.status() == "finished"
    assert max(found) == best + 3 * 2 < 60
    (event,) = [event for event in stopped.events() if event["event"] == "stopped-early"]
    assert (event["step"], event["best_step"], event["loss"]) == (max(found), best, found[best])


def test_the_best_checkpoint_stays_beside_the_newest(stopped: RunFolder) -> None:
    found = losses(stopped)
    best = min(found, key=lambda step: found[step])
    assert CheckpointStore(stopped.checkpoints_folder).steps() == [best, max(found)]
    assert best_step(stopped) == chosen_step(stopped, None, best=True) == best
    assert chosen_step(stopped, None, best=False) is None
    with pytest.raises(RunError, match="run-step-twice"):
        chosen_step(stopped, 1, best=True)


def test_going_on_with_it_does_nothing_more(stopped: RunFolder) -> None:
    before, recipe = losses(stopped), stopped.recipe()
    assert is_complete(stopped, recipe)
    again = train(recipe, stopped.path.parent, resume=True)
    assert losses(again) == before
    patient = recipe.training.model_copy(update={"early_stopping_patience": 4})
    assert not is_complete(stopped, recipe.model_copy(update={"training": patient}))


def test_a_killed_run_remembers_its_best(make_small_recipe: Make, stopped: RunFolder, tmp_path: Path) -> None:
    recipe = stopped.recipe()
    run = open_run(recipe, {}, root=tmp_path)
    session = Session(run)
    best = best_step(stopped)
    while max((record["step"] for record in run.metrics()), default=0) <= best + 1:
        assert session.poll() is None
    session.kill()
    again = train(recipe, tmp_path, resume=True)
    assert losses(again) == losses(stopped)


def test_a_run_without_evaluations_has_no_best(make_small_recipe: Make, tmp_path: Path) -> None:
    run = train(make_small_recipe(training={"steps": 2}, data={"validation_fraction": 0.0}), tmp_path)
    with pytest.raises(RunError, match="run-no-best"):
        best_step(run)


@pytest.mark.parametrize(
    "sections",
    [
        {"training": {"steps": 2, "early_stopping_patience": 1}},
        {"resilience": {"keep_best": True}},
        {
            "training": {"steps": 2, "early_stopping_patience": 1, "evaluate_every_steps": 1},
            "data": {"validation_fraction": 0.0},
        },
    ],
)
def test_the_best_needs_evaluations(make_small_recipe: Make, sections: dict[str, Any]) -> None:
    with pytest.raises(RecipeError, match="recipe-best-without-evaluations"):
        make_small_recipe(**sections)


def test_judging_by_hand() -> None:
    begun = Best()
    assert begun.is_beaten_by(2.0)
    best = begun.after(2.0, 1)
    assert not best.is_beaten_by(2.0)
    assert not best.is_beaten_by(math.nan)
    best = best.after(2.0, 2).after(math.nan, 3)
    assert best == Best(loss=2.0, step=1, evaluations_since=2)
    # The end of a run evaluates the last step once more.
    best = best.after(1.5, 4).after(1.5, 4)
    assert begun == Best()
    assert Best.of(best.to_dict()) == best == Best(loss=1.5, step=4)
    assert Best.of(None) == Best.of({"loss": 1}) == Best()
