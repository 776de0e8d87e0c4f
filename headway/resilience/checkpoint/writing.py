"""Writing checkpoints while the work goes on: a copy in the host's memory, and one thread that writes it.

The work stands still for the copy only, and for the write before where that has not ended: one is in flight at most.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.resilience.checkpoint.snapshot import Snapshot
from headway.resilience.checkpoint.store import CheckpointStore


@dataclass(frozen=True, kw_only=True)
class Written:
    """A checkpoint that is safe.

    Attributes:
        path: of its folder.
        step: that it holds.
        size_bytes: of all its files.
        seconds: from the beginning of the save until it was safe.
        stall_seconds: for which the work stood still.
    """

    path: Path
    step: int
    size_bytes: int
    seconds: float
    stall_seconds: float


@final
class HostCopy:
    """Arrays in memory of their own, which the next copy takes again: touching new pages costs as much as copying."""

    def __init__(self) -> None:
        self._held: dict[str, NDArray[Any]] = {}

    def take(self, snapshot: Snapshot) -> Snapshot:
        """Return a snapshot that shares nothing with the engine; the one before is overwritten."""
        parameters, optimizer = (
            {name: self.keep(name, arrays[name]) for name in arrays}
            for arrays in (snapshot.parameters, snapshot.optimizer)
        )
        return replace(snapshot, parameters=parameters, optimizer=optimizer)

    def drop(self) -> None:
        """Let go of the memory."""
        self._held = {}

    def keep(self, name: str, array: NDArray[Any]) -> NDArray[Any]:
        """Return a copy of one array; that of the same name before is overwritten."""
        held = self._held.get(name)
        if held is None or held.shape != array.shape or held.dtype != array.dtype:
            held = self._held[name] = np.empty(array.shape, array.dtype)
        np.copyto(held, array)
        return held


@final
class BackgroundWriter:
    """Writes one checkpoint at a time in a thread.

    Args:
        store: takes them.
        on_written: told of each, in that thread.
    """

    def __init__(self, store: CheckpointStore, on_written: Callable[[Written], None]) -> None:
        self._store, self._on_written = store, on_written
        self.copy = HostCopy()
        self._thread: threading.Thread | None = None
        self._failure: BaseException | None = None

    def start(self, snapshot: Snapshot, protected: frozenset[int], started: float) -> Path:
        """Copy a snapshot and begin to write it; the write before must have ended (`wait`).

        Args:
            snapshot: its arrays are read once, in their order.
            protected: steps that stay beside what the store keeps.
            started: when the work stopped for it, of the monotonic clock.
        """
        taken = self.copy.take(snapshot)
        stall_seconds = time.monotonic() - started
        # What is best may change while this one is written: then the best one before must outlive this write.
        self._store.protected = protected
        self.run(lambda: self._write(taken, started, stall_seconds))
        return self._store.path_of(snapshot.step)

    def run(self, work: Callable[[], None]) -> None:
        """Begin some work, whose error `wait` raises; the work before must have ended."""
        assert self._thread is None, "one write at a time"
        self._thread = threading.Thread(target=self._run, args=(work,), name="checkpoint-writer")
        self._thread.start()

    def wait(self) -> None:
        """Return when nothing is being written.

        Raises:
            CheckpointError: the write failed; see `CheckpointStore.save`. It is raised once.
        """
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        self.raise_failure()

    def is_busy_after(self, seconds: float) -> bool:
        """Return whether something is still being written after so long, or as soon as nothing is."""
        if self._thread is None:
            return False
        self._thread.join(seconds)
        return self._thread.is_alive()

    def raise_failure(self) -> None:
        """Raise what kept the last checkpoint from being written, if it is known already; see `wait`."""
        failure, self._failure = self._failure, None
        if failure is not None:
            raise failure

    def _write(self, snapshot: Snapshot, started: float, stall_seconds: float) -> None:
        self._on_written(replace(write(self._store, snapshot, started), stall_seconds=stall_seconds))

    def _run(self, work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:  # it is raised where the training can end for it
            self._failure = error


def write(store: CheckpointStore, snapshot: Snapshot, started: float) -> Written:
    """Write a checkpoint, here and now.

    Args:
        store: takes it.
        snapshot: what to write.
        started: when the work stopped for it, of the monotonic clock.

    Raises:
        CheckpointError: see `CheckpointStore.save`.
    """
    return written_at(store.save(snapshot), snapshot.step, started)


def written_at(path: Path, step: int, started: float) -> Written:
    """Return what is told of a checkpoint that has just become safe; the work stood still until now."""
    size_bytes = sum(file.stat().st_size for file in path.iterdir())
    seconds = time.monotonic() - started
    return Written(path=path, step=step, size_bytes=size_bytes, seconds=seconds, stall_seconds=seconds)
