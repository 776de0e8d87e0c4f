"""How an amount grows or shrinks over time, and when it will have reached a limit."""

from __future__ import annotations

from collections import deque
from typing import final

from headway.resilience.guards.robust import robust_deviation, theil_sen_slope

MAX_SAMPLES, LEAST_SAMPLES = 60, 18
"""Samples that a trend is made of; with fewer there is none. Our own choice: ten minutes, and three."""

CLEAR = 6.0
"""A trend must have moved the amount by so many standard deviations of what it does not explain."""


@final
class Trend:
    """The robust slope of an amount over time.

    Args:
        least_share: of the amount, by which it must have moved before it counts as a trend.
    """

    def __init__(self, least_share: float = 0.005) -> None:
        self._points: deque[tuple[float, float]] = deque(maxlen=MAX_SAMPLES)
        self._least_share = least_share

    def add(self, seconds: float, amount: float) -> None:
        """Add a sample."""
        self._points.append((seconds, amount))

    def per_second(self) -> float:
        """Return how much it changes each second; 0 where it does not clearly change."""
        if len(self._points) < LEAST_SAMPLES:
            return 0.0
        slope = theil_sen_slope(list(self._points))
        start = self._points[0][0]
        rest = sorted(amount - slope * (seconds - start) for seconds, amount in self._points)
        moved = abs(slope) * (self._points[-1][0] - start)
        noise = robust_deviation(rest, rest[len(rest) // 2])
        level = abs(self._points[-1][1])
        return slope if moved > CLEAR * noise and moved > self._least_share * level else 0.0
