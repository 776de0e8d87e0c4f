"""A job as one thing: a command and all that it starts, ended together."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import psutil

from headway.resilience.launchers import reaper
from headway.resilience.launchers.local import start_process
from headway.resilience.launchers.reaping import Reaper

ORPHAN_GRACE_SECONDS = 5.0
"""How long a job may take to end by itself when its supervisor is gone, before it is killed."""


class Job:
    """A running command in a process group of its own, its output in a file.

    A reaper ends the group where the supervisor dies, by SIGKILL too.

    Args:
        command: program and arguments.
        log: standard output and error are appended to this file, which the job writes by itself.
        environment: variables beside those of this process.

    Raises:
        RunError: the log cannot be written.
        TrainingError: the program cannot be started.
    """

    def __init__(self, command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None) -> None:
        # A file would be written in blocks: steps must be seen as they are done.
        variables = {"PYTHONUNBUFFERED": "1", **os.environ, **(environment or {})}
        self._process = start_process(command, log, variables)
        self.pid = self._process.pid
        self._seen: dict[int, float] = {}
        self._reaper = Reaper([self.pid], ORPHAN_GRACE_SECONDS, signal.SIGTERM)

    def poll(self) -> int | None:
        """Return the exit status of the command, negative for a signal; None while it runs."""
        return self._process.poll()

    def note_children(self) -> None:
        """Remember the processes that the job has started, for those that leave its group."""
        with suppress(psutil.Error):
            for child in psutil.Process(self.pid).children(recursive=True):
                with suppress(psutil.Error):
                    self._seen[child.pid] = child.create_time()

    def tell(self, number: int) -> None:
        """Send a signal to the whole group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.pid, number)

    def end(
        self, grace_seconds: float, with_signal: int = signal.SIGTERM, is_over: Callable[[], bool] = lambda: False
    ) -> int:
        """End the job and all that it started; return the exit status of the command.

        Args:
            grace_seconds: how long it may take to end by itself, before it is killed.
            with_signal: what it is told with.
            is_over: asked again and again meanwhile; the grace ends where it says so.
        """
        self.note_children()
        self.tell(with_signal)
        deadline = time.monotonic() + grace_seconds
        while time.monotonic() < deadline and (self.poll() is None or reaper.is_alive(self.pid)) and not is_over():
            time.sleep(reaper.POLL_SECONDS)
        self._kill_rest()
        return self._process.wait()

    def close(self) -> None:
        """End what a finished command left behind, and the reaper."""
        self._kill_rest()
        self._reaper.dismiss()

    def _kill_rest(self) -> None:
        self.tell(signal.SIGKILL)
        for pid, created in self._seen.items():
            with suppress(psutil.Error):
                left = psutil.Process(pid)
                if left.create_time() == created:
                    left.kill()
