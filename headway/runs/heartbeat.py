"""What a process of a training is doing, in a small file that it writes over at every turn.

A supervisor on the same file system sees from it which process stands still, and at what. Nothing is flushed to the
disk: whoever reads it reads it while the process is there, or learns what it did last.
"""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, final

import msgspec

from headway.errors import RunError

Doing = Literal["start", "prepare", "build", "data", "step", "evaluate", "checkpoint", "end"]

LARGEST_BYTES = 512
"""Of one heartbeat: it is padded to this, so that a shorter one leaves no rest of a longer one behind."""


@dataclass(frozen=True)
class Beat:
    """What a process said last.

    Attributes:
        pid: its number on its host.
        host: the name of its machine.
        doing: what it is about to do.
        step: optimizer steps that are done.
        count: of beats; it grows while the process gets on.
    """

    pid: int
    host: str
    doing: Doing
    step: int
    count: int


class Pulse:
    """Tells nobody what a process is doing: for a loop that runs without a supervisor."""

    def beat(self, doing: Doing, step: int) -> None:
        """Say what is done next.

        Args:
            doing: what.
            step: optimizer steps that are done.
        """


SILENT = Pulse()


@final
class Heartbeat(Pulse):
    """Writes what this process is doing: one small write each time.

    Args:
        path: the file.

    Raises:
        RunError: it cannot be written.
    """

    def __init__(self, path: Path) -> None:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
        except OSError as error:
            raise RunError("run-unwritable", path=str(path), reason=error.strerror or str(error)) from error
        self._host = this_host()
        self._count = 0

    def beat(self, doing: Doing, step: int) -> None:
        """Say what is done next; a disk that does not take it keeps nobody from working."""
        self._count += 1
        line = msgspec.json.encode(Beat(os.getpid(), self._host, doing, step, self._count))
        try:
            os.pwrite(self._descriptor, line.ljust(LARGEST_BYTES), 0)
        except OSError:
            return

    def close(self) -> None:
        """Let go of the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def this_host() -> str:
    """Return the name of this machine, as heartbeats have it."""
    return socket.gethostname()[:64]


_DECODER: Final = msgspec.json.Decoder(Beat)


def read_beat(path: Path) -> Beat | None:
    """Return what a process said last; None where it has said nothing, or is just writing."""
    try:
        return _DECODER.decode(path.read_bytes())
    except (OSError, msgspec.MsgspecError):
        return None
