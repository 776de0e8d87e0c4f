"""How far measurements lie from predictions: the 80 % intervals of step time and peak memory on accelerators."""

from __future__ import annotations

from headway.planning.analytic.job import Job

STEP_SPREAD = {"dense": (0.88, 1.19), "experts": (0.85, 1.45), "adapter": (0.88, 1.55)}
"""Step time: tenth and ninetieth percentile of measured over predicted, by kind of training.

Source: ``python -m benchmarks.plan_accuracy.fit`` over the published rows, each source left out in turn."""

MEMORY_SPREAD = {"dense": (0.95, 1.16), "experts": (0.95, 1.15), "adapter": (0.96, 1.17)}
"""Peak memory: the same. Source: ``python -m benchmarks.plan_accuracy.spread``."""


def kind_of(job: Job) -> str:
    """Return the kind of training that the intervals are told apart by."""
    if job.adapter is not None:
        return "adapter"
    return "experts" if job.shape.experts else "dense"


def step_spread(job: Job) -> tuple[float, float]:
    """Return the 80 % interval of the step time around the prediction, as ratios."""
    return STEP_SPREAD[kind_of(job)]


def memory_spread(job: Job) -> tuple[float, float]:
    """Return the 80 % interval of the peak memory around the prediction, as ratios."""
    return MEMORY_SPREAD[kind_of(job)]
