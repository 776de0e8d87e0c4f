"""The guard of speed: steps against the run's own best, and against the plan."""

from __future__ import annotations

import statistics
from typing import Literal, final

from headway.resilience.guards.finding import Finding

GUARD = "throughput"

WINDOW_STEPS, WINDOW_SECONDS = 20, 10.0
"""A window has at least both: other programs of a machine come and go within seconds. Our own choice."""

_SLOW_WINDOWS = 2
"""One slow window is another program's work; two in a row are told."""


@final
class Throughput:
    """Finds a run that has become slower than it was, or that is slower than planned.

    Args:
        action: what to do.
        share: of the run's own best speed, below which it is slow.
        planned_seconds: the upper end of the plan's interval for a step; None where there is no plan.
    """

    def __init__(self, action: Literal["off", "warn"], *, share: float, planned_seconds: float | None) -> None:
        self._action = action
        self._share = share
        self._planned_seconds = planned_seconds
        self._steps: list[float] = []
        self._sum_seconds = 0.0
        self._best_seconds = float("inf")
        self._slow_windows = self._late_windows = 0
        self._is_told = False

    def take(self, step_seconds: float) -> Finding | None:
        """Take in the duration of a step."""
        if self._action == "off":
            return None
        self._steps.append(step_seconds)
        self._sum_seconds += step_seconds
        if len(self._steps) < WINDOW_STEPS or self._sum_seconds < WINDOW_SECONDS:
            return None
        recent = statistics.median(self._steps)
        self._steps, self._sum_seconds = [], 0.0
        self._best_seconds = min(self._best_seconds, recent)
        is_slow = recent * self._share > self._best_seconds
        self._slow_windows = self._slow_windows + 1 if is_slow else 0
        if not is_slow:
            self._is_told = False
        if self._slow_windows >= _SLOW_WINDOWS and not self._is_told:
            self._is_told = True
            return self._finding("best", recent, self._best_seconds)
        is_late = self._planned_seconds is not None and recent > self._planned_seconds
        self._late_windows = self._late_windows + 1 if is_late else 0
        if self._late_windows >= _SLOW_WINDOWS and self._planned_seconds is not None:
            expected, self._planned_seconds = self._planned_seconds, None
            return self._finding("plan", recent, expected)
        return None

    def _finding(self, beside: str, recent: float, expected: float) -> Finding:
        speeds = {"step_seconds": recent, "expected_seconds": expected, "share": expected / recent}
        return Finding(guard=GUARD, action="warn", arguments={"beside": beside, **speeds})
