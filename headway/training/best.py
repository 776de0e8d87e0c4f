"""The best evaluation of a run so far, and how many since were no better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(kw_only=True)
class Best:
    """What early stopping and the kept checkpoint go by.

    Attributes:
        loss: the lowest validation loss; None before the first evaluation.
        step: when that was.
        worse: evaluations since.
    """

    loss: float | None = None
    step: int | None = None
    worse: int = 0

    @classmethod
    def of(cls, state: Mapping[str, Any] | None) -> Best:
        """Return what a checkpoint says, or the beginning where it says nothing of the kind."""
        if not isinstance(state, Mapping) or set(state) != {"loss", "step", "worse"}:
            return cls()
        return cls(**state)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain data."""
        return asdict(self)

    def is_improved_by(self, loss: float, step: int) -> bool:
        """Take the loss of an evaluation in, and say whether it is the lowest so far; what is not finite never is."""
        if math.isfinite(loss) and (self.loss is None or loss < self.loss):
            self.loss, self.step, self.worse = loss, step, 0
            return True
        # A step is judged once, however often its text is evaluated.
        if step != self.step:
            self.worse += 1
        return False
