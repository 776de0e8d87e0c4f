"""Checkpoints that are written while the work goes on."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint.writing import BackgroundWriter, HostCopy, Written
from tests.resilience.checkpoint.snapshots import require_equal, snapshot_of


class Gate:
    """Holds the writer back until it is opened."""

    def __init__(self) -> None:
        self.opened = threading.Event()
        self.written: list[Written] = []

    def __call__(self, written: Written) -> None:
        self.opened.wait(60)
        self.written.append(written)


def test_what_is_written_is_what_was_there(store: CheckpointStore) -> None:
    gate = Gate()
    writer = BackgroundWriter(store, gate)
    for step in (1, 2):
        writer.wait()
        snapshot = snapshot_of(step)
        writer.start(snapshot, frozenset(), started=0.0)
        for array in snapshot.parameters.values():
            array[:] = -1
        gate.opened.set()
    writer.wait()
    assert [written.step for written in gate.written] == [1, 2]
    assert all(0 < written.stall_seconds <= written.seconds for written in gate.written)
    for step in (1, 2):
        require_equal(store.load(step), step)


def test_a_failure_is_told_once(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    writer = BackgroundWriter(CheckpointStore(tmp_path / "file" / "checkpoints"), lambda _: None)
    writer.start(snapshot_of(1), frozenset(), started=0.0)
    with pytest.raises(CheckpointError) as failed:
        writer.wait()
    assert failed.value.message_id == "checkpoint-unwritable"
    writer.wait()


def test_the_best_one_stays_until_the_better_one_is_safe(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "checkpoints", keep_last=1)
    store.save(snapshot_of(1))
    writer = BackgroundWriter(store, lambda _: None)
    writer.start(snapshot_of(2), frozenset({1}), started=0.0)
    writer.wait()
    writer.start(snapshot_of(3), frozenset({3}), started=0.0)
    writer.wait()
    assert store.steps() == [3]


def test_the_memory_of_a_copy_is_taken_again() -> None:
    copy = HostCopy()
    first = copy.take(snapshot_of(1))
    second = copy.take(snapshot_of(2))
    name = "model.norm.weight"
    assert np.shares_memory(first.parameters[name], second.parameters[name])
    other = copy.take(Snapshot(parameters={name: np.zeros(3, np.float32)}, optimizer={}))
    assert other.parameters[name].shape == (3,)
