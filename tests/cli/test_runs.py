"""Lists and comparisons of runs, also of runs that somebody damaged."""

from __future__ import annotations

import numpy as np
import pytest

from headway.recipe import find_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.runs import EventLog, MetricLog, RunFolder
from tests.command_line import Headway


def add_run(headway: Headway, name: str, *overrides: str) -> RunFolder:
    return RunFolder.create(headway.folder / "runs", find_recipe("headway-tiny-1m", overrides), {}, name)


def test_settings_are_compared_as_the_recipe_has_them(headway: Headway) -> None:
    add_run(headway, "one", 'data.paths=["/a.txt", "/b[/x].txt"]', "training.steps=10000")
    add_run(headway, "two", 'data.paths=["/c.txt"]', "training.steps=10010")
    compared = headway("runs", "compare", "one", "two")
    assert compared.code == 0, compared.err
    assert '["/a.txt", "/b[/x].txt"]' in compared.out
    assert '["/c.txt"]' in compared.out
    (steps,) = [line.split() for line in compared.out.splitlines() if "training.steps" in line]
    assert steps == ["training.steps", "10000", "10010"]


@pytest.mark.parametrize("damage", [b"", b"name = [", b"\xff\xfe", b"name = 3\n"])
def test_a_damaged_run_is_listed_among_the_others(damage: bytes, headway: Headway) -> None:
    add_run(headway, "good")
    (add_run(headway, "bad").path / "recipe.toml").write_bytes(damage)
    listed = headway("runs", "list")
    assert listed.code == 0, listed.err
    rows = {words[0]: words[1] for line in listed.out.splitlines() if len(words := line.split()) > 1}
    assert (rows["good"], rows["bad"]) == ("created", "damaged")
    runs = {run["name"]: run for run in headway("runs", "list", "--json").json}
    assert runs["bad"]["error"]["id"].startswith("recipe-")
    assert "error" not in runs["good"]
    assert set(runs["good"]) <= set(runs["bad"])
    assert headway("runs", "compare", "good", "bad").code == 2


def test_checkpoints_are_verified(headway: Headway) -> None:
    run = add_run(headway, "one")
    none = headway("runs", "verify", "one")
    assert (none.code, none.out) == (0, "There are no checkpoints yet.\n")
    store = CheckpointStore(run.checkpoints_folder)
    store.save(Snapshot(parameters={"a": np.ones(3, np.float32)}, optimizer={}, state={"step": 7}))
    # Nothing that a training wrote.
    odd = headway("runs", "verify", "one", "--json")
    assert odd.code == 1
    (found,) = odd.json["checkpoints"]
    assert (found["step"], found["is_good"], found["error"]["id"]) == (7, False, "checkpoint-state-odd")
    (store.path_of(7) / "model-00001-of-00001.safetensors").write_bytes(b"")
    damaged = headway("runs", "verify", "one")
    assert damaged.code == 1
    assert "Step 7: not to be trusted." in damaged.out


def test_a_run_is_shown_with_where_its_time_went(headway: Headway) -> None:
    run = add_run(headway, "timed")
    run.write_plan({"reliability": {"losses": {"detection": 0.01, "restart": 0.02, "lost_work": 0.03}}})
    with MetricLog(run.metrics_path()) as metrics, EventLog(run.events_path) as events:
        events.append({"event": "started", "time": 0})
        for step in range(1, 11):
            timed = {"time": 10 + step, "step_seconds": 1.0, "steps_since_start": step}
            metrics.append({"step": step, "loss": 3.0, "resident_bytes": 1, **timed})
        events.append({"event": "failed", "time": 21})
        events.append({"event": "resumed", "time": 40, "step": 10})
    shown = headway("runs", "show", "timed")
    assert shown.code == 0, shown.err
    rows = {line.lstrip().split("  ")[0]: line.split() for line in shown.out.splitlines()}
    assert rows["steps that count"][-1] == "25.0%"
    # The plan's detection and restart together.
    assert rows["restarts and roll-backs"][-2:] == ["50.0%", "3.0%"]
    time = headway("runs", "show", "timed", "--json").json["time"]
    assert time["goodput"] == 0.25
    assert time["parts"]["restart_seconds"] == 20
