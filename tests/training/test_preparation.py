from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from headway.errors import DataError, TrainingError
from headway.recipe import Recipe
from headway.runs import EventLog, RunFolder
from headway.training.data import is_prepared
from headway.training.preparation import main, prepare_apart

Make = Callable[..., Recipe]


def make_run(recipe: Recipe, root: Path) -> RunFolder:
    return RunFolder.create(root, recipe, {}, "made")


def test_another_process_fills_the_cache(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(data={"cache": str(tmp_path / "cache")})
    run = make_run(recipe, tmp_path)
    assert not is_prepared(recipe.data, vocab_size=recipe.model.vocab_size)
    with EventLog(run.events_path) as events:
        corpus = prepare_apart(run, recipe, events)
        assert corpus.from_cache
        assert is_prepared(recipe.data, vocab_size=recipe.model.vocab_size)
        assert prepare_apart(run, recipe, events).digest == corpus.digest
    stages = {event["message"] for event in run.events() if event["event"] == "stage"}
    assert "data-progress-tokenizer" in stages


def test_its_errors_come_back_as_they_are(make_small_recipe: Make, tmp_path: Path) -> None:
    (tmp_path / "bad.txt").write_bytes(b"fine until \xff here")
    recipe = make_small_recipe(data={"paths": [str(tmp_path / "bad.txt")], "cache": str(tmp_path / "cache")})
    run = make_run(recipe, tmp_path)
    with EventLog(run.events_path) as events, pytest.raises(DataError, match="data-not-utf8"):
        prepare_apart(run, recipe, events)


def test_a_killed_process_is_told(make_small_recipe: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = make_small_recipe(data={"cache": str(tmp_path / "cache")})
    run = make_run(recipe, tmp_path)
    killer = tmp_path / "python"
    killer.write_text("#!/bin/sh\nkill -9 $$\n")
    killer.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(killer))
    with EventLog(run.events_path) as events, pytest.raises(TrainingError) as told:
        prepare_apart(run, recipe, events)
    assert told.value.arguments == {"code": -9}


def test_the_program_says_what_is_wrong(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(data={"paths": [str(tmp_path / "none.txt")]})
    run = make_run(recipe, tmp_path)
    command = [sys.executable, "-m", "headway.training.preparation", str(run.path)]
    done = subprocess.run(command, capture_output=True, check=False)
    assert done.returncode == 1
    assert json.loads(done.stdout)["error"]["id"] == "data-path-missing"
    assert callable(main)
