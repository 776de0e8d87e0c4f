"""Memory that runs out: a real process under a real limit, and what it says then."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from headway.errors import rebuild_error
from headway.i18n import Translator
from headway.machine import Machine, cache
from headway.machine.inventory import take_inventory
from headway.planning import plan
from headway.recipe import Recipe
from headway.runs import RunFolder
from headway.training.exhausted import exhausted, is_exhaustion
from headway.training.session import open_run
from tests.planning import conftest as planning

Make = Callable[..., Recipe]

LIMIT_KIB = 1_900_000
"""Of addresses: enough for PyTorch and a small model, not for its whole batch at once."""


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Machine:
    """This machine, with figures in its cache that were made up: to measure it would take a minute."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("HEADWAY_CACHE", str(folder))
    inventory = take_inventory(tmp_path)
    measurements = planning.measurements()
    folder.mkdir()
    assert cache.store(cache.cache_file(folder, inventory), measurements)
    return Machine(inventory=inventory, measurements=measurements)


def hungry(make: Make, **layout: Any) -> Recipe:
    return make(
        training={"steps": 1, "global_batch_size": 4096, "precision": "fp32", "warmup_steps": 0},
        layout={"micro_batch_size": 4096, **layout},
    )


def train(run: RunFolder) -> int:
    command = f"ulimit -v {LIMIT_KIB}; exec '{sys.executable}' -m headway.training.worker '{run.path}'"
    return subprocess.run(["bash", "-c", command], check=False, capture_output=True, env=dict(os.environ)).returncode


def failure(run: RunFolder) -> dict[str, Any]:
    (event,) = [event for event in run.events() if event["event"] == "failed"]
    return event


def test_the_plan_stands_beside_what_was_allocated(make_small_recipe: Make, known: Machine, tmp_path: Path) -> None:
    recipe = hungry(make_small_recipe)
    planned = plan(recipe, known)
    run = open_run(recipe, planned.to_dict(), root=tmp_path / "runs")
    assert train(run) == 1
    event = failure(run)
    assert event["id"] == "training-out-of-memory"
    said = event["arguments"]
    assert 100 * 2**20 < said["allocated_bytes"] < LIMIT_KIB * 2**10
    assert said["peak_bytes"] == planned.memory.device_peak_bytes
    assert said["activations_bytes"] == planned.memory.parts.activations_bytes > 2**29
    text, next_step = Translator("en").error(rebuild_error("TrainingError", event["id"], said))
    assert "activations" in text
    # What it proposes does fit: a run under the same limit gets through.
    changes = dict(re.findall(r"layout\.(\w+) = \"?(\w+)", next_step or ""))
    layout = {name: int(value) if value.isdecimal() else value for name, value in changes.items()}
    assert layout
    mended = open_run(hungry(make_small_recipe, **layout), {}, root=tmp_path / "mended")
    assert train(mended) == 0


def test_without_a_plan_it_is_said_all_the_same(make_small_recipe: Make, known: Machine, tmp_path: Path) -> None:
    run = open_run(hungry(make_small_recipe), {}, root=tmp_path / "runs")
    error = exhausted(run, 1e9)
    assert (error.arguments["is_planned"], error.arguments["change"]) == ("no", "none")
    text, next_step = Translator("en").error(error)
    assert "No plan" in text
    assert "smaller" in (next_step or "")


def test_only_smaller_layouts_are_proposed(make_small_recipe: Make, known: Machine, tmp_path: Path) -> None:
    recipe = hungry(make_small_recipe)
    planned = plan(recipe, known)
    run = open_run(recipe, planned.to_dict(), root=tmp_path / "runs")
    for share in (0.9, 0.5, 0.35):
        error = exhausted(run, share * planned.memory.device_peak_bytes)
        assert error.arguments["change"] != "none"
        assert error.arguments["change_bytes"] < share * planned.memory.device_peak_bytes
    assert exhausted(run, 1e6).arguments["change"] == "none"


def test_which_errors_it_is() -> None:
    assert is_exhaustion(MemoryError())
    assert is_exhaustion(torch.OutOfMemoryError("CUDA out of memory."))
    with pytest.raises(RuntimeError) as refused:
        torch.empty(2**60, dtype=torch.uint8)
    assert is_exhaustion(refused.value)
    assert not is_exhaustion(RuntimeError("shapes do not fit"))
