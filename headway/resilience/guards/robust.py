"""Statistics that a few wild values do not move."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import combinations

NORMAL_MAD = 1.4826
"""Standard deviation of a normal distribution over its median absolute deviation, 1 / 0.6745."""


def robust_deviation(values: Sequence[float], median: float) -> float:
    """Return the standard deviation that the median absolute deviation from the median stands for.

    Source: Rousseeuw and Croux 1993, "Alternatives to the median absolute deviation", section 1.
    """
    return NORMAL_MAD * statistics.median(abs(value - median) for value in values)


def theil_sen_slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the median of the slopes through all pairs of points (x, y); 0 where there are none.

    Source: Sen 1968, "Estimates of the regression coefficient based on Kendall's tau".
    """
    slopes = [(y2 - y1) / (x2 - x1) for (x1, y1), (x2, y2) in combinations(points, 2) if x2 != x1]
    return statistics.median(slopes) if slopes else 0.0
