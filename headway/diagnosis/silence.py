"""What is missing: heartbeats that go on while training stands still."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from headway.diagnosis.sighting import LogReport

FEWEST_STEPS = 4
TIMES_THE_USUAL = 10.0
LEAST_SILENCE_SECONDS = 60.0
"""A checkpoint or an evaluation between two steps takes longer than the steps; so long a silence is more than that."""


@dataclass(frozen=True)
class Silence:
    """Training that stood still while something else went on writing.

    Attributes:
        since: when the last step was seen, seconds since 1970.
        seconds: how long nothing followed.
        usual_seconds: the median time between two lines of progress.
        rank: the rank whose log ends first, where there are several.
    """

    since: float
    seconds: float
    usual_seconds: float
    rank: int | None


def find_silence(reports: Sequence[LogReport]) -> Silence | None:
    """Find out whether steps stopped long before the logs did."""
    times = sorted(progress.time for one in reports for progress in one.progress if progress.time is not None)
    ends = [one.last_time for one in reports if one.last_time is not None]
    gaps = [later - earlier for earlier, later in pairwise(times) if later > earlier]
    if len(gaps) < FEWEST_STEPS or not ends:
        return None
    usual, silent = median(gaps), max(ends) - times[-1]
    if silent < max(TIMES_THE_USUAL * usual, LEAST_SILENCE_SECONDS):
        return None
    last = {one.rank: one.last_time for one in reports if one.rank is not None and one.last_time is not None}
    rank = min(last, key=lambda name: last[name]) if len(last) > 1 else None
    return Silence(times[-1], silent, usual, rank)
