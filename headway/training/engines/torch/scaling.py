"""Dynamic loss scaling: fp16 has too few exponents for small gradients, so that the loss is multiplied before them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, final

FIRST_SCALE, GROWTH, BACKOFF, GROWTH_STEPS = 2.0**16, 2.0, 0.5, 2000
"""Source: the defaults of PyTorch's ``GradScaler``; Micikevicius et al. 2018 (arXiv:1710.03740), section 3.2."""

LEAST_SCALE = 1.0
"""Where gradients overflow without any scaling, less of it is no remedy."""


@final
class LossScale:
    """What the loss of a step is multiplied by, and its gradients are divided by before they are clipped.

    A step whose gradients overflowed is skipped and the scale halved; after 2,000 good steps in a row it is doubled.
    The scale is a power of two, so that it rounds nothing.

    Args:
        is_dynamic: else it is always 1, and nothing is skipped.
    """

    def __init__(self, *, is_dynamic: bool) -> None:
        self.is_dynamic = is_dynamic
        self.value = FIRST_SCALE if is_dynamic else 1.0
        self.good_steps = 0
        self.skipped_steps = 0

    def take(self, gradient_norm: float) -> bool:
        """Take in the norm of a step's gradients, the same in all processes; return whether the step counts."""
        if not self.is_dynamic:
            return True
        if not math.isfinite(gradient_norm):
            if self.value <= LEAST_SCALE:
                return True
            self.value *= BACKOFF
            self.good_steps = 0
            self.skipped_steps += 1
            return False
        self.good_steps += 1
        if self.good_steps == GROWTH_STEPS:
            self.value *= GROWTH
            self.good_steps = 0
        return True

    def state(self) -> dict[str, Any]:
        """Return what a checkpoint keeps; nothing where the scale is always 1."""
        if not self.is_dynamic:
            return {}
        return {"scale": self.value, "good_steps": self.good_steps, "skipped_steps": self.skipped_steps}

    def load(self, state: Mapping[str, Any]) -> None:
        """Go on as a checkpoint says."""
        if self.is_dynamic and state:
            self.value = float(state["scale"])
            self.good_steps, self.skipped_steps = int(state["good_steps"]), int(state["skipped_steps"])
