"""The learning rate of every step, the same for every engine."""

from __future__ import annotations

import math

from headway.recipe import Recipe


def learning_rate(recipe: Recipe, step: int) -> float:
    """Return the learning rate of an optimizer step.

    The warm-up rises linearly and reaches the peak at its last step. Then:

    - ``cosine`` falls along half a cosine to the minimum (Loshchilov and Hutter 2017, arXiv:1608.03983, eq. 5);
    - ``linear`` falls along a line to the minimum;
    - ``wsd`` stays at the peak and falls along a line over the last ``decay_fraction`` of all steps
      (Hu et al. 2024, arXiv:2404.06395, section 4.2);
    - ``constant`` stays.

    Args:
        recipe: the resolved recipe.
        step: from 0 to ``recipe.num_steps - 1``.
    """
    training = recipe.training
    peak = training.learning_rate
    if step < training.warmup_steps:
        return peak * (step + 1) / training.warmup_steps
    if training.schedule == "constant":
        return peak
    first = training.warmup_steps
    if training.schedule == "wsd":
        first = max(first, recipe.num_steps - math.ceil(training.decay_fraction * recipe.num_steps))
    if step < first:
        return peak
    progress = min(1.0, (step - first) / max(1, recipe.num_steps - 1 - first))
    share = 0.5 * (1 + math.cos(math.pi * progress)) if training.schedule == "cosine" else 1 - progress
    floor = peak * training.min_learning_rate_ratio
    return floor + (peak - floor) * share
