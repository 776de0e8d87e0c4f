"""The guard of the loss scale in fp16: where it falls and falls, the training stands still."""

from __future__ import annotations

from typing import Literal, final

from headway.errors import TrainingError
from headway.resilience.guards.finding import Finding

GUARD = "scale-collapse"


@final
class ScaleCollapse:
    """Finds a loss scale that has fallen too far, or too many steps in a row that were left out.

    Source: Micikevicius et al. 2018 (arXiv:1710.03740), section 3.2, for what the scale is for; fairseq's
    ``--min-loss-scale`` and DeepSpeed's ``min_loss_scale`` end a training at a least scale likewise.

    Args:
        action: what to do.
        least_scale: at which, or below, an overflow is one too many.
        max_skipped: steps in a row that may be left out.
    """

    def __init__(self, action: Literal["off", "warn", "stop"], *, least_scale: float, max_skipped: int) -> None:
        self._action = action
        self._least_scale = least_scale
        self._max_skipped = max_skipped
        self._in_a_row = 0

    def take(self, step: int, loss_scale: float | None, *, is_skipped: bool) -> Finding | None:
        """Take in a step: the scale that it was done with, and whether it was left out."""
        if self._action == "off" or loss_scale is None or not is_skipped:
            self._in_a_row = 0
            return None
        self._in_a_row += 1
        if loss_scale > self._least_scale and self._in_a_row <= self._max_skipped:
            return None
        skipped, self._in_a_row = self._in_a_row, 0
        return Finding(
            guard=GUARD,
            action=self._action,
            arguments={"loss_scale": loss_scale, "skipped": skipped},
            error=TrainingError("training-scale-collapse", step=step, loss_scale=loss_scale, skipped=skipped),
        )
