"""Which of many layouts nothing beats: in time and memory, and in what they cost where that does not follow time.

Source: Kung, Luccio and Preparata 1975, "On finding the maxima of a set of vectors" (sweep over one axis, stairs of the
other two).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import Literal

import numpy as np

from headway.planning.analytic.layouts import Floats

_FIRST_BLOCK = 256
"""Layouts that are looked at one by one at first; each block that follows is twice as long, and thinned before."""

STEPS = 5
"""So many levels of memory show the course of a front."""

MAX_SLOWER = 2.0
"""A layout that takes this many times as long as the fastest is no choice any more, however lean it is. Our choice."""


@dataclass(frozen=True, kw_only=True)
class Charges:
    """What a layout costs, in a unit of which only the ratio counts.

    Attributes:
        second: for each second of a step.
        computing_second: besides, for each second of it in which the devices compute and do not wait.
        axis: what the unit measures: ``usd``, ``joules``, or the ``time`` that all else follows.
    """

    second: float = 1.0
    computing_second: float = 0.0
    axis: Literal["usd", "joules", "time"] = "time"

    @property
    def follow_time(self) -> bool:
        """Whether the fastest layout is the cheapest too, whichever it is."""
        return self.computing_second == 0

    def of(self, seconds: Floats, computing_seconds: Floats) -> Floats:
        """Return what a step costs under each layout."""
        return self.second * seconds + self.computing_second * computing_seconds


def front(seconds: Floats, peak_bytes: Floats, costs: Floats | None = None) -> tuple[int, ...]:
    """Return the layouts that no other is as good as in all, fastest first: the Pareto front.

    Args:
        seconds: of a step; infinite for layouts that do not count.
        peak_bytes: of a device.
        costs: of a step; None where they follow the time.
    """
    if costs is None:
        return _front_of_two(seconds, peak_bytes)
    order = np.lexsort((costs, peak_bytes, seconds))
    order = order[np.isfinite(seconds[order])]
    stairs = _Stairs()
    found: list[int] = []
    start, length = 0, _FIRST_BLOCK
    while start < len(order):
        block = order[start : start + length]
        block = block[~stairs.beat(peak_bytes[block], costs[block])]
        found += [int(index) for index in block if stairs.add(float(peak_bytes[index]), float(costs[index]))]
        start, length = start + length, 2 * length
    return tuple(found)


def course(seconds: Floats, peak_bytes: Floats, costs: Floats) -> tuple[int, ...]:
    """Return some points of a front that show its course, fastest first.

    They are the fastest, the cheapest, and the fastest that are as lean as even shares of the memory between the most
    and the least that a layout takes which is no more than `MAX_SLOWER` times slower than the fastest.
    """
    near = np.flatnonzero(seconds <= MAX_SLOWER * np.min(seconds))
    peaks = peak_bytes[near]
    picked = {int(near[np.argmin(seconds[near])]), int(near[np.argmin(costs[near])])}
    for room in np.linspace(np.max(peaks), np.min(peaks), STEPS):
        lean = near[peaks <= room]
        picked.add(int(lean[np.argmin(seconds[lean])]))
    return tuple(sorted(picked, key=lambda index: float(seconds[index])))


def _front_of_two(seconds: Floats, peak_bytes: Floats) -> tuple[int, ...]:
    order = np.lexsort((peak_bytes, seconds))
    lowest = np.minimum.accumulate(peak_bytes[order])
    is_new = np.concatenate([[True], peak_bytes[order][1:] < lowest[:-1]]) & np.isfinite(seconds[order])
    return tuple(int(index) for index in order[is_new])


class _Stairs:
    """The front of memory and cost of the layouts so far, all of which are faster: leanest first."""

    def __init__(self) -> None:
        self._peaks: list[float] = []
        self._costs: list[float] = []

    def beat(self, peaks: Floats, costs: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Return which layouts one of these is as good as in both."""
        below = np.searchsorted(self._peaks, peaks, side="right")
        cheapest = np.asarray([np.inf, *self._costs])
        return np.asarray(cheapest[below] <= costs)

    def add(self, peak: float, cost: float) -> bool:
        """Add a layout; return whether none of these is as good."""
        place = bisect_right(self._peaks, peak)
        if place and self._costs[place - 1] <= cost:
            return False
        end = place
        while end < len(self._costs) and self._costs[end] >= cost:
            end += 1
        # One as lean that costs more is beaten too.
        start = place - 1 if place and self._peaks[place - 1] == peak else place
        self._peaks[start:end] = [peak]
        self._costs[start:end] = [cost]
        return True
