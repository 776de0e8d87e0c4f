"""The guard of the disk that fills: it tells early, and pauses a run while one more checkpoint still fits.

A checkpoint that does not fit is refused before it is written anyway; but a run that gets there has lost all since the
last one.
"""

from __future__ import annotations

from typing import Literal, final

from headway.resilience.guards.finding import Finding
from headway.resilience.guards.trend import Trend

GUARD = "disk"

EARLY_CHECKPOINTS = 2
"""A disk with room for fewer is told of, whatever its trend."""


@final
class Disk:
    """Finds a disk that will not take the next checkpoints.

    Args:
        action: what to do shortly before; early on it is told once.
    """

    def __init__(self, action: Literal["off", "warn", "pause"]) -> None:
        self._action = action
        self._trend = Trend(least_share=0.0)
        self._is_told = False
        self._was_short = False

    def take(
        self,
        now_seconds: float,
        *,
        free_bytes: int,
        checkpoint_bytes: int | None,
        remaining_seconds: float,
        sample_seconds: float,
    ) -> Finding | None:
        """Take in a sample.

        Args:
            now_seconds: of any clock that does not jump.
            free_bytes: of the disk that checkpoints go to.
            checkpoint_bytes: of the next one; None where no size is known yet.
            remaining_seconds: of the run.
            sample_seconds: until the next sample.
        """
        if self._action == "off" or not checkpoint_bytes:
            return None
        self._trend.add(now_seconds, float(free_bytes))
        rate = max(0.0, -self._trend.per_second())
        spare_bytes = free_bytes - checkpoint_bytes
        left_seconds = spare_bytes / rate if rate else float("inf")
        # Another program's file may come and go: a disk that is short by itself must be so twice.
        is_short = spare_bytes < 0
        is_urgent = (is_short and self._was_short) or 0 <= left_seconds < 2 * sample_seconds
        self._was_short = is_short
        is_tight = spare_bytes < (EARLY_CHECKPOINTS - 1) * checkpoint_bytes or left_seconds < remaining_seconds
        pauses = is_urgent and self._action == "pause"
        if not pauses and (self._is_told or not is_tight):
            return None
        self._is_told = True
        return Finding(
            guard=GUARD,
            action="pause" if pauses else "warn",
            arguments={"free_bytes": free_bytes, "checkpoint_bytes": checkpoint_bytes, "left_seconds": left_seconds},
        )
