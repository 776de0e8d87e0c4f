"""Runs in number formats that no plan was measured for: real worker processes, and what they tell."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from headway.i18n import Translator
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import RunFolder
from headway.training.loop import odd_state
from headway.training.session import Session, open_run

Make = Callable[..., Recipe]


def train(recipe: Recipe, root: Path, **settings: Any) -> RunFolder:
    """Train a recipe to its end."""
    run = open_run(recipe, {}, root=root, **settings)
    assert Session(run).wait() == 0, run.log_path().read_text()[-2000:]
    return run


def notices(run: RunFolder) -> list[dict[str, Any]]:
    return [event for event in run.events() if event["event"] == "notice"]


def test_skipped_steps_are_told_and_counted(make_small_recipe: Make, tmp_path: Path) -> None:
    """Weights that are too large make gradients that overflow under the first scale."""
    model = {"initializer_range": 1.0}
    recipe = make_small_recipe(model=model, training={"precision": "fp16", "steps": 12, "learning_rate": 1e-3})
    run = train(recipe, tmp_path)
    skipped = [event for event in run.events() if event["event"] == "step-skipped"]
    assert 0 < len(skipped) < 10
    assert skipped[0]["loss_scale"] == 65536
    told = Translator("en").text("event-step-skipped", step=1, loss_scale=65536.0)
    assert "65,536" in told
    metrics = run.metrics()
    assert [record["step"] for record in metrics if record["is_skipped"]] == [event["step"] for event in skipped]
    assert metrics[-1]["loss_scale"] == 65536 / 2 ** len(skipped)
    (row,) = (row for row in (run.ledger() or {})["rows"] if row["quantity"] == "skipped_steps")
    assert row["measured"] == len(skipped)
    assert notices(run)[0]["id"] == "training-not-planned"
    text = Translator("en").text("training-not-planned", **notices(run)[0]["arguments"])
    assert "training.precision" in text
    assert "fp16" in text


ODD_SCALES: tuple[Any, ...] = (
    5,
    {"scale": "65536", "good_steps": 0, "skipped_steps": 0},
    {"scale": 0.0, "good_steps": 0, "skipped_steps": 0},
    {"scale": 2.0, "good_steps": -1, "skipped_steps": 0},
    {"scale": 2.0},
)


def test_a_checkpoint_with_an_odd_scale_is_passed_over(make_small_recipe: Make, tmp_path: Path) -> None:
    run = train(make_small_recipe(training={"precision": "fp16", "steps": 1}), tmp_path)
    snapshot, _ = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    assert odd_state(snapshot) is None
    for scale in ODD_SCALES:
        assert odd_state(replace(snapshot, state={**snapshot.state, "loss_scale": scale})) == f"loss_scale {scale}"
