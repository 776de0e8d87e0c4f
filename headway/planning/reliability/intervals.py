"""The best time of work between two checkpoints.

Failures are a Poisson process with the mean time M between two. A checkpoint stops the work for C; where it is written
in the background, C is only the stop, and the time of the write is apart.
Leaves out: failures during a write that damage the checkpoint before it; Headway's own are whole or not there.
"""

from __future__ import annotations

import math

_MAX_ROUNDS = 100
"""Newton's rule doubles the right digits each round; this many are never needed."""

_PRECISION = 1e-15
"""Relative change below which nothing is left to gain: doubles have 16 digits."""


def young_interval_seconds(mtbf_seconds: float, write_seconds: float) -> float:
    """Return the best time of work between two checkpoints, to first order: sqrt(2 C M).

    Source: Young 1974, "A first order approximation to the optimum checkpoint interval", eq. 8.
    """
    return math.sqrt(2 * write_seconds * mtbf_seconds)


def daly_interval_seconds(mtbf_seconds: float, write_seconds: float) -> float:
    """Return the best time of work between two checkpoints, to higher order.

    Source: Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps", eq. 37; the
    interval is M where a write takes longer than 2 M.
    """
    if write_seconds >= 2 * mtbf_seconds:
        return mtbf_seconds
    ratio = write_seconds / (2 * mtbf_seconds)
    young = young_interval_seconds(mtbf_seconds, write_seconds)
    return young * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_seconds


def daly_first_order_interval_seconds(mtbf_seconds: float, write_seconds: float, downtime_seconds: float) -> float:
    """Return Daly's first-order interval, which counts the downtime: sqrt(2 C (M + R)).

    Source: Aupy et al. 2013, "Checkpointing algorithms and fault prediction", arXiv:1302.3752 (as "Daly", less the
    write).
    """
    return math.sqrt(2 * write_seconds * (mtbf_seconds + downtime_seconds))


def refined_first_order_period_seconds(mtbf_seconds: float, write_seconds: float, downtime_seconds: float) -> float:
    """Return the best period, work and write together, by the refined first-order formula: sqrt(2 C (M - D - R)).

    Where the downtime takes longer than the life of a job the formula has no answer, and 0 is returned.
    Source: Aupy et al. 2013, "Checkpointing algorithms and fault prediction", arXiv:1302.3752 (RFO).
    """
    return math.sqrt(2 * write_seconds * max(mtbf_seconds - downtime_seconds, 0.0))


def exact_interval_seconds(mtbf_seconds: float, stall_seconds: float) -> float:
    """Return the time of work T that makes the exact expected time least: M (1 + W(-e^(-C/M - 1))).

    W is Lambert's function. With x = T/M the optimum solves x + e^(-(x + C/M)) = 1; Newton's rule from the right of the
    root falls towards it, since the left side is convex. Neither detection nor restart moves the optimum.

    Args:
        mtbf_seconds: M > 0.
        stall_seconds: C >= 0, for which the work stands still; 0 gives 0, since saving is then free.

    Source: Daly 2006, derivative of eq. 13; Bougeret et al. 2011, "Checkpointing strategies for parallel jobs".
    """
    ratio = stall_seconds / mtbf_seconds
    if ratio == 0:
        return 0.0
    share = min(1.0, math.sqrt(2 * ratio))
    for _ in range(_MAX_ROUNDS):
        slope = -math.expm1(-(share + ratio))
        change = (share - slope) / slope
        share -= change
        if abs(change) <= _PRECISION * share:
            break
    return max(share, 0.0) * mtbf_seconds


def best_interval_seconds(mtbf_seconds: float, stall_seconds: float, write_behind_seconds: float = 0.0) -> float:
    """Return the best time of work between two checkpoints, also where they are written in the background.

    A background write must end before the next one starts, so the period is never shorter than the write.

    Args:
        mtbf_seconds: of the job.
        stall_seconds: for which the work stands still at each checkpoint.
        write_behind_seconds: from then until the checkpoint is safe; 0 where the work waits for it.
    """
    return max(exact_interval_seconds(mtbf_seconds, stall_seconds), write_behind_seconds - stall_seconds)
