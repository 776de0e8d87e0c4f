"""How long a save stops the work: ``python -m benchmarks.checkpoint_stall [--layers 12] [--saves 5]``.

One process: the same state of weights and moments saved by Headway with and without ``asynchronous_checkpoints``, by a
plain ``torch.save``, and by ``async_save`` of PyTorch's distributed checkpoint (DCP). Four processes (gloo, FSDP):
gathered and written by the first, and each its part. No step runs beside the writes, so that a stall is the copy alone.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.machine_line import machine_line
from headway.planning.choice import Layout
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint.divided import DividedWrite
from headway.resilience.checkpoint.writing import BackgroundWriter, HostCopy
from headway.training.data import Batch
from headway.training.engines import Engine, build_engine

PROCESSES = 4
RENDEZVOUS = "HEADWAY_RENDEZVOUS"


def recipe_of(layers: int, devices: int = 1) -> Recipe:
    """Return a Llama of 768 channels."""
    return resolve_recipe(
        {
            "model": {
                "hidden_size": 768,
                "intermediate_size": 2048,
                "num_hidden_layers": layers,
                "num_attention_heads": 12,
                "num_key_value_heads": 12,
                "vocab_size": 16384,
                "max_position_embeddings": 64,
            },
            "data": {"paths": ["."]},
            "training": {"steps": 10, "global_batch_size": devices, "sequence_length": 32, "precision": "fp32"},
            "hardware": {"accelerator": "cpu", "threads": 2 if devices == 1 else 1},
        }
    )


def stepped(engine: Engine) -> Engine:
    """Do one step, so that there are moments."""
    engine.step([Batch(tokens=np.ones((1, 33), np.int64))], 1e-4)
    return engine


def measured(saves: int, save: Callable[[int], None], wait: Callable[[], None]) -> tuple[float, float, float]:
    """Return the first stall, the median of the others, and the median time until safe; in seconds."""
    stalls, safe = [], []
    for number in range(saves):
        started = time.perf_counter()
        save(number)
        stalls.append(time.perf_counter() - started)
        wait()
        safe.append(time.perf_counter() - started)
    return stalls[0], statistics.median(stalls[1:]), statistics.median(safe[1:])


def with_step(taken: Snapshot, number: int) -> Snapshot:
    """Return a snapshot of a step of its own, so that nothing is there already."""
    return Snapshot(parameters=taken.parameters, optimizer=taken.optimizer, state={**taken.state, "step": number})


def one_process(layers: int, saves: int, root: Path) -> None:
    """Measure the ways of one process."""
    engine = stepped(build_engine(recipe_of(layers)))
    size = engine.snapshot().size_bytes
    print(f"state: {size / 1e9:.2f} GB ({size / 12e6:.0f} M parameters), {saves} saves each")
    print(f"{'way':<34}{'first stall':>12}{'stall':>9}{'safe after':>12}")

    def show(name: str, figures: tuple[float, float, float]) -> None:
        print(f"{name:<34}{figures[0]:>10.2f} s{figures[1]:>7.2f} s{figures[2]:>10.2f} s", flush=True)

    store = CheckpointStore(root / "sync", keep_last=1)
    show(
        "Headway, synchronous",
        measured(saves, lambda number: _save(engine, store, number), lambda: None),
    )
    writer = BackgroundWriter(CheckpointStore(root / "async", keep_last=1), lambda _: None)
    show(
        "Headway, asynchronous",
        measured(
            saves,
            lambda number: _start(engine, writer, number),
            writer.wait,
        ),
    )
    writer.copy.drop()
    others(engine, saves, root, show)


def _save(engine: Engine, store: CheckpointStore, number: int) -> None:
    engine.save(lambda taken: store.save(with_step(taken, number)))


def _start(engine: Engine, writer: BackgroundWriter, number: int) -> None:
    started = time.monotonic()
    engine.save(lambda taken: writer.start(with_step(taken, number), frozenset(), started))


def others(engine: Engine, saves: int, root: Path, show: Callable[[str, tuple[float, float, float]], None]) -> None:
    """Measure PyTorch's own ways, of the same arrays; neither has checksums."""
    import torch
    import torch.distributed as dist
    import torch.distributed.checkpoint as dcp

    taken = engine.snapshot()
    tensors = {name: torch.from_numpy(array) for name, array in {**taken.parameters, **taken.optimizer}.items()}

    def plain(_: int) -> None:
        with (root / "plain.pt").open("wb") as file:
            torch.save(tensors, file)
            file.flush()
            os.fsync(file.fileno())

    show("torch.save and fsync", measured(saves, plain, lambda: None))
    dist.init_process_group("gloo", init_method=f"file://{root / 'meet'}", rank=0, world_size=1)
    pending: list[Any] = []

    def begin(number: int) -> None:
        pending.append(dcp.async_save(tensors, checkpoint_id=str(root / f"dcp-{number % 2}")))

    show("DCP async_save", measured(saves, begin, lambda: pending[-1].result()))
    dist.destroy_process_group()


def member(rank: int, layers: int, saves: int, root: str) -> None:
    """Save as one of several processes; the first one prints."""
    places = {"RANK": rank, "WORLD_SIZE": PROCESSES, "LOCAL_RANK": rank, "LOCAL_WORLD_SIZE": PROCESSES}
    os.environ |= {name: str(value) for name, value in places.items()} | {RENDEZVOUS: f"file://{root}/gloo"}
    layout = Layout(
        data_parallel_degree=PROCESSES,
        shard="parameters",
        shard_group_size=PROCESSES,
        micro_batch_size=1,
        gradient_accumulation_steps=1,
    )
    engine = stepped(build_engine(recipe_of(layers, PROCESSES), layout=layout))
    gathered = CheckpointStore(Path(root) / "gathered", keep_last=1)
    divided = CheckpointStore(Path(root) / "divided", keep_last=1)
    copy = HostCopy()
    stalls = []

    def save_divided(number: int) -> None:
        started = time.perf_counter()
        part = engine.part(copy.keep)
        assert part is not None
        stalls.append(time.perf_counter() - started)
        snapshot = Snapshot(parameters={}, optimizer={}, state={**part.state, "step": number})
        write = DividedWrite(store=divided, part=part, snapshot=snapshot, rank=rank, size=PROCESSES)
        if rank == 0:
            write.begin()
        engine.any([False])
        write.run()
        engine.any([False])

    def save_gathered(number: int) -> None:
        _save(engine, gathered, number)
        engine.any([False])

    ways = {"gathered": measured(saves, save_gathered, lambda: None)}
    ways["divided"] = measured(saves, save_divided, lambda: None)
    if rank == 0:
        for name, (first, median, _) in ways.items():
            print(f"{PROCESSES} processes, {name}: first {first:.2f} s, median {median:.2f} s", flush=True)
        print(f"of it, gathering and copying: median {statistics.median(stalls[1:]):.2f} s", flush=True)
    engine.close()


def main() -> None:
    """Measure, and print tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--saves", type=int, default=5)
    arguments = parser.parse_args()
    # DCP and FSDP warn of what is their own.
    warnings.simplefilter("ignore")
    print(machine_line())
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        one_process(arguments.layers, arguments.saves, Path(folder))
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        context = multiprocessing.get_context("spawn")
        members = [
            context.Process(target=member, args=(rank, arguments.layers, arguments.saves, folder))
            for rank in range(PROCESSES)
        ]
        for process in members:
            process.start()
        for process in members:
            process.join()


if __name__ == "__main__":
    main()
