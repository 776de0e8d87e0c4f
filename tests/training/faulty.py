"""An engine that trains for real, but for faults at chosen batches: a mock of hardware and data that go wrong."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import torch

from headway.resilience.checkpoint import Snapshot
from headway.runs import EventLog, RunFolder
from headway.training import worker
from headway.training.data import Batch
from headway.training.engines import Engine, EngineSettings, build_engine
from headway.training.engines.base import Share, StepResult
from headway.training.place import place_of
from headway.training.reporting import Reporting


class Killed(BaseException):
    """Ends a training as a kill would: nothing is saved."""


class FaultyEngine(Engine):
    """Passes everything on to a real engine, and makes faults.

    Args:
        engine: the real one.
        spikes: batches whose loss is reported far too high.
        poisons: batches in whose step a weight is no number; it is as before after it.
        dies_after: steps that are done before it ends as if killed.
        overflows: whether each step is reported as one of fp16 that overflowed.
        flips_at: the update, from 1, that leaves a weight with a bit that is wrong.
        slow_seconds: that are added to what a process beside the first says that its work takes.
    """

    def __init__(
        self,
        engine: Engine,
        *,
        spikes: Sequence[str] = (),
        poisons: Sequence[str] = (),
        dies_after: int | None = None,
        overflows: bool = False,
        flips_at: int | None = None,
        slow_seconds: float = 0.0,
    ) -> None:
        self.engine: Any = engine
        self._spikes, self._poisons = spikes, poisons
        self._dies_after = dies_after
        self._overflows = overflows
        self._slow_seconds = slow_seconds
        if flips_at is not None:
            self._flip_after(flips_at)
        self.taken: list[str] = []

    def _flip_after(self, update: int) -> None:
        updates, done = self.engine._updates, [0]
        apply = updates.apply

        def flip(rate: float) -> None:
            apply(rate)
            done[0] += 1
            if done[0] == update:
                weight = next(iter(self.engine._parameters.values())).detach()
                weight.view(torch.int32).view(-1)[7] ^= 1

        updates.__class__ = type("Flipping", (updates.__class__,), {"apply": lambda _self, rate: flip(rate)})

    @property
    def settings(self) -> EngineSettings:
        return self.engine.settings

    def step(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepResult:
        if len(self.taken) == self._dies_after:
            raise Killed
        name = name_of(micro_batches)
        self.taken.append(name)
        weight = next(iter(self.engine._parameters.values()))
        before = weight.detach().clone()
        with torch.no_grad():
            if name in self._poisons:
                weight.fill_(float("nan"))
        result = self.engine.step(micro_batches, learning_rate)
        with torch.no_grad():
            if name in self._poisons:
                weight.copy_(before)
        if name in self._spikes:
            result = replace(result, loss=result.loss + 20)
        return replace(result, is_skipped=True, loss_scale=2.0) if self._overflows else result

    @property
    def share(self) -> Share:
        return self.engine.share

    @property
    def is_first(self) -> bool:
        return self.engine.is_first

    def any(self, flags: Sequence[bool]) -> list[bool]:
        return self.engine.any(flags)

    def replay(self, micro_batches: Sequence[Batch], learning_rate: float) -> tuple[StepResult, bool | None]:
        self.taken.append(name_of(micro_batches))
        return self.engine.replay(micro_batches, learning_rate)

    def replica_digest(self) -> int | None:
        return self.engine.replica_digest()

    def gather(self, value: float) -> list[float]:
        return self.engine.gather(value)

    def probe_seconds(self) -> float | None:
        seconds = self.engine.probe_seconds()
        return seconds if seconds is None or self.is_first else seconds + self._slow_seconds

    def evaluate(self, batches: Sequence[Batch]) -> float:
        return self.engine.evaluate(batches)

    def snapshot(self) -> Snapshot:
        return self.engine.snapshot()

    def save(self, write: Callable[[Snapshot], Path]) -> Path | None:
        return self.engine.save(write)

    def load(self, snapshot: Snapshot) -> None:
        self.engine.load(snapshot)

    def load_weights(self, parameters: Any) -> None:
        self.engine.load_weights(parameters)

    def peak_memory_bytes(self) -> int:
        return self.engine.peak_memory_bytes()

    def close(self) -> None:
        self.engine.close()


def name_of(batches: Sequence[Batch]) -> str:
    """Return what tells the samples of a step from others."""
    return hashlib.sha256(b"".join(batch.tokens.tobytes() for batch in batches)).hexdigest()[:12]


def train(run: RunFolder, monkeypatch: pytest.MonkeyPatch, **faults: Any) -> FaultyEngine:
    """Train a run in this process as a worker does, with faults; return the engine, which knows what it took."""
    made: list[FaultyEngine] = []

    def build(*arguments: Any, **more: Any) -> Engine:
        made.append(FaultyEngine(build_engine(*arguments, **more), **faults))
        return made[0]

    monkeypatch.setattr(worker, "build_engine", build)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT)}
    try:
        place = place_of(os.environ)
        with EventLog(run.events_path) as events, Reporting(run, place.rank) as reporting:
            worker._train(run, events, place, reporting)
    except Killed:
        pass
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
    return made[0]


def main(arguments: Sequence[str]) -> int:
    """Train the run of the first argument as a worker process does, with the faults that the second one names."""
    faults = json.loads(arguments[1])
    worker.build_engine = lambda *given, **more: FaultyEngine(build_engine(*given, **more), **faults)
    return worker.main([arguments[0]])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
