"""What a training went on after: a finding that is followed by more steps did not end the run."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

from headway.diagnosis.causality import CLOCKS_DIFFER_SECONDS
from headway.diagnosis.sighting import LogReport, Progress, Sighting

STEPS_TO_SURVIVE = 3
"""Other ranks end the step that they are in, and lines are flushed late: so many more steps show that it went on."""


class Survival:
    """Says which findings the training survived.

    Args:
        reports: what the logs held.
    """

    def __init__(self, reports: Sequence[LogReport]) -> None:
        self._by_source = {one.name: [progress.offset for progress in one.progress] for one in reports}
        dated = [(progress.time, progress) for one in reports for progress in one.progress if progress.time is not None]
        self._times = sorted(time for time, _ in dated)

    def is_survived(self, one: Sighting) -> bool:
        """Say whether training went on after a finding."""
        offsets = self._by_source.get(one.source, [])
        if offsets:
            return len(offsets) - bisect_right(offsets, one.last_offset) >= STEPS_TO_SURVIVE
        if one.time is None or not self._times:
            return False
        later = len(self._times) - bisect_right(self._times, one.time + CLOCKS_DIFFER_SECONDS)
        return later >= STEPS_TO_SURVIVE


def last_progress(reports: Sequence[LogReport]) -> Progress | None:
    """Return the line that shows the most progress, where any does."""
    every = [progress for one in reports for progress in one.progress[-1:]]
    numbered = [one for one in every if one.step is not None]
    return max(numbered, key=lambda one: one.step or 0, default=every[-1] if every else None)
