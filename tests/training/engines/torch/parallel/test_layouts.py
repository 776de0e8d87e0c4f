"""Under every layout the first gradients equal those of one process, and so do the losses of ten steps."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.resilience.checkpoint import CheckpointStore

STEPS, BATCH = 10, 8

RECIPE: dict[str, Any] = {
    "model": {
        "hidden_size": 48,
        "intermediate_size": 96,
        "num_hidden_layers": 4,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 97,
        "max_position_embeddings": 24,
        "tie_word_embeddings": False,
        "attention_bias": True,
    },
    "training": {
        "steps": STEPS,
        "sequence_length": 24,
        "global_batch_size": BATCH,
        "precision": "fp32",
        "gradient_clip_norm": 0.5,
    },
    "hardware": {"accelerator": "cpu", "threads": 1},
}


def layout(data: int = 1, tensor: int = 1, pipeline: int = 1, size: int = 2, **more: Any) -> dict[str, Any]:
    """Return a layout with its micro-batches."""
    found = {
        "data_parallel_degree": data,
        "tensor_parallel_degree": tensor,
        "pipeline_parallel_degree": pipeline,
        "shard": "none",
        "micro_batch_size": size,
        "gradient_accumulation_steps": BATCH // data // size,
        **more,
    }
    if found["shard"] != "none":
        found.setdefault("shard_group_size", data)
    return found


def tied(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe whose model ties its embedding to its head, and norms queries and keys."""
    return {**recipe, "model": {**recipe["model"], "tie_word_embeddings": True, "architecture": "qwen3"}}


def adapted(recipe: Mapping[str, Any], method: str = "lora") -> dict[str, Any]:
    """Return a recipe that trains adapters only."""
    return {**recipe, "training": {**recipe["training"], "method": method, "adapter_rank": 4}}


IN_A_V: dict[str, Any] = {"virtual_pipeline_stages": 2, "pipeline_schedule": "zero-bubble-v"}


def compiled(recipe: Mapping[str, Any]) -> dict[str, Any]:
    """Return a recipe whose layers are compiled."""
    return {**recipe, "training": {**recipe["training"], "compile": True}}


TWO: dict[str, dict[str, Any]] = {
    "copies": {"layout": layout(2)},
    "optimizer": {"layout": layout(2, shard="optimizer")},
    "gradients": {"layout": layout(2, shard="gradients")},
    "parameters": {"layout": layout(2, shard="parameters", recompute="full")},
    "kept": {"layout": layout(2, shard="parameters", reshard_after_forward=False)},
    "tensor": {"layout": layout(tensor=2)},
    "sequence": {"layout": layout(tensor=2, sequence_parallel=True), "documents": True},
    "stages": {"layout": layout(pipeline=2, recompute="products")},
    "interleaved": {"layout": layout(pipeline=2, virtual_pipeline_stages=2), "documents": True},
    "zero-bubble": {"layout": layout(pipeline=2, recompute="full", pipeline_schedule="zero-bubble")},
    "zero-bubble-v": {"layout": layout(pipeline=2, **IN_A_V), "documents": True},
    "tied-zero-bubble-v": {"layout": layout(pipeline=2, **IN_A_V), "recipe": tied(RECIPE)},
    "adapters-shards": {"layout": layout(2, shard="parameters"), "recipe": adapted(RECIPE)},
    "adapters-tensor": {"layout": layout(tensor=2, sequence_parallel=True), "recipe": adapted(RECIPE)},
    "adapters-stages": {"layout": layout(pipeline=2), "recipe": adapted(RECIPE)},
    "compiled-shards": {"layout": layout(2, shard="parameters", recompute="full"), "recipe": compiled(RECIPE)},
    "packed-shards": {"layout": layout(2, shard="parameters"), "recipe": adapted(RECIPE, "qlora")},
    "packed-tensor": {"layout": layout(tensor=2, sequence_parallel=True), "recipe": adapted(RECIPE, "qlora")},
    "packed-stages": {"layout": layout(pipeline=2), "recipe": adapted(RECIPE, "qlora")},
    "tied-stages": {"layout": layout(pipeline=2), "recipe": tied(RECIPE)},
    "marked-copies": {"layout": layout(2), "marks": True},
    "marked-shards": {"layout": layout(2, shard="parameters"), "marks": True},
    "marked-tensor": {"layout": layout(tensor=2), "marks": True},
    "marked-stages": {"layout": layout(pipeline=2), "marks": True},
    "tied-tensor": {"layout": layout(tensor=2, sequence_parallel=True), "recipe": tied(RECIPE)},
}
FOUR: dict[str, dict[str, Any]] = {
    "groups": {"layout": layout(4, shard="parameters", shard_group_size=2)},
    "shards-tensor": {"layout": layout(2, 2, shard="parameters", sequence_parallel=True, recompute="selective")},
    "copies-stages": {"layout": layout(2, 1, 2)},
    "shards-stages": {"layout": layout(2, 1, 2, shard="optimizer")},
    "zero-bubble-shards": {"layout": layout(2, 1, 2, shard="optimizer", **IN_A_V)},
    "zero-bubble-tensor": {"layout": layout(1, 2, 2, pipeline_schedule="zero-bubble"), "recipe": adapted(RECIPE)},
    "tensor-stages": {"layout": layout(1, 2, 2, sequence_parallel=True)},
    "marked-copies-stages": {"layout": layout(2, 1, 2), "marks": True},
    "tied-shards-stages": {"layout": layout(2, 1, 2, shard="parameters"), "recipe": tied(RECIPE)},
    "packed-shards-tensor": {"layout": layout(2, 2, shard="parameters"), "recipe": adapted(RECIPE, "qlora")},
}
EIGHT: dict[str, dict[str, Any]] = {
    "all": {"layout": layout(2, 2, 2, shard="optimizer", sequence_parallel=True)},
    "all-tied": {"layout": layout(2, 2, 2, shard="gradients"), "recipe": tied(RECIPE)},
}
GRID = {2: TWO, 4: FOUR, 8: EIGHT}


def run_layouts(root: Path, size: int, tasks: Mapping[str, Mapping[str, Any]]) -> None:
    """Run tasks in so many processes, and wait for them; the first that fails ends the others."""
    root.mkdir(parents=True, exist_ok=True)
    complete = {name: {"recipe": RECIPE, "steps": STEPS, **task} for name, task in tasks.items()}
    (root / "tasks.json").write_text(json.dumps(complete))
    command = [sys.executable, "-m", "tests.training.engines.torch.parallel.program", str(root), str(size)]
    done = subprocess.run(command, env={**os.environ, "OMP_NUM_THREADS": "1"}, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()[-4000:]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results: of one process, and of every layout."""
    root = tmp_path_factory.mktemp("layouts")
    alone = {
        "plain": {"layout": layout()},
        "documents": {"layout": layout(), "documents": True},
        "marks": {"layout": layout(size=BATCH), "marks": True},
        "tied": {"layout": layout(), "recipe": tied(RECIPE)},
        "adapters": {"layout": layout(), "recipe": adapted(RECIPE)},
        "packed": {"layout": layout(), "recipe": adapted(RECIPE, "qlora")},
    }
    run_layouts(root / "1", 1, alone)
    for size, tasks in GRID.items():
        run_layouts(root / str(size), size, tasks)
    return root


def reference(root: Path, task: Mapping[str, Any]) -> Path:
    """Return the folder of what one process found for the same model and text."""
    kind = next((kind for kind in ("documents", "marks") if task.get(kind)), "plain")
    if "recipe" in task:
        is_tied = task["recipe"]["model"]["tie_word_embeddings"]
        plain = "tied" if is_tied else "plain"
        kind = {None: plain, "lora": "adapters", "qlora": "packed"}[task["recipe"]["training"].get("method")]
    return root / "1" / kind


CASES = [(size, name) for size, tasks in GRID.items() for name in tasks]


@pytest.mark.parametrize(("size", "name"), CASES)
def test_starts_with_the_same_weights(results: Path, size: int, name: str) -> None:
    ours, theirs = (
        np.load(results / str(size) / name / "first.npz"),
        np.load(reference(results, GRID[size][name]) / "first.npz"),
    )
    assert set(ours) == set(theirs)
    for key in ours:
        np.testing.assert_array_equal(ours[key], theirs[key], err_msg=key)


@pytest.mark.parametrize(("size", "name"), CASES)
def test_first_gradients_are_those_of_one_process(results: Path, size: int, name: str) -> None:
    """After one step of Adam the first moment is a tenth of the gradient."""
    ours, theirs = (
        np.load(results / str(size) / name / "moments.npz"),
        np.load(reference(results, GRID[size][name]) / "moments.npz"),
    )
    assert set(ours) == set(theirs)
    for key in ours:
        if key.endswith("exp_avg"):
            np.testing.assert_allclose(10 * ours[key], 10 * theirs[key], atol=1e-6, err_msg=key)


@pytest.mark.parametrize(("size", "name"), CASES)
def test_losses_are_those_of_one_process(results: Path, size: int, name: str) -> None:
    ours = json.loads((results / str(size) / name / "results.json").read_text())
    theirs = json.loads((reference(results, GRID[size][name]) / "results.json").read_text())
    np.testing.assert_allclose(np.array(ours["results"])[:, 0], np.array(theirs["results"])[:, 0], rtol=1e-5)
    np.testing.assert_allclose(np.array(ours["results"])[:, 1], np.array(theirs["results"])[:, 1], rtol=1e-4)
    assert ours["evaluated"] == pytest.approx(theirs["evaluated"], rel=1e-5)
    assert ours["any"] == [True, False]


SAVED = [(2, "parameters"), (2, "interleaved"), (4, "shards-tensor"), (8, "all")]


@pytest.fixture(scope="module")
def further(results: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of what goes on from checkpoints, in one process and in two with divided states."""
    root = tmp_path_factory.mktemp("further")
    others = {1: layout(), 2: layout(2, shard="parameters")}
    for processes, other in others.items():
        tasks = {
            f"{size}-{name}": {
                "layout": other,
                "resume": str(results / str(size) / name / "checkpoints"),
                "first": STEPS,
                "steps": 2,
            }
            for size, name in SAVED
        }
        run_layouts(root / str(processes), processes, tasks)
    return root


@pytest.mark.parametrize(("size", "name"), SAVED)
def test_a_checkpoint_loads_under_another_layout(results: Path, further: Path, size: int, name: str) -> None:
    """One layout's checkpoint goes on in one process and in two with divided states: bit-exact in weights."""
    snapshot, _ = CheckpointStore(results / str(size) / name / "checkpoints").load_newest()
    assert snapshot is not None
    told = []
    for folder in (further / "1" / f"{size}-{name}", further / "2" / f"{size}-{name}"):
        loaded = np.load(folder / "first.npz")
        for key, array in snapshot.parameters.items():
            np.testing.assert_array_equal(loaded[key], array, err_msg=key)
        told.append(np.array(json.loads((folder / "results.json").read_text())["results"])[:, 0])
    np.testing.assert_allclose(told[0], told[1], rtol=1e-5)
