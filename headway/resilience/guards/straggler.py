"""The guard of the process that holds up the others."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from typing import Literal, final

from headway.resilience.guards.finding import Finding

GUARD = "straggler"

LEAST_SECONDS = 0.001
"""Differences below this are noise. Our own choice."""


@final
class Straggler:
    """Finds a process that is slower than the others, several times in a row.

    Source: Jiang et al. 2024 (arXiv:2402.15627), section 5: about 0.5 % of machines of a large job were slower, and
    held up all of it.

    Args:
        action: what to do.
        ratio: of a process's time to the median of all, beyond which it is slow.
        windows: comparisons in a row in which it must be.
    """

    def __init__(self, action: Literal["off", "warn"], *, ratio: float, windows: int) -> None:
        self._action = action
        self._ratio = ratio
        self._windows = windows
        self._slow: dict[int, int] = {}

    def take(self, seconds: Sequence[float]) -> Finding | None:
        """Take in what the same work took in each process, by rank."""
        if self._action == "off" or len(seconds) < 2:
            return None
        # Of two, the faster one says what is usual.
        usual = statistics.median_low(seconds)
        limit = max(self._ratio * usual, usual + LEAST_SECONDS)
        self._slow = {rank: self._slow.get(rank, 0) + 1 for rank, took in enumerate(seconds) if took > limit}
        found = [rank for rank, windows in self._slow.items() if windows == self._windows]
        if not found:
            return None
        rank = max(found, key=lambda one: seconds[one])
        arguments = {"rank": rank, "seconds": seconds[rank], "usual_seconds": usual, "ratio": seconds[rank] / usual}
        return Finding(guard=GUARD, action="warn", arguments=arguments)
