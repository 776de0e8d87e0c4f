"""Runs whose loss goes wrong: what the guards do, and that the data behind it is always the same."""

from __future__ import annotations

import json
import mmap
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import TrainingError
from headway.machine.memory import Memory
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import RunFolder
from headway.telemetry.device_events import ProcessorReader
from headway.training import machine_guards
from headway.training.data import prepare
from headway.training.guarding import Guarding
from headway.training.place import RENDEZVOUS, Place
from headway.training.saving import Saver
from headway.training.session import open_run
from tests.training.faulty import Killed, name_of, train

Make = Callable[..., Recipe]

STEPS = 30
ALL_OFF = {
    **dict.fromkeys(("loss_spike", "scale_collapse", "memory_creep", "disk", "straggler", "throughput"), "off"),
    **dict.fromkeys(("corruption", "device_events", "data_stall"), "off"),
    "not_finite": "stop",
}
GUARDS = {"loss_spike_window": 8, "loss_spike_steps": 2, "loss_spike_deviations": 20.0}


@pytest.fixture
def start(make_small_recipe: Make, tmp_path: Path) -> Callable[..., RunFolder]:
    def make(name: str = "run", **guards: Any) -> RunFolder:
        return _open(make_small_recipe, tmp_path, name, **guards)

    return make


def _open(make: Make, root: Path, name: str, **guards: Any) -> RunFolder:
    recipe = make(
        training={"steps": STEPS, "precision": "fp32"},
        hardware={"threads": 1},
        resilience={"checkpoint_every_steps": 5, "keep_last": 10, "guards": {**GUARDS, **guards}},
    )
    return open_run(recipe, {}, root=root, name=name)


@pytest.fixture(scope="module")
def healthy(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, list[str]]:
    """A run without faults, and its batches in their order."""
    run = _open(make_small_recipe, tmp_path_factory.mktemp("healthy"), "healthy")
    with pytest.MonkeyPatch.context() as patch:
        return run, train(run, patch).taken


@pytest.fixture
def order(healthy: tuple[RunFolder, list[str]]) -> list[str]:
    return healthy[1]


def guarded(run: RunFolder) -> list[tuple[str, str, int]]:
    """Return what the guards found, but for what a busy machine does to any run: it is slow, and waits for its disk."""
    passing = ("data-stall", "throughput")
    events = [event for event in run.events() if event["event"] == "guard" and event["guard"] not in passing]
    return [(event["guard"], event["action"], event["step"]) for event in events]


def weights(run: RunFolder) -> dict[str, Any]:
    snapshot, _ = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    return dict(snapshot.parameters)


def assert_same_weights(one: RunFolder, other: RunFolder) -> None:
    ours, theirs = weights(one), weights(other)
    assert all(np.array_equal(array, theirs[name]) for name, array in ours.items())


def test_the_batch_without_a_number_is_passed_over(
    start: Callable[..., RunFolder], healthy: tuple[RunFolder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run, order = start(), healthy[1]
    engine = train(run, monkeypatch, poisons=order[12:13])
    assert guarded(run) == [("not-finite", "roll-back", 13)]
    # Steps 11 and 12 are done again with what they had, and all from 13 on with the batch behind.
    assert engine.taken[:15] == [*order[:13], *order[10:12]]
    assert engine.taken[15:31] == order[13:29]
    assert len(engine.taken) == 13 + STEPS - 10
    losses = [[record["loss"] for record in one.metrics()] for one in (run, healthy[0])]
    assert losses[0][:12] == losses[1][:12]


def test_nothing_is_written_while_the_way_back_is_chosen(
    start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write that ends later would drop the oldest checkpoint, which may be the very one."""
    calls: list[str] = []
    for owner, name in ((Saver, "save"), (Saver, "wait"), (Guarding, "_target")):
        real = getattr(owner, name)

        def noted(*given: Any, name: str = name, real: Callable[..., Any] = real) -> Any:
            calls.append(name)
            return real(*given)

        monkeypatch.setattr(owner, name, noted)
    train(start(not_finite="roll-back"), monkeypatch, poisons=order[12:13])
    # The last save waits for the one before it; what it began itself has ended by then.
    assert calls[: calls.index("_target") + 1][-4:] == ["save", "wait", "wait", "_target"]


def test_a_step_without_a_number_is_left_out(
    start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(not_finite="skip")
    engine = train(run, monkeypatch, poisons=order[12:13])
    assert engine.taken == order
    assert guarded(run) == [("not-finite", "skip", 13)]
    assert all(np.isfinite(array).all() for array in weights(run).values())
    assert run.metrics()[-1]["loss"] < run.metrics()[0]["loss"] - 0.5


@pytest.mark.parametrize("action", ["stop", "skip", "roll-back"])
def test_a_run_that_gives_no_number_any_more_stops(
    action: str, start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(not_finite=action, max_roll_backs=2)
    with pytest.raises(TrainingError, match="training-loss-not-finite"):
        train(run, monkeypatch, poisons=order[12:])
    times = {"stop": 0, "skip": 2, "roll-back": 2}[action]
    assert [done for _, done, _ in guarded(run)] == [action] * times + ["stop"]
    # The weights before it are as they were.
    assert max(CheckpointStore(run.checkpoints_folder).steps()) == 10


def test_a_spike_is_passed_over_with_its_data(
    start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start()
    engine = train(run, monkeypatch, spikes=order[17:19])
    assert guarded(run) == [("loss-spike", "roll-back", 19)]
    # Steps 18 and 19 were too high, so that step 15 goes on with batch 19 from 0.
    assert engine.taken[:19] == order[:19]
    assert engine.taken[19:] == _behind(order, 19, STEPS - 15, engine)
    event = next(event for event in run.events() if event.get("guard") == "loss-spike")
    assert event["to_step"] == 15
    assert event["skipped"] == [{"step": 15, "batches": 4, "from_step": 19}]
    assert run.metrics()[-1]["step"] == STEPS


def _behind(order: list[str], first: int, count: int, engine: Any) -> list[str]:
    """Return the batches of the order from one on; those behind its end as they were taken, which must be new."""
    known = order[first : first + count]
    taken = engine.taken[-count:]
    assert not set(taken[len(known) :]) & set(order)
    return [*known, *taken[len(known) :]]


def test_a_run_that_is_killed_at_any_step_passes_over_the_same(
    start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two spikes, so that it goes back twice; killed before and after each, it ends with the same weights."""
    faults = {"spikes": [*order[17:19], *order[22:24]]}
    straight, killed = start("straight"), start("killed")
    whole = train(straight, monkeypatch, **faults)
    assert guarded(straight) == [("loss-spike", "roll-back", 19), ("loss-spike", "roll-back", 20)]
    for deaths in (18, 5, 1, 2, 6, 9):
        train(killed, monkeypatch, dies_after=deaths, **faults)
    last = train(killed, monkeypatch, **faults)
    assert last.taken == whole.taken[-len(last.taken) :]
    assert_same_weights(straight, killed)
    by_step = [{record["step"]: record["loss"] for record in run.metrics()} for run in (straight, killed)]
    assert by_step[0] == by_step[1]


def test_a_checkpoint_of_the_branch_that_was_left_is_not_taken_up(
    start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill between the event of a roll-back and the removal of what was saved since."""
    faults = {"spikes": order[17:21]}
    straight, run = start("straight", loss_spike_steps=4), start("killed", loss_spike_steps=4)
    train(straight, monkeypatch, **faults)

    def killed(*_: Any) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr("headway.training.loop.drop", killed)
        train(run, monkeypatch, **faults)
    assert CheckpointStore(run.checkpoints_folder).steps()[-1] == 20
    again = train(run, monkeypatch, **faults)
    assert again.taken[:3] == order[21:24]
    assert next(event for event in run.events() if event["event"] == "resumed")["step"] == 15
    assert not [event for event in run.events() if event["event"] == "checkpoint-damaged"]
    stores = [CheckpointStore(one.checkpoints_folder) for one in (straight, run)]
    assert stores[0].steps() == stores[1].steps()
    for step in stores[0].steps():
        ours, theirs = (store.load(step).parameters for store in stores)
        assert all(np.array_equal(array, theirs[name]) for name, array in ours.items()), step


@pytest.mark.parametrize("action", ["stop", "warn"])
def test_a_spike_may_end_a_run_or_be_told_only(
    action: str, start: Callable[..., RunFolder], order: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(loss_spike=action)
    if action == "warn":
        assert train(run, monkeypatch, spikes=order[17:19]).taken == order
    else:
        with pytest.raises(TrainingError, match="training-loss-spike"):
            train(run, monkeypatch, spikes=order[17:19])
    assert guarded(run) == [("loss-spike", action, 19)]


def test_a_scale_that_falls_and_falls_stops_the_run(
    start: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(max_skipped_steps=4)
    with pytest.raises(TrainingError, match="training-scale-collapse"):
        train(run, monkeypatch, overflows=True)
    assert guarded(run) == [("scale-collapse", "stop", 5)]


def test_guards_change_nothing_where_nothing_is_wrong(
    start: Callable[..., RunFolder], healthy: tuple[RunFolder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    off = start("off", **ALL_OFF)
    train(off, monkeypatch)
    assert not guarded(healthy[0])
    assert_same_weights(off, healthy[0])


def run_two(make: Make, root: Path, shard: str, faults: Callable[[Any], list[dict[str, Any]]], **guards: Any) -> Any:
    """Train with two real worker processes, each with faults of its own; return the run and their exit codes."""
    recipe = make(
        training={"steps": 12, "precision": "fp32"},
        hardware={"devices": 2, "devices_per_node": 2, "threads": 1},
        layout={"micro_batch_size": "auto"},
        resilience={"checkpoint_every_steps": 4, "keep_last": 10, "guards": guards},
    )
    layout = {"data_parallel_degree": 2, "tensor_parallel_degree": 1, "pipeline_parallel_degree": 1}
    plan = {"layout": {**layout, "shard": shard, "micro_batch_size": 4}}
    corpus = prepare(recipe.data, vocab_size=recipe.model.vocab_size, seed=recipe.training.seed)
    stream = corpus.train_stream(recipe.training.sequence_length, recipe.training.global_batch_size)
    run = open_run(recipe, plan, root=root)
    workers = []
    for rank, own in enumerate(faults(stream)):
        place = Place(rank=rank, size=2, local_rank=rank, local_size=2).to_environment()
        environment = {**os.environ, **place, RENDEZVOUS: f"file://{root / 'meeting'}"}
        command = [sys.executable, "-m", "tests.training.faulty", str(run.path), json.dumps(own)]
        with run.log_path(rank).open("wb") as log:
            workers.append(subprocess.Popen(command, env=environment, stdout=log, stderr=log))
    return run, [worker.wait(timeout=300) for worker in workers]


def test_two_processes_go_back_together(make_small_recipe: Make, tmp_path: Path) -> None:
    """The second one alone meets the bad batch, which the gradient norm tells the first, and claims to be slow."""

    def faults(stream: Any) -> list[dict[str, Any]]:
        return [{}, {"poisons": [name_of([stream.batch(6, 4, 4)])], "slow_seconds": 1.0}]

    slow = {"straggler_every_steps": 4, "straggler_windows": 2}
    run, codes = run_two(make_small_recipe, tmp_path, "parameters", faults, **slow)
    assert codes == [0, 0], run.log_path(0).read_text()[-3000:]
    assert guarded(run) == [("not-finite", "roll-back", 7), ("straggler", "warn", 8)]
    assert next(event["rank"] for event in run.events() if event.get("guard") == "straggler") == 1
    assert run.metrics()[-1]["step"] == 12
    last, _ = CheckpointStore(run.checkpoints_folder).load_newest()
    assert last is not None
    assert last.state["data"]["skipped"] == [{"step": 6, "batches": 1, "from_step": 7}]
    metrics = [run.metrics(rank) for rank in range(2)]
    assert [record["loss"] for record in metrics[0]] == [record["loss"] for record in metrics[1]]


def test_copies_that_differ_between_processes_end_the_run(make_small_recipe: Make, tmp_path: Path) -> None:
    run, codes = run_two(
        make_small_recipe, tmp_path, "none", lambda _stream: [{}, {"flips_at": 7}], corruption_every_steps=2
    )
    assert codes == [1, 1]
    # Replays are the same in each: the bit was flipped before.
    assert guarded(run) == [("corruption", "stop", 6)]
    failed = next(event for event in run.events() if event["event"] == "failed")
    assert (failed["id"], failed["arguments"]["what"]) == ("training-corruption", "copies")
    assert max(CheckpointStore(run.checkpoints_folder).steps()) == 4


@pytest.mark.parametrize("action", ["stop", "warn"])
def test_a_step_that_is_done_twice_finds_a_bit_that_flips(
    action: str, start: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of updates 1, 2, 3, ... number 6 is the first of step 5's two."""
    run = start(corruption=action, corruption_every_steps=5)
    if action == "stop":
        with pytest.raises(TrainingError, match="training-corruption"):
            train(run, monkeypatch, flips_at=6)
    else:
        train(run, monkeypatch, flips_at=6)
    assert guarded(run) == [("corruption", action, 5)]


def test_steps_that_are_done_twice_change_nothing(
    start: Callable[..., RunFolder], healthy: tuple[RunFolder, list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = start(corruption_every_steps=3)
    assert train(run, monkeypatch).taken == healthy[1]
    assert not guarded(run)
    assert_same_weights(run, healthy[0])


@pytest.mark.parametrize("action", ["stop", "warn"])
def test_a_device_that_cannot_correct_an_error_ends_the_run(
    action: str, start: Callable[..., RunFolder], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The counters of the kernel are files of this test, and go up while it trains."""
    count = tmp_path / "sys/devices/system/edac/mc/mc0/ue_count"
    count.parent.mkdir(parents=True)
    count.write_text("3")
    reader = ProcessorReader(tmp_path)
    monkeypatch.setattr(machine_guards, "_device_readers", lambda _engine: [reader])
    monkeypatch.setattr(machine_guards, "SAMPLE_SECONDS", 0.0)
    count.write_text("4")
    run = start(device_events=action)
    if action == "stop":
        with pytest.raises(TrainingError, match="training-device-error"):
            train(run, monkeypatch)
    else:
        train(run, monkeypatch)
    assert guarded(run) == [("device-events", action, 3)]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with room for a few checkpoints."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(folder)]
    if subprocess.run(command, capture_output=True, check=False).returncode:
        pytest.skip("mounting needs root")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=True)


def test_a_run_pauses_before_its_disk_is_full(
    make_small_recipe: Make, small_disk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(machine_guards, "SAMPLE_SECONDS", 0.0)
    run = _open(make_small_recipe, small_disk, "run")
    whole = json.dumps({"storage": {"checkpoint_bytes": 1_800_000}})
    (run.path / "plan.json").write_text(whole)
    # Another program fills the disk, but for less than a checkpoint.
    free = shutil.disk_usage(small_disk).free
    (small_disk / "other").write_bytes(bytes(free - 1_000_000))
    train(run, monkeypatch)
    assert guarded(run)[0][:2] == ("disk", "warn")
    assert guarded(run)[-1][:2] == ("disk", "pause")
    assert not CheckpointStore(run.checkpoints_folder).steps(), "nothing was written that does not fit"
    (small_disk / "other").unlink()
    train(run, monkeypatch)
    assert run.metrics()[-1]["step"] == STEPS


def test_a_run_that_leaks_saves_and_pauses(start: Callable[..., RunFolder], monkeypatch: pytest.MonkeyPatch) -> None:
    """A real leak in this process; that nothing is left is a mock, since a test cannot take all of the memory."""
    monkeypatch.setattr(machine_guards, "SAMPLE_SECONDS", 0.0)
    monkeypatch.setattr(machine_guards, "read_memory", lambda _limits: Memory(usable_bytes=1))
    held: list[mmap.mmap] = []
    real, began = machine_guards.anonymous_bytes, time.monotonic()

    def leak() -> int | None:
        # So much a second and not so much a step: on a busy machine some steps are many times as long as others.
        # From the system itself: what tests before this one let go of is still this process's, and is used first.
        due = int(50e6 * (time.monotonic() - began)) - sum(map(len, held))
        held.append(mmap.mmap(-1, due, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS))
        held[-1].write(b"x" * due)
        return real()

    monkeypatch.setattr(machine_guards, "anonymous_bytes", leak)
    run = start()
    train(run, monkeypatch)
    ((guard, action, _),) = guarded(run)
    assert (guard, action) == ("memory-creep", "pause")
    event = next(event for event in run.events() if event.get("guard") == guard)
    assert event["bytes_per_second"] > 0
    assert max(CheckpointStore(run.checkpoints_folder).steps()) == event["step"]
