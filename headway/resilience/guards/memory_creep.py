"""The guard of memory that grows step by step, with the time that is left until there is none."""

from __future__ import annotations

from typing import Literal, final

from headway.resilience.guards.finding import Finding
from headway.resilience.guards.trend import Trend

GUARD = "memory-creep"


@final
class MemoryCreep:
    """Finds a process whose memory will not last for the run.

    Args:
        action: what to do where it lasts no longer than a save; before that it is told once.
    """

    def __init__(self, action: Literal["off", "warn", "pause"]) -> None:
        self._action = action
        self._trend = Trend()
        self._is_told = False

    def take(
        self,
        now_seconds: float,
        *,
        used_bytes: int,
        room_bytes: int | None,
        remaining_seconds: float,
        save_seconds: float,
    ) -> Finding | None:
        """Take in a sample.

        Args:
            now_seconds: of any clock that does not jump.
            used_bytes: that this process holds and nobody can take from it.
            room_bytes: that it can still have; None where that is not known.
            remaining_seconds: of the run.
            save_seconds: that a save takes, and how long it may be until the next sample.
        """
        if self._action == "off" or room_bytes is None:
            return None
        self._trend.add(now_seconds, float(used_bytes))
        rate = self._trend.per_second()
        if rate <= 0:
            return None
        left_seconds = room_bytes / rate
        is_urgent = left_seconds < save_seconds
        if left_seconds >= remaining_seconds or (self._is_told and not (is_urgent and self._action == "pause")):
            return None
        self._is_told = True
        return Finding(
            guard=GUARD,
            action="pause" if is_urgent and self._action == "pause" else "warn",
            arguments={"used_bytes": used_bytes, "bytes_per_second": rate, "left_seconds": left_seconds},
        )
