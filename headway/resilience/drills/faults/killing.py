"""Processes that die, or are asked to end."""

from __future__ import annotations

import os
import signal
from typing import final

from headway.resilience.drills.fault import Fault
from headway.resilience.drills.stage import Stage, kill


@final
class KilledWorker(Fault):
    """SIGKILL to one worker: the last, where there are several."""

    name = "killed-worker"

    def inject(self, stage: Stage) -> None:
        """Kill it."""
        kill(stage.workers()[-1])


@final
class KilledSupervisor(Fault):
    """SIGKILL to the process that watches; the workers must not go on alone."""

    name = "killed-supervisor"
    signs = frozenset({"resumed", "stopped"})
    is_mended_by_hand = True

    def inject(self, stage: Stage) -> None:
        """Kill it."""
        kill(stage.supervisor)


@final
class AllKilled(Fault):
    """SIGKILL to everything at once, as a power failure is."""

    name = "all-killed"
    signs = frozenset({"resumed"})
    is_mended_by_hand = True

    def inject(self, stage: Stage) -> None:
        """Kill the supervisor first, so that it starts nothing again."""
        for pid in (stage.supervisor, *stage.workers()):
            kill(pid)


@final
class Terminated(Fault):
    """SIGTERM to the command, as schedulers send before they take a machine away."""

    name = "terminated"
    signs = frozenset({"attempt-stopped"})
    is_mended_by_hand = True
    repeats_nothing = True

    def inject(self, stage: Stage) -> None:
        """Ask it to end."""
        os.kill(stage.supervisor, signal.SIGTERM)
