"""What a worker shows to the supervisor: its log, its heartbeat, and its stacks when it is asked for them."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from types import TracebackType
from typing import Self, final

from headway.errors import RunError
from headway.runs import RunFolder
from headway.runs.heartbeat import Heartbeat

OWN_LOG = "HEADWAY_OWN_LOG"
"""Environment variable: set where a worker is to put its output into its log itself."""

STACKS_SIGNAL = signal.SIGUSR2


@final
class Reporting:
    """Lets a worker be watched while it lasts.

    Args:
        run: its run.
        rank: its number.

    Raises:
        RunError: the run's folder cannot be written.
    """

    def __init__(self, run: RunFolder, rank: int) -> None:
        if os.environ.get(OWN_LOG):
            _redirect(run, rank)
        self.pulse = Heartbeat(run.heartbeat_path(rank))
        self.pulse.beat("start", 0)
        self._tells_stacks = threading.current_thread() is threading.main_thread()
        if self._tells_stacks:
            # It runs in the signal handler itself, so that a process that is stuck in C code writes them too.
            faulthandler.register(STACKS_SIGNAL, file=2, all_threads=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.pulse.close()
        if self._tells_stacks:
            faulthandler.unregister(STACKS_SIGNAL)


def _redirect(run: RunFolder, rank: int) -> None:
    try:
        run.logs_folder.mkdir(parents=True, exist_ok=True)
        log = os.open(run.log_path(rank), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    except OSError as error:
        raise RunError("run-unwritable", path=str(run.log_path(rank)), reason=error.strerror or str(error)) from error
    sys.stdout.flush()
    sys.stderr.flush()
    os.dup2(log, 1)
    os.dup2(log, 2)
    os.close(log)
