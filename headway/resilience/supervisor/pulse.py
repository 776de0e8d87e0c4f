"""Hangs of workers that say what they are doing: evaluation, checkpoints and compilation are not steps that hang."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import final

from headway.resilience.supervisor.watch import FEWEST_INTERVALS, KEPT_INTERVALS, LEAST_HANG_SECONDS
from headway.runs.heartbeat import Beat, read_beat

STEPPING = ("data", "step")
"""What takes as long as a step does."""

LIMITED = ("evaluate", "checkpoint")
"""What takes about as long as it did before."""

ORDER = ("start", "prepare", "build", "evaluate", "checkpoint", "data", "step", "end")
"""In which a rank does things at one number of steps: a rank waits for those that come before it in this."""

OTHER_SECONDS = 60.0
"""Added to the multiple of the longest time that such work took before."""

UNKNOWN_SECONDS = 1800.0
"""For the first time of such work: nobody knows how long it takes, and the disk may be slow."""


@final
class PulseWatch:
    """Follows the heartbeats of all ranks.

    A rank that writes a checkpoint lets the others wait in their step, so that the job hangs only where no rank gets
    on. Only the supervisor's own clock counts, which does not jump; the usual step is what the workers measured.

    Args:
        paths: the file of each rank.
        hang_steps: usual steps without another one, after which the job hangs; 0 watches for no hang.
        clock: seconds, for tests.
    """

    def __init__(self, paths: Sequence[Path], hang_steps: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._paths = list(paths)
        self._hang_steps = hang_steps
        self._clock = clock
        self._beats: dict[int, Beat] = {}
        self._last_at = clock()
        self._doing_since: dict[int, float] = {}
        self._longest: dict[str, float] = {}
        self._step_seconds: deque[float] = deque(maxlen=KEPT_INTERVALS)

    @property
    def beats(self) -> Mapping[int, Beat]:
        """What each rank said last, as far as it has."""
        return self._beats

    def note_step(self, seconds: float) -> None:
        """Take down how long a step took."""
        self._step_seconds.append(seconds)

    def look(self) -> None:
        """Read all heartbeats."""
        now = self._clock()
        for rank, path in enumerate(self._paths):
            beat = read_beat(path)
            before = self._beats.get(rank)
            if beat is None or (before is not None and (before.pid, before.count) == (beat.pid, beat.count)):
                continue
            if before is not None and before.doing in LIMITED:
                took = now - self._doing_since[rank]
                self._longest[before.doing] = max(self._longest.get(before.doing, 0.0), took)
            self._beats[rank] = beat
            self._doing_since[rank] = self._last_at = now

    def hung_seconds(self) -> float | None:
        """Return for how long no rank got on, where that is too long; None where it is not."""
        if not self._hang_steps or not self._beats or len(self._step_seconds) < FEWEST_INTERVALS:
            return None
        silent = self._clock() - self._last_at
        # The ranks that are least far hold the others up, which wait for them in whatever they do.
        least = min(map(_reached, self._beats.values()))
        limits = [self._limit_seconds(beat.doing) for beat in self._beats.values() if _reached(beat) == least]
        return silent if silent > max(limits) else None

    def _limit_seconds(self, doing: str) -> float:
        if doing in STEPPING:
            return self._hang_steps * median(self._step_seconds) + LEAST_HANG_SECONDS
        if doing not in LIMITED:
            return float("inf")
        longest = self._longest.get(doing)
        return UNKNOWN_SECONDS if longest is None else self._hang_steps * longest + OTHER_SECONDS

    def behind(self) -> list[int]:
        """Return the ranks that got less far than others; none where all are equally far."""
        reached = {rank: _reached(beat) for rank, beat in self._beats.items()}
        if len(set(reached.values())) < 2:
            return []
        least = min(reached.values())
        return sorted(rank for rank, where in reached.items() if where == least)


def _reached(beat: Beat) -> tuple[int, int]:
    return beat.step, ORDER.index(beat.doing)
