"""Times of an operation at any shape, from the times that were measured at a few.

A measured time is a sum of physical terms: a constant for starting the work, and a price for each amount of work
(products, elements, bytes). The prices are fitted to the measured points by least squares of the relative error, none
below zero. What the sum does not explain, such as caches, is carried over from the nearest points: the time at a
measured shape is exactly the measured one.
Source: Lawson and Hanson 1974, "Solving Least Squares Problems", chapter 23 (non-negative least squares); Shepard 1968
(interpolation by inverse distance).
Leaves out: how busy the machine was when it was measured, and clocks that change with heat.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

_DISTANCE_POWER = 2.0
"""With which the weight of a measured point falls with its distance. Source: Shepard 1968, "A two-dimensional
interpolation function for irregularly-spaced data", whose weights are inverse squares."""

_SINGULAR = 1e-12
"""A pivot below it is zero, but for rounding: doubles have 16 digits."""

_WORTHWHILE = 1e-12
"""An improvement below it is none, alike."""


@dataclass(frozen=True, kw_only=True)
class FittedTime:
    """Seconds as a function of the amounts of work.

    Attributes:
        prices_seconds: for each amount, seconds for one unit of it.
        points: the amounts of each measured point.
        ratios: measured over fitted time of each point.
    """

    prices_seconds: tuple[float, ...]
    points: tuple[tuple[float, ...], ...]
    ratios: tuple[float, ...]

    def seconds(self, amounts: Sequence[float]) -> float:
        """Return the time of one execution.

        Args:
            amounts: of work, in the order of the fit; all positive.
        """
        return _dot(self.prices_seconds, amounts) * self._nearby_ratio(amounts)

    def _nearby_ratio(self, amounts: Sequence[float]) -> float:
        total = weights = 0.0
        for point, ratio in zip(self.points, self.ratios, strict=True):
            distance = math.dist([math.log(value) for value in amounts], [math.log(value) for value in point])
            if distance < 1e-9:
                return ratio
            weight = distance**-_DISTANCE_POWER
            total += weight * math.log(ratio)
            weights += weight
        return math.exp(total / weights)


def fit_time(points: Sequence[Sequence[float]], seconds: Sequence[float]) -> FittedTime:
    """Fit the prices of amounts of work.

    Args:
        points: the amounts of each measured point, all positive, equally many.
        seconds: the measured time of each point, positive.

    Returns:
        The fitted function.
    """
    rows = [[value / time for value in point] for point, time in zip(points, seconds, strict=True)]
    prices = _non_negative_least_squares(rows)
    fitted = [_dot(prices, point) for point in points]
    return FittedTime(
        prices_seconds=tuple(prices),
        points=tuple(tuple(point) for point in points),
        ratios=tuple(time / value for time, value in zip(seconds, fitted, strict=True)),
    )


def _non_negative_least_squares(rows: list[list[float]]) -> list[float]:
    """Return x >= 0 that brings every row's product with x nearest to 1.

    The unknowns are five at most, so that each choice of those that are not zero is solved and the best one is taken.
    """
    width = len(rows[0])
    # Scaled columns: amounts differ by many orders of magnitude.
    scales = [math.sqrt(sum(row[column] ** 2 for row in rows)) for column in range(width)]
    scaled = [[row[column] / scales[column] for column in range(width)] for row in rows]
    gram = [[sum(row[i] * row[j] for row in scaled) for j in range(width)] for i in range(width)]
    target = [sum(row[i] for row in scaled) for i in range(width)]
    best, best_gain = [0.0] * width, 0.0
    for size in range(1, width + 1):
        for chosen in combinations(range(width), size):
            x = _solve([[gram[i][j] for j in chosen] for i in chosen], [target[i] for i in chosen])
            if x is None or min(x) < 0:
                continue
            # The sum of squares falls by this much below that of x = 0.
            gain = sum(value * target[i] for value, i in zip(x, chosen, strict=True))
            if gain > best_gain * (1 + _WORTHWHILE):
                best_gain = gain
                best = [0.0] * width
                for value, i in zip(x, chosen, strict=True):
                    best[i] = value
    return [value / scale for value, scale in zip(best, scales, strict=True)]


def _solve(matrix: list[list[float]], right: list[float]) -> list[float] | None:
    """Solve a small symmetric system by Cholesky; None where it is singular to working precision."""
    size = len(right)
    lower = [[0.0] * size for _ in range(size)]
    for i in range(size):
        for j in range(i + 1):
            rest = matrix[i][j] - _dot(lower[i][:j], lower[j][:j])
            if i == j:
                if rest <= _SINGULAR:
                    return None
                lower[i][i] = math.sqrt(rest)
            else:
                lower[i][j] = rest / lower[j][j]
    y: list[float] = []
    for i in range(size):
        y.append((right[i] - _dot(lower[i][:i], y)) / lower[i][i])
    x = [0.0] * size
    for i in reversed(range(size)):
        x[i] = (y[i] - sum(lower[j][i] * x[j] for j in range(i + 1, size))) / lower[i][i]
    return x


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
