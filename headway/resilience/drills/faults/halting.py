"""Workers that stand still, or get on slowly."""

from __future__ import annotations

import os
import signal
from collections.abc import Mapping
from typing import Any, final

from headway.resilience.drills.fault import Fault, Grounds, InnerFault
from headway.resilience.drills.result import Reason
from headway.resilience.drills.seam import Order
from headway.resilience.drills.stage import Stage

PLAIN_RATIO = 4.0
"""Of a slow rank's time to the usual: no busy machine makes it look so without being so."""


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
class SlowRank(InnerFault):
    """A rank that is slower than the others for some steps, as one that shares its cores or is too hot."""

    name = "slow-rank"
    deed = "slow"
    signs = frozenset({"guard"})
    guard = "straggler"
    needs_many = True

    def settings(self, grounds: Grounds) -> Mapping[str, Mapping[str, Any]]:
        """Compare after each step, and believe what is plain soon: there are only a few slow steps."""
        ratio = max(PLAIN_RATIO, grounds.recipe.resilience.guards.straggler_ratio)
        return {"resilience.guards": {"straggler_every_steps": 1, "straggler_windows": 2, "straggler_ratio": ratio}}

    def order(self, grounds: Grounds) -> Order:
        """Remember which rank is asked."""
        order = super().order(grounds)
        self._rank = order.rank
        return order

    def is_told_by(self, event: Mapping[str, Any]) -> bool:
        """Say whether an event tells of this rank: on a busy machine another one may seem slow too."""
        return super().is_told_by(event) and event.get("rank") == self._rank

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Nothing is told where nobody compares."""
        if grounds.recipe.resilience.guards.straggler == "off":
            return Reason(message_id="drill-obstacle-guard-off", arguments={"setting": "straggler"})
        return super().obstacle(grounds)
