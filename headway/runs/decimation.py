"""A long series as few points that keep what a reader looks for: spikes, and where numbers stop being finite."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.runs.columns import Column, is_missing


@dataclass(frozen=True, kw_only=True)
class Decimated:
    """Buckets of consecutive values, in order; each array has one entry for each bucket.

    Attributes:
        first: value of the axis at the first record of the bucket.
        last: value of the axis at its last record.
        low: the least finite value; NaN where there is none.
        high: the greatest finite value.
        mean: of the finite values.
        final: the last value, finite or not.
        count: how many values there are.
        non_finite: how many of them are NaN or infinite.
    """

    first: Column
    last: Column
    low: Column
    high: Column
    mean: Column
    final: Column
    count: NDArray[np.int64]
    non_finite: NDArray[np.int64]

    def to_dict(self) -> dict[str, list[Any]]:
        """Return lists for JSON, with None for what is not finite."""
        names = ("first", "last", "low", "high", "mean", "final")
        floats = {name: _with_none(getattr(self, name)) for name in names}
        return {**floats, "count": self.count.tolist(), "non_finite": self.non_finite.tolist()}


def last_of_each_step(step: Column, roll_backs: Column | None = None) -> NDArray[np.int64]:
    """Return the indices of the last record of each step, in order of steps; as `headway.runs.logs.last_per_step`.

    A run that was killed and resumed has done the steps after its last checkpoint twice. One that was rolled back has
    left a branch: the steps of it that were not done again do not count.

    Args:
        step: ``[n]``, of each record.
        roll_backs: ``[n]``, how many there were before; `MISSING` means none.
    """
    if roll_backs is not None and len(step):
        branch = np.maximum.accumulate(np.where(np.isfinite(roll_backs), roll_backs, 0.0))
        kept = np.ones(len(step), np.bool_)
        for start in np.flatnonzero(np.diff(branch, prepend=0.0) > 0):
            kept[:start] &= step[:start] < step[start]
        remaining = np.flatnonzero(kept)
        found_there: NDArray[np.int64] = remaining[last_of_each_step(step[remaining])]
        return found_there
    if len(step) < 2 or bool((np.diff(step) > 0).all()):
        return np.arange(len(step))
    # Of equal values unique gives the first: looked at from the end, that is the last.
    _, from_end = np.unique(step[::-1], return_index=True)
    found: NDArray[np.int64] = len(step) - 1 - from_end
    return found


def decimate(axis: Column, values: Column, max_buckets: int) -> Decimated:
    """Divide a series into buckets of equally many records.

    Args:
        axis: ``[n]``, rising.
        values: ``[n]``; records without a value are left out.
        max_buckets: of the result; at least 1.

    Returns:
        At most that many buckets, none of them empty.
    """
    there = ~is_missing(values)
    if not there.all():
        axis, values = axis[there], values[there]
    size = len(values)
    if not size:
        empty, none = np.empty(0), np.empty(0, np.int64)
        return Decimated(
            first=empty, last=empty, low=empty, high=empty, mean=empty, final=empty, count=none, non_finite=none
        )
    starts = np.unique(np.linspace(0, size, min(max_buckets, size), endpoint=False).astype(np.int64))
    ends = np.append(starts[1:], size)
    finite = np.isfinite(values)
    is_all = bool(finite.all())
    count = ends - starts
    num_finite = count if is_all else np.add.reduceat(finite, starts, dtype=np.int64)
    low = np.minimum.reduceat(values if is_all else np.where(finite, values, np.inf), starts)
    high = np.maximum.reduceat(values if is_all else np.where(finite, values, -np.inf), starts)
    total = np.add.reduceat(values if is_all else np.where(finite, values, 0.0), starts)
    some = num_finite > 0
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        mean = total / num_finite
    return Decimated(
        first=axis[starts],
        last=axis[ends - 1],
        low=np.where(some, low, np.nan),
        high=np.where(some, high, np.nan),
        mean=np.where(some, mean, np.nan),
        final=values[ends - 1],
        count=count,
        non_finite=count - num_finite,
    )


def _with_none(values: Column) -> list[float | None]:
    if bool(np.isfinite(values).all()):
        plain: list[float | None] = values.tolist()
        return plain
    return [value if ok else None for value, ok in zip(values.tolist(), np.isfinite(values).tolist(), strict=True)]
