"""Faults that a worker does to itself when a drill orders them (``HEADWAY_REHEARSAL``); without that, nothing is here.

See `headway.resilience.drills.seam` for the order.
"""

from __future__ import annotations

import os
import resource
import socket
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.resilience.drills.seam import EVENT, Order, go_mark, reached_mark
from headway.runs import EventLog, RunFolder
from headway.runs.heartbeat import Doing, Pulse
from headway.training.engines import Engine

GATE_SECONDS = 120.0
"""How long a worker waits at its gate for whoever wanted to do something to it."""

SPIKE_FACTOR = 12.0
"""By which weights grow for a spike: the loss is then far above anything that was seen."""

SLOW_STEPS = 6
"""For which a rank is slow."""

SLOW_FACTOR = 20.0
"""By which its work takes longer: no busy machine makes the others look so."""

_POLL_SECONDS = 0.01
_SPARE_BYTES = 64 * 2**20
_held: list[bytearray] = []
"""What exhausts the memory."""


def rehearsed(pulse: Pulse, run: RunFolder, rank: int, engine: Engine) -> Pulse:
    """Return the pulse of a loop, which does what was ordered when its step comes; the same one without an order.

    Raises:
        TrainingError: the order cannot be read.
    """
    order = Order.of(os.environ)
    if order is None or order.rank != rank:
        return pulse
    return RehearsedPulse(pulse, run, order, engine)


@final
class RehearsedPulse(Pulse):
    """Does once what was ordered, just before a step.

    Args:
        pulse: that is told everything.
        run: the run's folder.
        order: what, and before which step.
        engine: of this process.
    """

    def __init__(self, pulse: Pulse, run: RunFolder, order: Order, engine: Engine) -> None:
        self._pulse, self._run, self._order, self._engine = pulse, run, order, engine

    def beat(self, doing: Doing, step: int) -> None:
        """Pass it on; see `Pulse.beat`."""
        self._pulse.beat(doing, step)
        if doing == "step" and step == self._order.step:
            self._act()
        if step >= self._order.step + SLOW_STEPS:
            for name in _WORK:
                vars(self._engine).pop(name, None)

    def _act(self) -> None:
        try:
            reached_mark(self._run.path).touch(exist_ok=False)
        except FileExistsError:
            return
        with EventLog(self._run.events_path) as events:
            events.record(EVENT, deed=self._order.deed, step=self._order.step, rank=self._order.rank)
        _DEEDS[self._order.deed](self)

    def _wait(self) -> None:
        deadline = time.monotonic() + GATE_SECONDS
        while not go_mark(self._run.path).exists() and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _put_nan(self) -> None:
        self._engine.damage(_once(lambda numbers: np.put(numbers, 0, np.nan)))

    def _grow(self) -> None:
        self._engine.damage(lambda numbers: np.multiply(numbers, SPIKE_FACTOR, out=numbers))

    def _flip_sign(self) -> None:
        self._engine.damage(_once(lambda numbers: np.put(numbers, 0, -numbers.flat[0])))

    def _slow_rank(self) -> None:
        for name in _WORK:
            vars(self._engine)[name] = _slowed(getattr(self._engine, name))

    def _cut(self) -> None:
        for entry in Path("/proc/self/fd").iterdir():
            with suppress(OSError):
                _shut_down(int(entry.name))

    def _exhaust(self) -> None:
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        limit = pages * resource.getpagesize() + _SPARE_BYTES
        resource.setrlimit(resource.RLIMIT_AS, (limit, resource.getrlimit(resource.RLIMIT_AS)[1]))
        while True:
            _held.append(bytearray(_SPARE_BYTES))

    def _limit_files(self) -> None:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._order.amount, hard))

    def _slow_down(self) -> None:
        flush, seconds = os.fsync, self._order.amount / 1000

        def slow(descriptor: int) -> None:
            time.sleep(seconds)
            flush(descriptor)

        os.fsync = slow  # type: ignore[assignment]

    def _set_clock(self) -> None:
        clock, seconds = time.time, self._order.amount
        time.time = lambda: clock() + seconds


_DEEDS: dict[str, Callable[[RehearsedPulse], None]] = {
    "gate": RehearsedPulse._wait,
    "nan": RehearsedPulse._put_nan,
    "spike": RehearsedPulse._grow,
    "flip": RehearsedPulse._flip_sign,
    "slow": RehearsedPulse._slow_rank,
    "cut": RehearsedPulse._cut,
    "memory": RehearsedPulse._exhaust,
    "quota": RehearsedPulse._limit_files,
    "slow-disk": RehearsedPulse._slow_down,
    "clock": RehearsedPulse._set_clock,
}


def _once(change: Callable[[NDArray[Any]], None]) -> Callable[[NDArray[Any]], None]:
    """Return what changes the first numbers that it is given, and no further ones."""
    done: list[bool] = []

    def act(numbers: NDArray[Any]) -> None:
        if numbers.size and not done:
            done.append(True)
            change(numbers)

    return act


_WORK = ("step_unless", "probe_seconds")
"""What an engine does that a slower device would do more slowly: steps, and the piece of work that ranks compare."""


def _slowed(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return what does the same as on a device that is slower; seconds that it returns are longer too."""

    def slow(*arguments: Any) -> Any:
        began = time.perf_counter()
        result = work(*arguments)
        time.sleep((SLOW_FACTOR - 1) * (time.perf_counter() - began))
        return SLOW_FACTOR * result if isinstance(result, float) else result

    return slow


def _shut_down(descriptor: int) -> None:
    """Break off the connection behind a descriptor, where it is one to another process over the network."""
    with socket.socket(fileno=os.dup(descriptor)) as connection:
        if connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.shutdown(socket.SHUT_RDWR)
