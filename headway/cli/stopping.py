"""Signals by which schedulers, and people, ask a program to end what it does in good order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

INTERRUPTED = 130
"""Exit code after Ctrl-C: 128 + SIGINT, as shells have it."""

_SIGNALLED = 128
"""To which a shell adds the number of the signal that ended a program."""


class SignalledError(KeyboardInterrupt):
    """A signal by which schedulers ask a program to save and end: the same as Ctrl-C at a terminal.

    Args:
        number: of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__()


def exit_code(error: BaseException) -> int:
    """Return the exit code of a program that was interrupted."""
    return _SIGNALLED + error.number if isinstance(error, SignalledError) else INTERRUPTED


@contextmanager
def stopping_on(*numbers: signal.Signals) -> Iterator[None]:
    """Raise `KeyboardInterrupt` at the first of some signals while the context lasts; further ones are ignored."""

    def stop(number: int, _frame: object) -> None:
        for one in numbers:
            signal.signal(one, signal.SIG_IGN)
        raise SignalledError(number)

    before = {number: signal.signal(number, stop) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
