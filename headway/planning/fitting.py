"""Times of an operation at any shape, from the times that were measured at a few.

A measured time is a sum of physical terms: a constant for starting the work, and a price for each amount of work
(products, elements, bytes). The prices are fitted to the measured points by least squares of the relative error, none
below zero. What the sum does not explain, such as caches, is carried over from the nearest points: the time at a
measured shape is exactly the measured one.
Source: Lawson and Hanson 1974, "Solving Least Squares Problems", chapter 23 (non-negative least squares); Shepard 1968
(interpolation by inverse distance).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_SWEEPS = 400
_DISTANCE_POWER = 2.0


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
    """Return x >= 0 that brings every row's product with x near to 1, by cyclic coordinate descent."""
    width = len(rows[0])
    # Scaled columns: amounts differ by many orders of magnitude.
    scales = [math.sqrt(sum(row[column] ** 2 for row in rows)) for column in range(width)]
    scaled = [[row[column] / scales[column] for column in range(width)] for row in rows]
    gram = [[sum(row[i] * row[j] for row in scaled) for j in range(width)] for i in range(width)]
    target = [sum(row[i] for row in scaled) for i in range(width)]
    x = [0.0] * width
    for _ in range(_SWEEPS):
        for i in range(width):
            rest = target[i] - sum(gram[i][j] * x[j] for j in range(width) if j != i)
            x[i] = max(0.0, rest / gram[i][i])
    return [value / scale for value, scale in zip(x, scales, strict=True)]


def _dot(first: Sequence[float], second: Sequence[float]) -> float:
    return sum(a * b for a, b in zip(first, second, strict=True))
