from __future__ import annotations

from headway.recipe import Recipe
from headway.runs import Measurement, MetricLog, RunFolder, build_ledger
from headway.runs.comparison import compare_runs


def test_runs_are_laid_side_by_side(trained: RunFolder, recipe: Recipe) -> None:
    changed = recipe.model_copy(update={"training": recipe.training.model_copy(update={"learning_rate": 1e-3})})
    other = RunFolder.create(trained.path.parent, changed, {})
    trained.write_ledger(build_ledger({}, {"step_seconds": Measurement(0.5)}).to_dict())
    compared = compare_runs([trained, other])
    assert compared["runs"] == ["demo", "demo-2"]
    assert compared["rows"] == [
        {"name": "training.learning_rate", "values": [3e-4, 1e-3]},
        {"name": "step", "values": [40, None]},
        {"name": "loss", "values": [3.0, None]},
        {"name": "step_seconds", "values": [0.5, None]},
    ]


def test_a_setting_that_one_run_lacks_is_shown_as_such(run: RunFolder, recipe: Recipe) -> None:
    budget = recipe.budget.model_copy(update={"max_usd": 5.0})
    other = RunFolder.create(run.path.parent, recipe.model_copy(update={"budget": budget}), {})
    assert {"name": "budget.max_usd", "values": [None, 5.0]} in compare_runs([run, other])["rows"]


def test_a_run_whose_last_step_has_no_loss(run: RunFolder) -> None:
    with MetricLog(run.metrics_path()) as log:
        log.append({"step": 3})
    assert compare_runs([run])["rows"] == [{"name": "step", "values": [3]}, {"name": "loss", "values": [None]}]
