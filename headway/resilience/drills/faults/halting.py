"""Workers that stand still, or get on slowly."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, final

from headway.resilience.drills.fault import Fault, Grounds
from headway.resilience.drills.result import Reason
from headway.resilience.drills.stage import Stage

RUN_SECONDS, REST_SECONDS = 0.0002, 0.004
"""Of a rank that is made slow, in turns: shorter than the piece of work by which ranks are compared."""

PLAIN_RATIO = 4.0
"""Of a slow rank's time to the usual: no busy machine makes it look so without being so."""

_TURNS_BETWEEN_LOOKS = 50


@final
class Hang(Fault):
    """SIGSTOP to a worker, which is then there and does nothing."""

    name = "hang"
    signs = frozenset({"hang"})

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Nothing ends a run that watches for no hangs."""
        if not grounds.recipe.resilience.hang_steps:
            return Reason(message_id="drill-obstacle-no-hang-watch")
        return super().obstacle(grounds)

    def inject(self, stage: Stage) -> None:
        """Stop it."""
        os.kill(stage.workers()[-1], signal.SIGSTOP)


@final
class SlowRank(Fault):
    """A rank that is stopped and let go on in short turns, as one that shares its cores or is too hot."""

    name = "slow-rank"
    signs = frozenset({"guard"})
    guard = "straggler"
    needs_many = True

    def __init__(self) -> None:
        self._is_over = threading.Event()
        self._thread: threading.Thread | None = None

    def settings(self, grounds: Grounds) -> Mapping[str, Mapping[str, Any]]:
        """Compare after each step, and believe what is plain at once: turns are not the same in each of a few steps."""
        ratio = max(PLAIN_RATIO, grounds.recipe.resilience.guards.straggler_ratio)
        return {"resilience.guards": {"straggler_every_steps": 1, "straggler_windows": 1, "straggler_ratio": ratio}}

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Nothing is told where nobody compares."""
        if grounds.recipe.resilience.guards.straggler == "off":
            return Reason(message_id="drill-obstacle-guard-off", arguments={"setting": "straggler"})
        return super().obstacle(grounds)

    def inject(self, stage: Stage) -> None:
        """Begin to hold it up, until the run has ended."""
        self._thread = threading.Thread(target=self._hold_up, args=(stage, stage.workers()[-1]), daemon=True)
        self._thread.start()

    def _hold_up(self, stage: Stage, pid: int) -> None:
        turns = 0
        with suppress(ProcessLookupError):
            while not self._is_over.is_set():
                os.kill(pid, signal.SIGSTOP)
                time.sleep(REST_SECONDS)
                os.kill(pid, signal.SIGCONT)
                time.sleep(RUN_SECONDS)
                turns += 1
                if turns % _TURNS_BETWEEN_LOOKS == 0 and stage.run.status() == "finished":
                    return

    def close(self, stage: Stage) -> None:
        """Hold it up no more."""
        self._is_over.set()
        if self._thread is not None:
            self._thread.join()
