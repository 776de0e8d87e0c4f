"""Which checkpoints stay: the last good ones, those that somebody protects, and one for every so long a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass
from pathlib import Path

from headway.resilience.checkpoint.damage import READING_ERRORS, STATE, find_damage, is_newer

SAVED_AT = "saved_at"
"""Entry of a checkpoint's state: when it was saved, in seconds since 1970."""


@dataclass(frozen=True, kw_only=True)
class Retention:
    """What stays.

    Attributes:
        keep_last: how many good checkpoints.
        every_seconds: at least this long lies between checkpoints that stay for good; None keeps none for good.
    """

    keep_last: int = 2
    every_seconds: float | None = None

    def dropped(self, paths: Mapping[int, Path], saved_step: int, protected: Set[int]) -> list[int]:
        """Return the steps whose checkpoints go, newest first. Only good ones count as kept, the one just saved first.

        A step beyond the one just saved is there because the run had to go back behind it, most likely since it is
        damaged: it counts only where its checksums say so. Older ones are judged by their sizes, since reading them
        all at each save would cost as much as the save. What a later version of Headway wrote is never dropped.

        Args:
            paths: of all checkpoints, by step.
            saved_step: the one just saved.
            protected: steps that stay whatever else goes, and do not count.
        """
        good, doomed = 1, []
        kept = protected | self._kept_for_good(paths)
        for step in sorted(paths, reverse=True):
            if step == saved_step or step in kept or is_newer(paths[step]):
                continue
            if good >= self.keep_last:
                doomed.append(step)
            elif find_damage(paths[step], checksums=step > saved_step) is None:
                good += 1
        return doomed

    def _kept_for_good(self, paths: Mapping[int, Path]) -> set[int]:
        """Return the steps that are so far apart, from the oldest on; where a clock went back, it is waited for."""
        if self.every_seconds is None:
            return set()
        kept: set[int] = set()
        last = None
        for step, seconds in _times(paths):
            if last is None or seconds >= last + self.every_seconds:
                kept.add(step)
                last = seconds
        return kept


def _times(paths: Mapping[int, Path]) -> Iterable[tuple[int, float]]:
    """Yield when each checkpoint was saved, by its own state; those whose files lack something are passed over."""
    for step in sorted(paths):
        try:
            seconds = json.loads((paths[step] / STATE).read_bytes())[SAVED_AT]
        except READING_ERRORS:
            continue
        if isinstance(seconds, (int, float)) and find_damage(paths[step], checksums=False) is None:
            yield step, float(seconds)
