"""The layout search: all legal layouts evaluated as arrays, the best of those that fit, and the front of trade-offs."""

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
        peak_bytes: of a device.
        best: index of the layout to use; where none fits, that of the one with the smallest peak.
        fits: whether it fits.
        others: indices of the next best, of different degrees.
        front: indices of the layouts that nothing beats in both time and memory, fastest first.
        removed: how many choices each rule removed; ``memory`` among them.
    """

    splits: Layouts
    seconds: Floats
    peak_bytes: Floats
    best: int
    fits: bool
    others: tuple[int, ...]
    front: tuple[int, ...]
    removed: Mapping[str, int]


def search(job: Job, hardware: Hardware, wishes: Wishes, *, num_others: int = 5) -> Found | None:
    """Return the best layouts, or None where no layout is legal."""
    legal = legal_layouts(job, hardware, wishes)
    if legal.splits is None:
        return None
    splits = legal.splits
    peak, seconds = evaluate(job, hardware, splits)
    choice = choose(job, hardware, splits, peak, seconds)
    best = choice.best
    removed = dict(legal.removed)
    removed["memory"] = int(np.count_nonzero(~choice.fitting))
    if not choice.fits:
        return Found(
            splits=splits,
            seconds=seconds,
            peak_bytes=peak,
            best=best,
            fits=False,
            others=(),
            front=(best,),
            removed=removed,
        )
    limited = np.where(choice.fitting, seconds, np.inf)
    return Found(
        splits=splits,
        seconds=limited,
        peak_bytes=peak,
        best=best,
        fits=True,
        others=_others(splits, limited, best, num_others),
        front=_front(limited, peak),
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


def evaluate(job: Job, hardware: Hardware, splits: Layouts) -> tuple[Floats, Floats]:
    """Return peak bytes and step seconds of every layout."""
    peaks, times = [], []
    for start in range(0, len(splits), CHUNK):
        part = splits.take(slice(start, start + CHUNK))
        peaks.append(memory(job, hardware, part).total_bytes)
        times.append(step_times(job, hardware, part).seconds)
    return np.concatenate(peaks), np.concatenate(times)


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


def _front(seconds: Floats, peak: Floats) -> tuple[int, ...]:
    """Return the layouts that are the leanest of all that are as fast: the Pareto front of time and memory."""
    order = np.lexsort((peak, seconds))
    lowest = np.minimum.accumulate(peak[order])
    is_new = np.concatenate([[True], peak[order][1:] < lowest[:-1]]) & np.isfinite(seconds[order])
    return tuple(int(index) for index in order[is_new])


def row_of(splits: Layouts, index: int) -> dict[str, float]:
    """Return one layout by field."""
    return {field.name: float(getattr(splits, field.name)[index]) for field in fields(splits)}
