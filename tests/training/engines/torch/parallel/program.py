"""One of several processes that train: started by `run_layouts`, it does what a file says and leaves its results.

python -m tests.training.engines.torch.parallel.program TASK_FOLDER
"""

from __future__ import annotations

import importlib
import json
import os
import signal
import sys
import traceback
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import torch

from headway.planning.choice import Layout
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.training.data import Batch
from headway.training.engines import Engine, build_engine
from headway.training.place import RENDEZVOUS, Place

COMPILE = torch.compile

IMPORTED = (
    "headway.training.engines.torch.engine",
    *(f"headway.training.engines.torch.parallel.{name}" for name in ("shards", "stages", "tensor")),
    "torch._dynamo",
)
"""What takes seconds to import: once, before there are several processes."""


def batch_of(recipe: Recipe, step: int, *, documents: bool = False, marks: bool = False) -> Batch:
    """Return the whole global batch of a step; with marks, rows differ much in how many of their targets count."""
    generator = np.random.default_rng(step)
    rows, length = recipe.training.global_batch_size, recipe.training.sequence_length
    tokens = generator.integers(0, recipe.model.vocab_size, (rows, length + 1))
    ids = np.sort(generator.integers(0, 3, (rows, length)), axis=1).astype(np.int32) if documents else None
    if not marks:
        return Batch(tokens, ids)
    # From none to all of a row.
    is_target = generator.random((rows, length)) < np.linspace(0, 1, rows)[:, None]
    return Batch(tokens, ids, is_target, int(is_target.sum()))


def rows_of(batch: Batch, rows: slice) -> Batch:
    """Return some rows of a batch."""
    cut = {
        name: None if getattr(batch, name) is None else getattr(batch, name)[rows]
        for name in ("document_ids", "is_target")
    }
    return replace(batch, tokens=batch.tokens[rows], **cut)


def micro_batches(batch: Batch, engine: Engine, size: int) -> list[Batch]:
    """Return this process's share of a batch in micro-batches."""
    share = len(batch.tokens) // engine.share.count
    start = engine.share.index * share
    return [rows_of(batch, slice(first, first + size)) for first in range(start, start + share, size)]


def train(engine: Engine, recipe: Recipe, steps: range, size: int, **kind: bool) -> list[tuple[float, float]]:
    """Train some steps; return the loss and the norm of each."""
    found = []
    for step in steps:
        batches = micro_batches(batch_of(recipe, step, **kind), engine, size)
        result = engine.step(batches, 1e-3)
        assert engine.any([result.is_skipped]) == [result.is_skipped], "a step is skipped by all or by none"
        found.append((result.loss, result.gradient_norm))
    return found


def run(task: dict[str, Any], folder: Path) -> None:
    """Train under one layout, and leave losses, norms, the state after the first step and a checkpoint."""
    recipe = resolve_recipe(task["recipe"])
    if recipe.training.compile:
        # All of the compiler but its code: that is what takes its time.
        torch.compile = partial(COMPILE, backend="aot_eager")  # type: ignore[assignment]
    layout = Layout(**task["layout"])
    engine = build_engine(recipe, layout=layout)
    size, kind = layout.micro_batch_size, {name: task.get(name, False) for name in ("documents", "marks")}
    if task.get("resume"):
        loaded, _ = CheckpointStore(Path(task["resume"])).load_newest()
        assert loaded is not None
        engine.load(loaded)
    begun = engine.snapshot()
    first = {name: np.array(array) for name, array in begun.parameters.items()}
    results = train(engine, recipe, range(task.get("first", 0), task.get("first", 0) + 1), size, **kind)
    moments = {name: np.array(array) for name, array in engine.snapshot().optimizer.items()}
    more = range(task.get("first", 0) + 1, task.get("first", 0) + task["steps"])
    results += train(engine, recipe, more, size, **kind)
    texts = [batch_of(recipe, step, **kind) for step in range(90, 93)]
    evaluated = engine.evaluate(
        [rows_of(text, slice(step % 2, 2) if size > 1 else slice(1)) for step, text in enumerate(texts)]
    )
    store = CheckpointStore(folder / "checkpoints")
    step = task.get("first", 0) + task["steps"]
    engine.save(lambda taken: store.save(replace(taken, state={**taken.state, "step": step})))
    if engine.is_first:
        np.savez(folder / "first.npz", **first)
        np.savez(folder / "moments.npz", **moments)
        told = {"results": results, "evaluated": evaluated, "any": engine.any([True, False])}
        (folder / "results.json").write_text(json.dumps(told))
    else:
        engine.any([False, False])
    engine.close()


def work(root: Path, place: Place) -> None:
    """Run all tasks of a folder, one after the other, as one of several processes."""
    os.environ.update(place.to_environment())
    for name, task in json.loads((root / "tasks.json").read_text()).items():
        folder = root / name
        folder.mkdir(exist_ok=True)
        os.environ[RENDEZVOUS] = f"file://{folder / 'rendezvous'}"
        run(task, folder)


def main(root: Path, size: int) -> int:
    """Run all tasks in so many processes; the first that fails ends the others."""
    for module in IMPORTED:
        importlib.import_module(module)
    ranks: dict[int, int] = {}
    for rank in range(size):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                work(root, Place(rank=rank, size=size, local_rank=rank, local_size=size))
                code = 0
            except BaseException:
                traceback.print_exc()
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)
        ranks[child] = rank
    failed = 0
    while ranks:
        child, status = os.wait()
        ranks.pop(child)
        if status and not failed:
            failed = 1
            for other in ranks:
                os.kill(other, signal.SIGKILL)
    return failed


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2])))
