"""Saving a run: in the background, and in the middle of a step that is asked to stop. Real workers, real signals."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import CheckpointError, TrainingError
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.runs import RunFolder
from headway.training.session import Session, open_run

Make = Callable[..., Recipe]
DEADLINE_SECONDS = 120.0
WIDE = {"hidden_size": 256, "intermediate_size": 512}
"""Wide enough that writing a checkpoint takes longer than a step."""


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + DEADLINE_SECONDS
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.001)


def newest(run: RunFolder) -> Snapshot:
    snapshot, damaged = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    assert not damaged
    return snapshot


def require_same(found: Snapshot, expected: Snapshot) -> None:
    assert found.step == expected.step
    for kind in ("parameters", "optimizer"):
        ours: Any = getattr(found, kind)
        for name, array in getattr(expected, kind).items():
            assert np.array_equal(array, ours[name]), name


def events(run: RunFolder, kind: str) -> list[dict[str, Any]]:
    return [event for event in run.events() if event["event"] == kind]


def test_a_run_that_saves_in_the_background_and_is_killed_in_a_write(make_small_recipe: Make, tmp_path: Path) -> None:
    saving = {"checkpoint_every_steps": 2}
    recipe = make_small_recipe(model=WIDE, training={"steps": 10}, resilience=saving)
    straight = open_run(recipe, {}, root=tmp_path, name="straight")
    assert Session(straight).wait() == 0
    assert all(event["stall_seconds"] == event["seconds"] for event in events(straight, "checkpoint-saved"))

    recipe = make_small_recipe(
        model=WIDE, training={"steps": 10}, resilience={**saving, "asynchronous_checkpoints": True}
    )
    killed = open_run(recipe, {}, root=tmp_path, name="killed")
    session = Session(killed)
    wait_until(lambda: len(events(killed, "checkpoint-saved")) > 1)
    wait_until(lambda: any(killed.checkpoints_folder.glob(".writing-step-*")))
    os.kill(session.process.pid, signal.SIGKILL)
    with pytest.raises(TrainingError):
        session.wait()
    assert newest(killed).step >= events(killed, "checkpoint-saved")[-1]["step"]
    assert Session(killed).wait() == 0
    require_same(newest(killed), newest(straight))
    assert all(event["stall_seconds"] < event["seconds"] for event in events(killed, "checkpoint-saved"))
    assert not list(killed.checkpoints_folder.glob(".writing-*"))


def test_a_write_that_fails_in_the_background_ends_the_run(make_small_recipe: Make, tmp_path: Path) -> None:
    recipe = make_small_recipe(resilience={"asynchronous_checkpoints": True, "checkpoint_every_steps": 5})
    run = open_run(recipe, {}, root=tmp_path)
    run.checkpoints_folder.rmdir()
    run.checkpoints_folder.touch()
    with pytest.raises(CheckpointError) as failed:
        Session(run).wait()
    assert failed.value.message_id == "checkpoint-unwritable"
    assert run.metrics()[-1]["step"] < 40


def test_a_long_step_is_abandoned_and_done_again(make_small_recipe: Make, tmp_path: Path) -> None:
    def recipe(steps: int) -> Recipe:
        return make_small_recipe(
            training={"steps": steps, "global_batch_size": 120, "schedule": "constant"},
            layout={"micro_batch_size": 1},
            resilience={"checkpoint_every_steps": 1000},
        )

    run = open_run(recipe(1000), {}, root=tmp_path)
    session = Session(run)
    wait_until(lambda: bool(run.metrics()))
    # The second step has begun and lasts as long as the first.
    seconds = run.metrics()[0]["step_seconds"]
    time.sleep(seconds / 4)
    session.stop()
    assert session.process.returncode == 0
    (abandoned,) = events(run, "step-abandoned")
    done = run.metrics()[-1]["step"]
    assert abandoned["step"] == done + 1
    assert abandoned["seconds"] < seconds
    assert newest(run).step == done
    again = open_run(recipe(done + 1), {}, root=tmp_path, name=run.name, resume=True)
    assert Session(again).wait() == 0
    straight = open_run(recipe(done + 1), {}, root=tmp_path, name="straight")
    assert Session(straight).wait() == 0
    require_same(newest(again), newest(straight))
