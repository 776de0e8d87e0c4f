"""The layout search: all legal layouts evaluated as arrays, the best of those that fit, and the front of trade-offs.

Source: the choice is ours; its three numbers are constants of the catalogue, each with its reason.
Leaves out: how hard a layout is to set up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import reduce

import numpy as np
from numpy.typing import NDArray

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.intervals import memory_spread
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.legal import legal_layouts
from headway.planning.analytic.memory import memory
from headway.planning.analytic.pareto import Charges, front
from headway.planning.analytic.step import step_times
from headway.planning.analytic.wishes import Wishes
from headway.planning.constants import constant

CHUNK = 16384
"""Layouts that are evaluated at a time: their arrays stay in the processor's caches."""

NEARLY_BEST = constant("layout-nearly-best")
"""Among layouts that are this much slower than the fastest at most, the simplest is taken: predictions tell no more."""

SAFE_AT_MOST = constant("layout-safe-at-most")
"""A layout that may be this much slower is taken where it alone fits even if the peak is at the upper end of its
interval: a training that runs out of memory has no speed."""

HEADROOM = constant("layout-headroom")
"""Share of the device's memory that a layout fills that is chosen among several; only where none fills less, the whole
memory counts."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """The result of a search.

    Attributes:
        splits: all legal layouts.
        seconds: of a step; infinite for those that do not fit.
        computing_seconds: of them, those in which the devices do not wait.
        peak_bytes: of a device.
        best: index of the layout to use; where none fits, that of the one with the smallest peak.
        fits: whether it fits.
        others: indices of the next best, of different degrees.
        front: indices of the layouts that nothing beats in time, memory and cost at once, fastest first.
        removed: how many choices each rule removed; ``memory`` among them.
    """

    splits: Layouts
    seconds: Floats
    computing_seconds: Floats
    peak_bytes: Floats
    best: int
    fits: bool
    others: tuple[int, ...]
    front: tuple[int, ...]
    removed: Mapping[str, int]


def search(
    job: Job, hardware: Hardware, wishes: Wishes, *, num_others: int = 5, charges: Charges | None = None
) -> Found | None:
    """Return the best layouts, or None where no layout is legal.

    Args:
        job: what is trained.
        hardware: on what.
        wishes: what the recipe fixes.
        num_others: how many of the next best are told.
        charges: what a layout costs; None where that follows the time.
    """
    legal = legal_layouts(job, hardware, wishes)
    if legal.splits is None:
        return None
    splits, charged = legal.splits, charges or Charges()
    capacity = np.inf if hardware.capacity_bytes is None else float(hardware.capacity_bytes)
    measured = evaluate(job, hardware, splits, most_bytes=capacity)
    choice = choose(job, hardware, splits, measured.peak_bytes, measured.seconds)
    removed = {**legal.removed, "memory": int(np.count_nonzero(~choice.fitting))}
    limited = np.where(choice.fitting, measured.seconds, np.inf)
    costs = None if charged.follow_time else charged.of(limited, measured.computing_seconds)
    return Found(
        splits=splits,
        seconds=limited,
        computing_seconds=measured.computing_seconds,
        peak_bytes=measured.peak_bytes,
        best=choice.best,
        fits=choice.fits,
        others=_others(splits, limited, choice.best, num_others) if choice.fits else (),
        front=front(limited, measured.peak_bytes, costs) if choice.fits else (choice.best,),
        removed=removed,
    )


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The layout to use among some.

    Attributes:
        best: its index; where none fits, that of the one with the smallest peak.
        fitting: which of them fit.
    """

    best: int
    fitting: NDArray[np.bool_]

    @property
    def fits(self) -> bool:
        """Whether any fits."""
        return bool(np.any(self.fitting))


def choose(job: Job, hardware: Hardware, splits: Layouts, peak: Floats, seconds: Floats) -> Chosen:
    """Return the layout to use among some: simple, surely fitting and about the fastest.

    Args:
        job: what is trained.
        hardware: on what.
        splits: the layouts to choose among.
        peak: bytes of a device under each.
        seconds: of a step under each.
    """
    capacity = np.inf if hardware.capacity_bytes is None else float(hardware.capacity_bytes)
    fitting: NDArray[np.bool_] = peak <= HEADROOM * capacity
    if not np.any(fitting):
        # What fills the last few percent is not chosen where anything else can be, but it fits.
        fitting = peak <= capacity
    if not np.any(fitting):
        return Chosen(best=int(np.argmin(peak)), fitting=fitting)
    limited = np.where(fitting, seconds, np.inf)
    return Chosen(best=_simplest(splits, _safest(job, hardware, limited, peak), peak), fitting=fitting)


@dataclass(frozen=True, kw_only=True)
class Evaluated:
    """Memory and time of some layouts.

    Attributes:
        peak_bytes: of a device.
        seconds: of a step; infinite for those that were not to be timed.
        computing_seconds: of them, those in which the devices do not wait.
    """

    peak_bytes: Floats
    seconds: Floats
    computing_seconds: Floats


def evaluate(job: Job, hardware: Hardware, splits: Layouts, *, most_bytes: float = np.inf) -> Evaluated:
    """Return peak bytes and step seconds of every layout.

    Args:
        job: what is trained.
        hardware: on what.
        splits: the layouts.
        most_bytes: layouts whose peak is beyond are not timed.
    """
    peaks = np.empty(len(splits))
    seconds, computing = np.full(len(splits), np.inf), np.full(len(splits), np.inf)
    for start in range(0, len(splits), CHUNK):
        rows = np.arange(start, min(start + CHUNK, len(splits)))
        part = splits.take(slice(start, start + CHUNK))
        peaks[rows] = memory(job, hardware, part).total_bytes
        timed = peaks[rows] <= most_bytes
        if not np.all(timed):
            part, rows = part.take(timed), rows[timed]
        if len(rows):
            times = step_times(job, hardware, part)
            seconds[rows], computing[rows] = times.seconds, times.computing_seconds
    return Evaluated(peak_bytes=peaks, seconds=seconds, computing_seconds=computing)


def _safest(job: Job, hardware: Hardware, seconds: Floats, peak: Floats) -> Floats:
    """Return the times of the layouts to choose among: of those that surely fit, where one is nearly the fastest."""
    if hardware.capacity_bytes is None:
        return seconds
    _, high = memory_spread(job)
    surely = np.where(high * peak <= hardware.capacity_bytes, seconds, np.inf)
    return surely if np.min(surely) <= SAFE_AT_MOST * np.min(seconds) else seconds


def _simplest(splits: Layouts, seconds: Floats, peak: Floats) -> int:
    """Return the layout with the fewest kinds of division among those that are about as fast as the fastest."""
    near = np.flatnonzero(seconds <= NEARLY_BEST * np.min(seconds))
    degrees = ("tensor", "pipeline", "virtual", "context", "expert")
    kinds = reduce(np.add, ((getattr(splits, name)[near] > 1).astype(np.float64) for name in degrees))
    kinds = kinds + splits.shard[near] + (splits.shard_group[near] < splits.replicas[near])
    kinds = kinds + (splits.recompute[near] > 0)
    order = np.lexsort((peak[near], seconds[near], kinds))
    return int(near[order[0]])


def _others(splits: Layouts, seconds: Floats, best: int, count: int) -> tuple[int, ...]:
    """Return the fastest layouts whose degrees, sharding or recomputation differ from those before."""
    names = ("tensor", "pipeline", "context", "expert", "shard", "micro_batch", "recompute")
    keys: NDArray[np.float64] = np.stack([getattr(splits, name) for name in names], axis=1)
    seen = {tuple(keys[best])}
    found: list[int] = []
    for index in np.argsort(seconds, kind="stable"):
        if not np.isfinite(seconds[index]) or len(found) == count:
            break
        key = tuple(keys[index])
        if key not in seen:
            seen.add(key)
            found.append(int(index))
    return tuple(found)


def row_of(splits: Layouts, index: int) -> dict[str, float]:
    """Return one layout by field."""
    return {field.name: float(getattr(splits, field.name)[index]) for field in fields(splits)}
