"""The guard of loss spikes: a loss far above those before it, for several steps.

A loss is judged by its robust z-score in the window of the losses before it,

    z = (loss - median) / max(1.4826 MAD, 0.5 % of the median),

and only upwards: a loss that falls is what training is for. One step alone is an odd batch; several in a row are a
model that was thrown off.

Source: Iglewicz and Hoaglin 1993, "How to Detect and Handle Outliers", for the score; Chowdhery et al. 2022
(arXiv:2204.02311), section 5.1, for going back to a checkpoint before a spike and passing over the data since.
"""

from __future__ import annotations

import math
import statistics
from collections import deque
from collections.abc import Iterable
from typing import Literal, final

from headway.errors import TrainingError
from headway.resilience.guards.finding import Finding
from headway.resilience.guards.robust import robust_deviation

GUARD = "loss-spike"

LEAST_DEVIATION = 0.005
"""Of the median: where losses hardly differ, a hair's breadth would be many deviations. Our own choice."""


@final
class LossSpike:
    """Finds losses that rise far above those before them.

    Args:
        action: what to do.
        deviations: the z-score beyond which a loss is too high.
        window: losses that it is judged by; half of them must be there first.
        steps: how many in a row must be too high.
    """

    def __init__(
        self, action: Literal["off", "warn", "stop", "roll-back"], *, deviations: float, window: int, steps: int
    ) -> None:
        self._action = action
        self._deviations = deviations
        self._steps = steps
        self._losses: deque[float] = deque(maxlen=window)
        self._in_a_row = 0

    def refill(self, losses: Iterable[float]) -> None:
        """Start from losses that a run has had, oldest first, as if they had just been taken in."""
        self._losses.clear()
        self._in_a_row = 0
        for loss in losses:
            self._count(loss)

    def take(self, step: int, loss: float) -> Finding | None:
        """Take in the loss of a step.

        Args:
            step: optimizer steps done, this one included.
            loss: in nats; one that is not finite is another guard's.
        """
        if self._action == "off":
            return None
        median, score = self._count(loss)
        if self._in_a_row < self._steps:
            return None
        self._in_a_row = 0
        return Finding(
            guard=GUARD,
            action=self._action,
            arguments={"loss": loss, "median": median, "deviations": score, "limit": self._deviations},
            error=TrainingError("training-loss-spike", step=step, loss=loss, median=median, deviations=score),
            first_bad_step=step - self._steps,
        )

    def _count(self, loss: float) -> tuple[float, float]:
        """Judge a loss by those before it, then add it to them; return their median and its score."""
        if not math.isfinite(loss):
            return 0.0, 0.0
        median, score = 0.0, 0.0
        if len(self._losses) * 2 >= (self._losses.maxlen or 0):
            median = statistics.median(self._losses)
            deviation = max(robust_deviation(self._losses, median), LEAST_DEVIATION * abs(median))
            score = (loss - median) / deviation if deviation else 0.0
        self._in_a_row = self._in_a_row + 1 if score > self._deviations else 0
        self._losses.append(loss)
        return median, score
