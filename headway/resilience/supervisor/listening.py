"""The signals that a supervisor of its own process takes down in place of ending."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2)
"""What Slurm and others announce the end of the time with; the job knows what it means."""


@dataclass
class Signals:
    """What the supervisor was told while it worked."""

    stop: int | None = None
    stops: int = 0
    passed_on: list[int] = field(default_factory=list)


@contextmanager
def listening() -> Iterator[Signals]:
    """Take down what the supervisor is told, in place of ending."""
    signals = Signals()

    def stop(number: int, _frame: object) -> None:
        signals.stop = signals.stop or number
        signals.stops += 1

    def pass_on(number: int, _frame: object) -> None:
        signals.passed_on.append(number)

    before = {number: signal.signal(number, stop) for number in STOPPING}
    before |= {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
