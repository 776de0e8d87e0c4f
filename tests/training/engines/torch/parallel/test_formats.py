"""Number formats and optimizers over several processes: near to one process, and exact where a training goes on."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.recipe import resolve_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.training.engines import build_engine
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.parallel.test_layouts import BATCH, RECIPE, layout, run_layouts

STEPS = 4
FIRST_SCALE = 2.0**21
"""Of the loss in fp16: the first steps overflow, how many depends on the micro-batches."""


def recipe(**training: Any) -> dict[str, Any]:
    return {**RECIPE, "training": {**RECIPE["training"], **training}}


FORMATS: dict[str, dict[str, Any]] = {
    "adamw16bit": recipe(optimizer="adamw16bit"),
    "adamw8bit": recipe(optimizer="adamw8bit"),
    "muon": recipe(optimizer="muon"),
    "fp16": recipe(precision="fp16"),
    "overflow": recipe(precision="fp16"),
    "int8": recipe(precision="int8"),
    "fp8": recipe(precision="fp8"),
    "lodging": {**recipe(optimizer="adamw8bit"), "layout": {"offload_optimizer": True}},
}
BOUNDS = {"adamw16bit": 1e-3, "adamw8bit": 3e-3, "muon": 1e-4, "fp16": 3e-3, "int8": 2e-2, "fp8": 3e-2, "lodging": 3e-3}
"""How far losses may be from those of one process, which rounds otherwise."""

LAYOUTS: dict[int, dict[str, dict[str, Any]]] = {
    2: {
        "shards": layout(2, shard="parameters"),
        "tensor": layout(tensor=2, sequence_parallel=True),
        "stages": layout(pipeline=2),
    },
    4: {"shards-tensor": layout(2, 2, shard="parameters")},
}
KINDS: dict[str, tuple[str, ...]] = {
    "shards": tuple(FORMATS),
    "tensor": ("adamw8bit", "muon", "fp8", "overflow"),
    "stages": ("adamw16bit", "fp16", "int8", "overflow"),
    "shards-tensor": ("adamw8bit", "muon", "overflow"),
}
"""What is divided matters to blocks, whole matrices and scales, and not to each format everywhere."""
CASES = [(size, name, kind) for size, layouts in LAYOUTS.items() for name in layouts for kind in KINDS[name]]


def begin(root: Path, kind: str) -> Path:
    """Write a checkpoint from before the first step; one has a scale under which gradients overflow."""
    engine = build_engine(resolve_recipe(FORMATS[kind]))
    snapshot = copy_of(engine.snapshot())
    if kind == "overflow":
        scale = {**snapshot.state["loss_scale"], "scale": FIRST_SCALE}
        snapshot = replace(snapshot, state={**snapshot.state, "loss_scale": scale})
    CheckpointStore(root).save(snapshot)
    return root


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of all results: straight ones, first halves, and second halves that go on with those."""
    root = tmp_path_factory.mktemp("formats")
    begun = {kind: str(begin(root / "begun" / kind, kind)) for kind in FORMATS}
    for size, layouts in ({1: {"alone": layout(size=BATCH)}} | LAYOUTS).items():
        halves: dict[str, dict[str, Any]] = {}
        wholes: dict[str, dict[str, Any]] = {}
        for name, one in layouts.items():
            for kind in KINDS.get(name, tuple(FORMATS)):
                task = {"recipe": FORMATS[kind], "layout": one}
                wholes[f"{name}-{kind}"] = {**task, "resume": begun[kind], "steps": STEPS}
                if size > 1:
                    wholes[f"{name}-{kind}-half"] = {**task, "resume": begun[kind], "steps": STEPS // 2}
                    saved = str(root / str(size) / "wholes" / f"{name}-{kind}-half" / "checkpoints")
                    further = {"resume": saved, "first": STEPS // 2, "steps": STEPS - STEPS // 2}
                    halves[f"{name}-{kind}"] = {**task, **further}
        run_layouts(root / str(size) / "wholes", size, wholes)
        if halves:
            run_layouts(root / str(size) / "halves", size, halves)
    return root


def losses(folder: Path) -> np.ndarray[Any, Any]:
    return np.array(json.loads((folder / "results.json").read_text())["results"])[:, 0]


def newest(folder: Path) -> Snapshot:
    snapshot, damaged = CheckpointStore(folder / "checkpoints").load_newest()
    assert snapshot is not None
    assert not damaged
    return snapshot


@pytest.mark.parametrize(("size", "name", "kind"), [case for case in CASES if case[2] in BOUNDS])
def test_losses_are_near_to_those_of_one_process(results: Path, size: int, name: str, kind: str) -> None:
    ours = losses(results / str(size) / "wholes" / f"{name}-{kind}")
    theirs = losses(results / "1" / "wholes" / f"alone-{kind}")
    np.testing.assert_allclose(ours, theirs, atol=BOUNDS[kind])


@pytest.mark.parametrize(("size", "name", "kind"), CASES)
def test_resume_is_exact(results: Path, size: int, name: str, kind: str) -> None:
    straight = newest(results / str(size) / "wholes" / f"{name}-{kind}")
    resumed = newest(results / str(size) / "halves" / f"{name}-{kind}")
    assert_equal(straight, resumed)
    assert straight.state == resumed.state
    ours = losses(results / str(size) / "wholes" / f"{name}-{kind}")
    assert ours[STEPS // 2 :].tolist() == losses(results / str(size) / "halves" / f"{name}-{kind}").tolist()


@pytest.mark.parametrize(("size", "name"), [(size, name) for size, names in LAYOUTS.items() for name in names])
def test_all_processes_skip_the_same_steps(results: Path, size: int, name: str) -> None:
    """Each process has held its own against the others, in ``program.py``."""
    state = newest(results / str(size) / "wholes" / f"{name}-overflow").state
    assert 0 < state["loss_scale"]["skipped_steps"] < STEPS
    assert state["optimizer_steps"] == STEPS - state["loss_scale"]["skipped_steps"]
