"""When a checkpoint is due, and who writes it: at once, or in the background while steps go on."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, final

from headway.errors import CheckpointError
from headway.recipe import Recipe, to_hf_config
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint.divided import DividedWrite
from headway.resilience.checkpoint.division import Part
from headway.resilience.checkpoint.retention import SAVED_AT
from headway.resilience.checkpoint.writing import BackgroundWriter, Written, write, written_at
from headway.runs import EventLog, RunFolder
from headway.training.engines import Engine
from headway.training.intervals import AdaptedInterval
from headway.training.place import Place
from headway.training.second_copy import COPY_SECONDS, SecondCopy

_TURN_SECONDS = 0.5
"""Between two looks at whether all processes have written."""


@final
class Saver:
    """Saves a training; all processes must ask it the same things at the same steps.

    Args:
        recipe: the resolved recipe.
        run: the run's folder.
        engine: holds what is saved.
        events: the run's event log.
        place: of this process.
        first_step: optimizer steps that are done already.
    """

    def __init__(
        self, *, recipe: Recipe, run: RunFolder, engine: Engine, events: EventLog, place: Place, first_step: int
    ) -> None:
        self._recipe, self._engine, self._events, self._place = recipe, engine, events, place
        self.store = CheckpointStore(run.checkpoints_folder, recipe.resilience.keep_last, recipe.resilience.keep_every)
        self._interval = AdaptedInterval(recipe, run, lambda change: events.record("checkpoint-interval", **change))
        self._copies = SecondCopy(recipe, run, events)
        self._background = BackgroundWriter(self.store, self._record)
        self._protected: frozenset[int] = frozenset()
        self.saved_step = first_step if self.store.steps() else -1
        self.on_saved: Callable[[int, float], None] = lambda _size_bytes, _seconds: None
        """Told of each checkpoint: bytes, and seconds until it was safe; from another thread, where that writes."""

    def protect(self, step: int) -> None:
        """Keep the checkpoint of a step, whatever else goes; only the last one named is kept."""
        self._protected = frozenset({step})

    def is_due(self, step: int, elapsed_seconds: float) -> bool:
        """Say whether a checkpoint is due.

        Args:
            step: steps done.
            elapsed_seconds: since the last one.
        """
        every = self._recipe.resilience.checkpoint_every_steps
        if every is not None:
            return step % every == 0
        # Clocks differ between processes; the first one's counts.
        return self._engine.any([self._engine.is_first and elapsed_seconds >= self._interval.seconds])[0]

    def save(self, state: Mapping[str, Any]) -> None:
        """Save the present step; the first process writes, and all give it their parts.

        Args:
            state: of the training, beside the engine's.

        Raises:
            CheckpointError: it cannot be written, or the one before could not be.
        """
        started = time.monotonic()
        self.wait()
        state = {**state, SAVED_AT: time.time()}
        files = {"config.json": (json.dumps(to_hf_config(self._recipe.model), indent=1) + "\n").encode()}
        part = self._engine.part(self._background.copy.keep)
        if part is None:
            self._engine.save(
                lambda taken: self._write(replace(taken, state={**taken.state, **state}, files=files), started)
            )
        else:
            self._write_divided(part, {**part.state, **state}, files, started)
        self.saved_step = int(state["step"])

    def raise_failure(self) -> None:
        """Raise what kept a checkpoint from being written in the background, if it is known already.

        Raises:
            CheckpointError: the disk is full, or the folder cannot be written.
        """
        self._background.raise_failure()

    def wait(self) -> None:
        """Return when everything is safe, in all processes; all must ask.

        They look together, and often: whoever waited for the others in one go would be given up by the network after
        ten minutes, which a large part on a slow disk may take.

        Raises:
            CheckpointError: see `save`.
        """
        while self._engine.any([self._background.is_busy_after(_TURN_SECONDS)])[0]:
            continue
        self._background.wait()

    def close(self, *, hurries: bool = False) -> None:
        """Wait for what is being written or copied, whatever becomes of it.

        Args:
            hurries: whether the run was told to stop: a copy then has half of the grace time.
        """
        with suppress(CheckpointError):
            self._background.wait()
        self._copies.close(self._recipe.resilience.grace_time / 2 if hurries else COPY_SECONDS)

    def _write(self, snapshot: Snapshot, started: float) -> Path:
        if self._recipe.resilience.asynchronous_checkpoints:
            return self._background.start(snapshot, self._protected | self._copies.steps, started)
        self.store.protected = self._protected | self._copies.steps
        written = write(self.store, snapshot, started)
        self._record(written)
        return written.path

    def _write_divided(self, part: Part, state: Mapping[str, Any], files: Mapping[str, bytes], started: float) -> None:
        """Let each process write its part, and the first one, which waits for all parts, make a checkpoint of them."""
        self.store.protected = self._protected | self._copies.steps
        write = DividedWrite(
            store=self.store,
            part=part,
            snapshot=Snapshot(parameters={}, optimizer={}, state=state, files=files),
            rank=self._place.rank,
            size=self._place.size,
        )
        failure = None
        try:
            is_there = self._engine.is_first and not write.begin()
        except CheckpointError as error:
            is_there, failure = True, error
        # Nobody writes before the first process has made the folder, or where it has not.
        if self._engine.any([is_there])[0]:
            if failure is not None:
                raise failure
            return
        is_asynchronous = self._recipe.resilience.asynchronous_checkpoints
        stall_seconds = time.monotonic() - started if is_asynchronous else None

        def work() -> None:
            path = write.run()
            if path is not None:
                written = written_at(path, int(state["step"]), started)
                self._record(replace(written, stall_seconds=stall_seconds or written.seconds))

        self._background.run(work)
        if not is_asynchronous:
            self.wait()
            # Of a size that plans do not count: it was there while nothing else was needed.
            self._background.copy.drop()

    def _record(self, written: Written) -> None:
        self._events.record(
            "checkpoint-saved",
            step=written.step,
            bytes=written.size_bytes,
            seconds=written.seconds,
            stall_seconds=written.stall_seconds,
        )
        self.on_saved(written.size_bytes, written.seconds)
        self._copies.offer(written.step, written.path)
        self._interval.adapt(written.stall_seconds, written.seconds)
