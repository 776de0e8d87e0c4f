"""The verbs that a program calls."""

from __future__ import annotations

import json
import pickle
import shutil
import subprocess
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import headway
from headway.api import InfeasibleError
from headway.cli.localized import error_lines
from headway.errors import HeadwayError, RecipeError, RunError
from headway.planning.message import Message
from headway.recipe import Recipe
from headway.runs import RunFolder

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
    with pytest.raises(RecipeError, match="training-setting"):
        headway.train({**recipe, "layout": {"context_parallel_degree": 2}}, runs=tmp_path / "runs")


def test_a_format_that_is_left_to_the_plan_is_settled_before_anything_is_trained(tmp_path: Path) -> None:
    left = headway.load({**SMALL, "training": {**SMALL["training"], "precision": "auto"}})
    unknown = headway.api._with_precision(left, lambda folder, **_: headway.probe(folder, measure=False), tmp_path)
    assert unknown.training.precision == "bf16"
    elsewhere = left.model_copy(update={"hardware": headway.load("llama-3.2-1b").hardware})
    stated = headway.load(SMALL)
    assert headway.api._with_precision(stated, headway.probe, tmp_path) is stated
    cluster = elsewhere.hardware.model_copy(update={"accelerator": "v100"})
    old = headway.api._with_precision(elsewhere.model_copy(update={"hardware": cluster}), headway.probe, tmp_path)
    assert old.training.precision == "fp16"


@pytest.mark.parametrize(("setting", "value"), [("precision", "int8"), ("optimizer", "muon")])
def test_a_setting_that_nobody_measured_keeps_nobody_from_training(
    setting: str, value: str, tmp_path: Path, text: str
) -> None:
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train({**recipe, "training": {**SMALL["training"], setting: value}}, runs=tmp_path / "runs")
    assert run.status() == "finished"
    (notice,) = (event for event in run.events() if event["event"] == "notice")
    assert notice["id"] == "training-not-planned"
    assert notice["arguments"]["field"] == f"training.{setting}"


def test_what_cannot_fit_is_not_trained(tmp_path: Path, text: str) -> None:
    huge = {**SMALL["model"], "hidden_size": 2**17, "intermediate_size": 2**19, "num_hidden_layers": 64}
    with pytest.raises(InfeasibleError, match="training-infeasible") as refused:
        headway.train({**SMALL, "model": huge, "data": {"paths": text}}, runs=tmp_path / "runs")
    assert "plan-infeasible-memory" in [problem.message_id for problem in refused.value.problems]
    copy = pickle.loads(pickle.dumps(refused.value))
    assert copy.to_dict() == refused.value.to_dict()
    assert "--force" in "\n".join(error_lines(copy))
    assert not (tmp_path / "runs").exists()


def test_a_disk_that_is_full_of_the_run_itself_has_room_to_go_on(tmp_path: Path) -> None:
    def plan_of(free_bytes: int) -> Any:
        message = Message(id="plan-infeasible-disk", arguments={"needed_bytes": 100, "free_bytes": free_bytes})
        return replace(
            headway.plan({"model": {"preset": "llama-3.2-1b"}, "hardware": {"accelerator": "h100"}}),
            infeasible=(message,),
        )

    headway.api._require_feasible(plan_of(40), 60)
    with pytest.raises(InfeasibleError):
        headway.api._require_feasible(plan_of(39), 60)


def test_the_first_plan_of_a_run_stays(tmp_path: Path, text: str) -> None:
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train(recipe, runs=tmp_path / "runs")
    first = (run.path / "plan.json").read_bytes()
    longer = {**recipe, "training": {"steps": 5, "global_batch_size": 2}, "layout": {"micro_batch_size": 1}}
    assert headway.train(longer, runs=tmp_path / "runs", resume=True) == run
    assert (run.path / "plan.json").read_bytes() == first
    second = json.loads((run.path / "plan-2.json").read_bytes())
    assert second["time"]["total_seconds"] > json.loads(first)["time"]["total_seconds"]
    assert run.plan() == json.loads(first)
    notices = {event["id"]: event["arguments"] for event in run.events() if event["event"] == "resume-notice"}
    assert notices["training-settings-changed"]["changed"] == "layout.micro_batch_size (auto -> 1)"
    assert notices["training-schedule-changed"] == {"before": 3, "steps": 5, "schedule": "cosine"}
    with pytest.raises(RunError, match="run-steps-done"):
        headway.train(recipe, runs=tmp_path / "runs", resume=True)


def test_a_finished_run_is_left_as_it_is(tmp_path: Path, text: str) -> None:
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train(recipe, runs=tmp_path / "runs")
    before = {path: path.stat().st_mtime_ns for path in run.path.rglob("*") if path.is_file()}
    watched: list[RunFolder] = []

    def watch(started: RunFolder) -> AbstractContextManager[None]:
        watched.append(started)
        return nullcontext()

    assert headway.train(recipe, runs=tmp_path / "runs", resume=True, watching=watch) == run
    assert not watched
    assert {path: path.stat().st_mtime_ns for path in run.path.rglob("*") if path.is_file()} == before
    # With a damaged last checkpoint there is something to do.
    weights = next(run.checkpoints_folder.glob("step-*3/model-*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:-1] + b"x")
    with pytest.raises(HeadwayError, match="checkpoint-all-damaged"):
        headway.train(recipe, runs=tmp_path / "runs", resume=True)


def test_a_run_that_lost_its_checkpoints_says_that_it_starts_again(tmp_path: Path, text: str) -> None:
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    run = headway.train(recipe, runs=tmp_path / "runs")
    for folder in run.checkpoints_folder.iterdir():
        shutil.rmtree(folder)
    headway.train(recipe, runs=tmp_path / "runs", resume=True)
    gone = [event for event in run.events() if event.get("id") == "training-checkpoints-gone"]
    assert [event["arguments"] for event in gone] == [{"step": 3}]
    assert run.status() == "finished"


def test_unknown_names_are_no_attributes() -> None:
    with pytest.raises(AttributeError):
        _ = headway.unknown


def test_a_server_that_is_not_ready_is_refused(tmp_path: Path, text: str) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    # Of a disk without room for another file no plan knows.
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m,nr_inodes=1", "tmpfs", str(disk)], check=True)
    recipe = {**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}
    try:
        with pytest.raises(headway.api.NotReadyError) as caught:
            headway.train(recipe, runs=disk / "runs")
        assert [problem.message_id for problem in caught.value.problems] == ["preflight-inodes"]
        assert pickle.loads(pickle.dumps(caught.value)).problems[0].arguments == {"folder": str(disk)}
        with pytest.raises(RunError):
            headway.train(recipe, runs=disk / "runs", force=True)
    finally:
        subprocess.run(["umount", str(disk)], check=True)


def test_what_was_looked_at_before_is_told(tmp_path: Path, text: str) -> None:
    run = headway.train({**SMALL, "data": {"paths": text, "cache": str(tmp_path / "cache")}}, runs=tmp_path / "runs")
    (looked,) = [event for event in run.events() if event["event"] == "preflight"]
    assert looked["passed"]
    assert {check["name"] for check in looked["checks"]} >= {"memory", "disk", "clock"}
