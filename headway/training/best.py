"""The best evaluation of a run so far, and how many since were no better."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Best:
    """What early stopping and the kept checkpoint go by.

    Attributes:
        loss: the lowest validation loss; None before the first evaluation.
        step: when that was.
        evaluations_since: that were no better.
    """

    loss: float | None = None
    step: int | None = None
    evaluations_since: int = 0

    @classmethod
    def of(cls, state: Mapping[str, Any] | None) -> Best:
        """Return what a checkpoint says, or the beginning where it says nothing of the kind."""
        if not isinstance(state, Mapping) or set(state) != {"loss", "step", "worse"}:
            return cls()
        return cls(loss=state["loss"], step=state["step"], evaluations_since=state["worse"])

    def to_dict(self) -> dict[str, Any]:
        """Return it as a checkpoint keeps it."""
        return {"loss": self.loss, "step": self.step, "worse": self.evaluations_since}

    def is_beaten_by(self, loss: float) -> bool:
        """Say whether a loss is the lowest so far; what is not finite never is."""
        return math.isfinite(loss) and (self.loss is None or loss < self.loss)

    def after(self, loss: float, step: int) -> Best:
        """Return what is best with one more evaluation; a step is judged once, however often its text is evaluated."""
        if self.is_beaten_by(loss):
            return Best(loss=loss, step=step)
        return self if step == self.step else replace(self, evaluations_since=self.evaluations_since + 1)
