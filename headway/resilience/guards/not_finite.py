"""The guard of NaN and infinity in loss and gradients."""

from __future__ import annotations

import math
from typing import Literal, final

from headway.errors import TrainingError
from headway.resilience.guards.finding import Action, Finding

GUARD = "not-finite"


@final
class NotFinite:
    """Acts on a loss or a gradient norm that is no number, where the engine has left the step out.

    Args:
        action: what to do.
        limit: steps in a row that are left out; beyond, the run stops. Roll-backs have a limit of their own.
    """

    def __init__(self, action: Literal["stop", "skip", "roll-back"], limit: int) -> None:
        self._action = action
        self._limit = limit
        self._in_a_row = 0

    def take(self, step: int, loss: float, gradient_norm: float, *, is_skipped: bool) -> Finding | None:
        """Take in a step that was done.

        Args:
            step: optimizer steps done, this one included.
            loss: in nats.
            gradient_norm: before clipping.
            is_skipped: whether fp16 overflowed, which loss scaling takes care of.
        """
        if math.isfinite(loss) and (math.isfinite(gradient_norm) or is_skipped):
            self._in_a_row = 0
            return None
        self._in_a_row += 1
        action: Action = self._action
        if action == "skip" and self._in_a_row > self._limit:
            action = "stop"
        return Finding(
            guard=GUARD,
            action=action,
            arguments={"loss": loss, "gradient_norm": gradient_norm},
            error=TrainingError("training-loss-not-finite", step=step, loss=loss, gradient_norm=gradient_norm),
        )
