"""One run of a drill: the command that trains it in real processes, and what it left behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self, final

import psutil

from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.drills.seam import EVENT, REHEARSAL, Order, go_mark
from headway.runs import RunFolder
from headway.runs.heartbeat import read_beat
from headway.runs.logs import read_lines

OVERDUE_SECONDS = 900.0
"""For one start of a drill's run to end; one that takes longer has failed, and is ended."""

GRACE_SECONDS = 30.0
"""For what is ended to end by itself, before it is killed."""

ORPHAN_SECONDS = 30.0
"""For the last processes of a command to end after it; what is there then was left behind."""

_POLL_SECONDS = 0.02


class OverdueError(Exception):
    """A run did not get where it should in any reasonable time."""


@final
class Stage:
    """A run that is trained by ``headway train``, as a user would.

    Args:
        recipe: the file of the recipe.
        root: the folder of the runs.
        name: of the run.
        order: what its workers are asked for; nothing where None.
        processes: how many workers there are.
    """

    def __init__(self, recipe: Path, root: Path, name: str, order: Order | None = None, processes: int = 1) -> None:
        self._recipe, self.root, self._order = recipe, root, order
        self.run = RunFolder(root / name)
        self.processes = processes
        self._command: subprocess.Popen[bytes] | None = None
        self.seen: set[int] = set()
        """Processes of the command that were seen, workers included."""
        self.orphans: set[int] = set()
        """Those of them that outlived it."""

    @property
    def store(self) -> CheckpointStore:
        """The run's checkpoints."""
        return CheckpointStore(self.run.checkpoints_folder)

    @property
    def log(self) -> Path:
        """What the command says."""
        return self.root / f"{self.run.name}.log"

    @property
    def supervisor(self) -> int:
        """The process that keeps the workers alive."""
        assert self._command is not None
        return self._command.pid

    def workers(self) -> list[int]:
        """Return the processes that train, by rank."""
        beats = [read_beat(self.run.heartbeat_path(rank)) for rank in range(self.processes)]
        return [beat.pid for beat in beats if beat is not None]

    def start(self, *, resume: bool = False) -> None:
        """Start the command."""
        command = [sys.executable, "-m", "headway", "train", str(self._recipe), "--runs", str(self.root)]
        command += ["--name", self.run.name, *(["--resume"] if resume else [])]
        environment = {name: value for name, value in os.environ.items() if name != REHEARSAL}
        if self._order is not None:
            environment[REHEARSAL] = self._order.to_text()
        with self.log.open("ab") as log:
            self._command = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=environment,
                start_new_session=True,
            )

    def has_ended(self) -> bool:
        """Say whether the command has ended."""
        return self._command is None or self._command.poll() is not None

    def wait_for_fault(self) -> float | None:
        """Wait until a worker does what it was asked for; return when, or None where the command ended before."""
        self._wait(lambda: self.has_ended() or self._ordered() is not None)
        event = self._ordered()
        if event is None:
            return None
        self.seen.update([*self._family(), *self.workers()])
        return float(event["time"])

    def open_gate(self) -> None:
        """Let a worker that waits at its gate go on."""
        with suppress(OSError):
            go_mark(self.run.path).touch()

    def wait_for_end(self) -> None:
        """Wait until the command has ended, and for its processes to do so; those that do not are orphans."""
        self._wait(self.has_ended)
        with suppress(OverdueError):
            self._wait(lambda: not any(map(is_alive, self.seen)), ORPHAN_SECONDS)
        self.orphans |= {pid for pid in self.seen if is_alive(pid)}

    def is_finished(self) -> bool:
        """Say whether the training has come to its end."""
        return self.run.events_path.exists() and self.run.status() == "finished"

    def records(self) -> list[dict[str, Any]]:
        """Return every step of the first process in the order in which they were done, repeated ones too."""
        return read_lines(self.run.metrics_path())

    def _ordered(self) -> dict[str, Any] | None:
        if not self.run.events_path.exists():
            return None
        return next((event for event in self.run.events() if event.get("event") == EVENT), None)

    def _family(self) -> list[int]:
        with suppress(psutil.Error):
            return [child.pid for child in psutil.Process(self.supervisor).children(recursive=True)]
        return []

    def _wait(self, condition: Callable[[], bool], seconds: float = OVERDUE_SECONDS) -> None:
        deadline = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > deadline:
                raise OverdueError
            time.sleep(_POLL_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Leave no process behind."""
        self.open_gate()
        for pid in self.orphans:
            kill(pid)
        if self._command is None or self._command.poll() is not None:
            return
        self._command.send_signal(signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            self._command.wait(GRACE_SECONDS)
            return
        self._command.kill()
        self._command.wait()


def is_alive(pid: int) -> bool:
    """Say whether a process is there and not only waiting to be buried."""
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.Error:
        return False


def kill(pid: int) -> None:
    """Kill a process as the kernel does when memory runs out; one that is gone is none the worse."""
    with suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
