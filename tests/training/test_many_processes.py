"""Runs of several processes: what one would have learnt, every fault of one of them, and other launchers."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import TrainingError
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.runs import RunFolder, read_lines
from headway.training.session import Session, open_run

Make = Callable[..., Recipe]

TWO = {"devices": 2, "devices_per_node": 2, "threads": 1}
STEPS = 30


def plan(data: int = 1, tensor: int = 1, pipeline: int = 1, size: int = 2, **more: Any) -> dict[str, Any]:
    """Return as much of a plan as training needs: its layout."""
    layout = {
        "data_parallel_degree": data,
        "tensor_parallel_degree": tensor,
        "pipeline_parallel_degree": pipeline,
        "shard": "none",
        "micro_batch_size": size,
        **more,
    }
    return {"layout": layout}


def start(recipe: Recipe, root: Path, planned: dict[str, Any], **settings: Any) -> RunFolder:
    return open_run(recipe, planned, root=root, **settings)


def small(make: Make, **training: Any) -> Recipe:
    return make(
        training={"steps": STEPS, "precision": "fp32", **training},
        layout={"micro_batch_size": "auto"},
        hardware=TWO,
        resilience={"checkpoint_every_steps": 5, "keep_last": 10},
    )


def newest(run: RunFolder) -> Snapshot:
    snapshot, damaged = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    assert not damaged
    return snapshot


def losses(run: RunFolder) -> list[float]:
    return [record["loss"] for record in run.metrics()]


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.fixture(scope="module")
def alone(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of one process, to compare with."""
    recipe = small(make_small_recipe)
    hardware = recipe.hardware.model_copy(update={"devices": 1, "devices_per_node": None})
    run = start(recipe.model_copy(update={"hardware": hardware}), tmp_path_factory.mktemp("alone"), plan())
    assert Session(run).wait() == 0
    return run


@pytest.fixture(scope="module")
def straight(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of two processes that nothing disturbs."""
    run = start(small(make_small_recipe), tmp_path_factory.mktemp("two"), plan(2, shard="parameters"))
    assert Session(run, processes=2).wait() == 0
    return run


def test_two_processes_learn_what_one_does(alone: RunFolder, straight: RunFolder) -> None:
    np.testing.assert_allclose(losses(straight)[:10], losses(alone)[:10], rtol=1e-5)
    evaluated = [
        [event["loss"] for event in run.events() if event["event"] == "evaluated"] for run in (alone, straight)
    ]
    np.testing.assert_allclose(evaluated[1], evaluated[0], rtol=1e-3)


def test_each_process_leaves_its_metrics_and_its_peak(straight: RunFolder) -> None:
    assert [record["step"] for record in read_lines(straight.metrics_path(1))] == list(range(1, STEPS + 1))
    peaks = {event["rank"]: event["peak_bytes"] for event in straight.events() if event["event"] == "memory"}
    assert set(peaks) == {0, 1}
    ledger = straight.ledger()
    assert ledger is not None
    assert f"{max(peaks.values())}" in str(ledger)


def test_only_the_first_process_tells_the_story(straight: RunFolder) -> None:
    kinds = [event["event"] for event in straight.events()]
    for kind in ("started", "data-ready", "engine-ready", "finished"):
        assert kinds.count(kind) == 1, kind


def test_a_killed_process_ends_the_run_and_loses_nothing(
    make_small_recipe: Make, straight: RunFolder, tmp_path: Path
) -> None:
    recipe = small(make_small_recipe)
    saving = recipe.resilience.model_copy(update={"asynchronous_checkpoints": True})
    recipe = recipe.model_copy(update={"resilience": saving})
    run = start(recipe, tmp_path, plan(2, shard="parameters"))
    session = Session(run, processes=2)
    wait_until(lambda: bool(CheckpointStore(run.checkpoints_folder).steps()))
    os.kill(session.workers[1].pid, signal.SIGKILL)
    with pytest.raises(TrainingError, match="training-worker-killed"):
        session.wait()
    assert all(worker.poll() is not None for worker in session.workers)
    again = start(recipe, tmp_path, plan(2, shard="parameters"), resume=True)
    assert Session(again, processes=2).wait() == 0
    assert losses(again) == losses(straight)
    ours, theirs = newest(again), newest(straight)
    for name, array in theirs.parameters.items():
        np.testing.assert_array_equal(ours.parameters[name], array, err_msg=name)
    for name, array in theirs.optimizer.items():
        np.testing.assert_array_equal(ours.optimizer[name], array, err_msg=name)


def test_each_process_writes_its_part(straight: RunFolder) -> None:
    folder = CheckpointStore(straight.checkpoints_folder).path_of(STEPS)
    sizes = [
        sum(file.stat().st_size for file in folder.glob(f"*-{number:05d}-of-00002.safetensors")) for number in (1, 2)
    ]
    assert max(sizes) < 1.2 * min(sizes)


def test_a_process_that_fails_takes_the_others_along(make_small_recipe: Make, tmp_path: Path) -> None:
    """The layout is for six processes, which each of the two finds out for itself."""
    run = start(small(make_small_recipe), tmp_path, plan(tensor=2, pipeline=3))
    with pytest.raises(TrainingError, match="training-world-size"):
        Session(run, processes=2).wait()
    assert run.status() == "failed"


def test_a_request_to_one_process_stops_all_at_the_same_step(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(small(make_small_recipe, steps=100_000), tmp_path, plan(2))
    session = Session(run, processes=2)
    wait_until(lambda: len(run.metrics()) > 2)
    os.kill(session.workers[1].pid, signal.SIGTERM)
    assert session.wait() == 0
    assert run.status() == "interrupted"
    steps = [read_lines(run.metrics_path(rank))[-1]["step"] for rank in (0, 1)]
    assert steps[0] == steps[1] == newest(run).step


@pytest.mark.parametrize(
    "planned",
    [plan(tensor=2, sequence_parallel=True), plan(pipeline=2), plan(2, shard="optimizer", shard_group_size=2)],
    ids=["tensor", "pipeline", "optimizer"],
)
def test_a_run_goes_on_under_another_layout(
    make_small_recipe: Make, alone: RunFolder, planned: dict[str, Any], tmp_path: Path
) -> None:
    """Ten steps in one process, the next ones in two."""
    recipe = small(make_small_recipe)
    run = start(recipe, tmp_path, plan())
    single = alone.checkpoints_folder
    for step in (5, 10):
        name = CheckpointStore(single).path_of(step).name
        (run.checkpoints_folder / name).symlink_to(single / name)
    run.write_plan(planned)
    assert Session(run, processes=2).wait() == 0
    assert run.metrics()[0]["step"] == 11
    np.testing.assert_allclose(losses(run)[:10], losses(alone)[10:20], rtol=1e-5)


def test_torchrun_starts_the_processes_too(make_small_recipe: Make, straight: RunFolder, tmp_path: Path) -> None:
    run = start(small(make_small_recipe), tmp_path, plan(2, shard="parameters"))
    command = [
        *(sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"),
        *("-m", "headway.training.worker", str(run.path)),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    assert losses(run) == losses(straight)
