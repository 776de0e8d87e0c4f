"""The verbs that a program calls."""

from __future__ import annotations

from pathlib import Path

import pytest

import headway
from headway.errors import PlanError, RecipeError
from headway.recipe import Recipe

SMALL = {
    "model": {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 1,
        "num_attention_heads": 2,
        "vocab_size": 300,
        "max_position_embeddings": 32,
    },
    "training": {"steps": 3, "global_batch_size": 2},
    "hardware": {"accelerator": "cpu"},
}


@pytest.fixture(autouse=True)
def _cache(shared_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(shared_cache))


@pytest.fixture
def text(tmp_path: Path) -> str:
    path = tmp_path / "text.txt"
    path.write_text("\n".join(f"Line {number} of the text that is trained on." for number in range(400)))
    return str(path)


def test_a_recipe_may_be_given_in_any_form(tmp_path: Path) -> None:
    loaded = headway.load(SMALL)
    assert isinstance(loaded, Recipe)
    assert headway.load(loaded) is loaded
    path = tmp_path / "run.toml"
    path.write_text(loaded.to_toml())
    assert headway.load(path) == headway.load(str(path)) == loaded
    assert headway.load("llama-3.1-8b").model.hidden_size == 4096
    with pytest.raises(RecipeError):
        headway.load({"model": {}})


def test_plan_for_an_accelerator_does_not_probe() -> None:
    def must_not_probe(*_folder: object, **_settings: object) -> headway.api.Machine:
        raise AssertionError("this machine does not matter")

    recipe = {"model": {"preset": "llama-3.2-1b"}, "hardware": {"accelerator": "h100-sxm-80gb"}}
    made = headway.plan(recipe, probing=must_not_probe)
    assert made.hardware.accelerator == "h100-sxm-80gb"
    assert made.is_feasible


def test_train_plans_and_trains(tmp_path: Path, text: str) -> None:
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train(recipe, runs=tmp_path / "runs")
    assert run.status() == "finished"
    assert run.metrics()[-1]["step"] == 3
    rows = {row["quantity"]: row for row in (run.ledger() or {})["rows"]}
    assert rows["step_seconds"]["predicted"] > 0


def test_an_unknown_speed_keeps_nobody_from_training(tmp_path: Path, text: str) -> None:
    probed: list[Path] = []

    def inventory_only(folder: Path, **_settings: object) -> object:
        probed.append(folder)
        return headway.probe(folder, measure=False)

    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train(recipe, runs=tmp_path / "runs", probing=inventory_only)
    assert run.status() == "finished"
    notices = [event for event in run.events() if event["event"] == "notice"]
    assert [notice["id"] for notice in notices] == ["training-no-plan"]
    assert probed == [tmp_path], "the disk of the runs counts, and their folder is not there yet"
    with pytest.raises(PlanError, match="plan-layout-unsupported"):
        headway.train({**recipe, "layout": {"tensor_parallel_degree": 2}}, runs=tmp_path / "runs")


def test_what_cannot_fit_is_not_trained(tmp_path: Path, text: str) -> None:
    huge = {**SMALL["model"], "hidden_size": 2**17, "intermediate_size": 2**19, "num_hidden_layers": 64}
    with pytest.raises(PlanError, match="plan-infeasible-memory"):
        headway.train({**SMALL, "model": huge, "data": {"paths": text}}, runs=tmp_path / "runs")
    assert not (tmp_path / "runs").exists()


def test_unknown_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError):
        _ = headway.unknown
