"""Prices or carbon intensities by the hour, and the best hour to start a run.

A run draws the same power all the time, so that what it pays is the mean over its hours. The series is taken to
repeat: a run that is longer than it, or starts near its end, goes on at its beginning.
Leaves out: power that follows the hours, forecasts, and pauses while electricity is dear.

Source: the mean of a step function over an interval, by cumulative sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from headway import units
from headway.errors import PlanError
from headway.recipe.reading import read_limited

if TYPE_CHECKING:
    import numpy as np

MAX_BYTES = 8 * 2**20
"""A series is bounded input: hours of a century, and some text to each."""

_SAME_SHARE = 1e-3
"""Of the mean, by which hours to start may differ and are as good. Our choice: prices and intensities have three
digits, and sums over a year of them are rounded."""

_MAX_VALUE = 1e6
"""No price of a kilowatt hour and no kilograms of carbon for it come near this; `recipe.quantities.Price` is alike."""


@dataclass(frozen=True, kw_only=True)
class HourlySeries:
    """One value for each hour.

    Attributes:
        path: of the file.
        values: in the order of the hours.
    """

    path: str
    values: tuple[float, ...]

    def window_means(self, seconds: float) -> np.ndarray:
        """Return the mean over a run for every hour that it may start at; shape (hours,).

        With C the cumulative sum, a run of h = c N + w + f hours (whole cycles, whole hours, a fraction) that starts
        at s takes c C[N] + C[s + w] - C[s] + f v[s + w], over h.
        """
        import numpy as np

        values = np.asarray(self.values, dtype=np.float64)
        count = len(values)
        hours = seconds / units.SECONDS_PER_HOUR
        if hours <= 0:
            return values
        whole = math.floor(hours)
        cycles, rest = divmod(whole, count)
        # Means, not sums, of the cycles: a sum over a run of absurd length would swallow the rest.
        sums = np.concatenate(([0.0], np.cumsum(np.concatenate((values, values)))))
        starts = np.arange(count)
        partial = sums[starts + rest] - sums[starts] + (hours - whole) * values[(starts + rest) % count]
        return np.asarray(cycles * (count / hours) * values.mean() + partial / hours)


@dataclass(frozen=True, kw_only=True)
class Window:
    """What a run meets in a series.

    Attributes:
        mean: from the hour at which the recipe starts it.
        best_mean: from the best hour to start.
        best_start_hour: that hour, counted from the first of the series: the next of those that are as good.
    """

    mean: float
    best_mean: float
    best_start_hour: int


def plan_window(series: HourlySeries, *, seconds: float, start_hour: int) -> Window:
    """Return what a run meets.

    Args:
        series: by the hour.
        seconds: of the run.
        start_hour: counted from the first hour of the series; it wraps around.
    """
    means = series.window_means(seconds)
    count, start = len(means), start_hour % len(means)
    near = means.min() + _SAME_SHARE * abs(means).mean()
    # Nobody waits for months for what is as good now.
    waits = (means <= near).nonzero()[0] - start
    best = (start + int((waits % count).min())) % count
    return Window(mean=float(means[start]), best_mean=float(means[best]), best_start_hour=best)


@lru_cache(maxsize=8)
def _read(path: str, _modified: int, _size: int, lowest: float) -> HourlySeries:
    try:
        content = read_limited(Path(path), MAX_BYTES)
        if len(content) > MAX_BYTES:
            raise PlanError("plan-series-large", path=path, limit_bytes=MAX_BYTES)
        text = content.decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise PlanError("plan-series-unreadable", path=path, reason=_reason(error)) from error
    values: list[float] = []
    before: float | datetime | None = None
    for line, (time, value) in enumerate(_rows(path, text), start=1):
        if not math.isfinite(value) or not lowest <= value <= _MAX_VALUE:
            raise PlanError("plan-series-value", path=path, line=line, value=f"{value:g}", lowest=lowest)
        if before is not None and not _is_next(before, time):
            raise PlanError("plan-series-gap", path=path, line=line, before=str(before), after=str(time))
        values.append(value)
        before = time
    if not values:
        raise PlanError("plan-series-empty", path=path)
    return HourlySeries(path=path, values=tuple(values))


def read_series(path: str, *, lowest: float) -> HourlySeries:
    """Read a series: lines of an hour and a value, separated by a comma, below a line of names if there is one.

    Args:
        path: of the file. The hour is a number or an ISO 8601 time; each is one later than the one before.
        lowest: value that can be meant: prices fall below zero, intensities do not.

    Raises:
        PlanError: the file cannot be read, is too large, or breaks a rule; the error names the line.
    """
    try:
        found = Path(path).stat()
    except OSError as error:
        raise PlanError("plan-series-unreadable", path=path, reason=_reason(error)) from error
    return _read(path, found.st_mtime_ns, found.st_size, lowest)


def _rows(path: str, text: str) -> Iterator[tuple[float | datetime, float]]:
    is_first = True
    for line, content in enumerate(text.splitlines(), start=1):
        if not content.strip():
            continue
        cells = [cell.strip().strip('"') for cell in content.split(",")]
        try:
            if len(cells) < 2:
                raise ValueError("one cell is no row")
            yield _time(cells[0]), float(cells[1])
        except ValueError as error:
            # The first line may name the columns.
            if not is_first or len(cells) < 2:
                raise PlanError("plan-series-row", path=path, line=line, text=content[:80]) from error
        is_first = False


def _time(text: str) -> float | datetime:
    try:
        return float(text)
    except ValueError:
        return datetime.fromisoformat(text)


def _is_next(before: float | datetime, after: float | datetime) -> bool:
    if isinstance(before, datetime) and isinstance(after, datetime):
        if (before.tzinfo is None) != (after.tzinfo is None):
            return False
        return after - before == timedelta(hours=1)
    return isinstance(before, float) and isinstance(after, float) and after - before == 1


def _reason(error: OSError | UnicodeDecodeError) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or type(error).__name__
