"""Goodput by chance: many replicas of a job, each with failures drawn at random or replayed from a public trace.

Between two failures a job does the same whatever happened before, so that all stretches of all replicas are worked out
as one array. Four ways in which failures may come:

- `Poisson`: independent of everything; the exact formula holds, and serves as a check.
- `Weibull`: gaps between failures by Weibull's distribution; a shape below 1 means that failures follow each other
  closely (a bad node comes back, a repair fails), above 1 that they keep a distance.
- `Ageing`: the rate falls (shape below 1: infant mortality) or rises (above 1: wear) over the run, in a power law.
- `Replay`: the public trace of a cluster, as often side by side as the job is larger, each copy shifted at random.

Leaves out: that a failure in the time until another is noticed is noticed with it (it starts that time anew).
Source: Weibull 1951; Crow 1974; the catalogue's trace.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from headway.catalog.reliability import FailureTrace
from headway.planning.reliability.goodput import Checkpointing

Array = NDArray[np.float64]


class FailureProcess(Protocol):
    """How failures of a job come."""

    def starts(self, random: np.random.Generator, replicas: int, seconds: float, down_seconds: float) -> Array:
        """Return when failures happen, in ascending order.

        Args:
            random: source of chance.
            replicas: independent jobs.
            seconds: of wall time that must be covered.
            down_seconds: after each failure in which a dead job cannot fail again, where the process knows the job.

        Returns:
            Seconds since the begin, [replicas, most failures]; what lies beyond the end does not count.
        """


@dataclass(frozen=True, kw_only=True)
class Poisson:
    """Failures that know nothing of each other.

    Attributes:
        mtbf_seconds: of the whole job.
    """

    mtbf_seconds: float

    def starts(self, random: np.random.Generator, replicas: int, seconds: float, down_seconds: float) -> Array:
        """Return when failures happen; see `FailureProcess`."""
        return _renewals(random.standard_exponential, self.mtbf_seconds, replicas, seconds, down_seconds)


@dataclass(frozen=True, kw_only=True)
class Weibull:
    """Gaps between failures by Weibull's distribution.

    Attributes:
        mtbf_seconds: mean of the gaps.
        shape: below 1 in bursts, 1 as Poisson, above 1 regular.
    """

    mtbf_seconds: float
    shape: float

    def starts(self, random: np.random.Generator, replicas: int, seconds: float, down_seconds: float) -> Array:
        """Return when failures happen; see `FailureProcess`."""

        def draw(size: tuple[int, int]) -> Array:
            return random.standard_exponential(size) ** (1 / self.shape)

        scale_seconds = self.mtbf_seconds / math.gamma(1 + 1 / self.shape)
        spread = math.gamma(1 + 2 / self.shape) / math.gamma(1 + 1 / self.shape) ** 2 - 1
        return _renewals(draw, scale_seconds, replicas, seconds, down_seconds, self.mtbf_seconds, spread)


@dataclass(frozen=True, kw_only=True)
class Ageing:
    """A failure rate that changes over the run as time^(shape - 1), with a given mean over the run.

    Source: Crow 1974, power-law process with minimal repair: a repaired part is as old as the others.

    Attributes:
        mtbf_seconds: mean over the run.
        shape: below 1 infant mortality, 1 as Poisson, above 1 wear.
    """

    mtbf_seconds: float
    shape: float

    def starts(self, random: np.random.Generator, replicas: int, seconds: float, down_seconds: float) -> Array:
        """Return when failures happen; see `FailureProcess`. The age of the parts goes on while a job is down."""
        expected = seconds / self.mtbf_seconds
        unit = _renewals(random.standard_exponential, 1.0, replicas, expected, 0.0)
        times: Array = seconds * (unit / expected) ** (1 / self.shape)
        return times


@dataclass(frozen=True, kw_only=True)
class Replay:
    """A recorded trace, scaled to the job by independent copies, the last of them thinned at random.

    Attributes:
        trace: of a cluster.
        nodes: servers of the job.
    """

    trace: FailureTrace
    nodes: int

    def starts(self, random: np.random.Generator, replicas: int, seconds: float, down_seconds: float) -> Array:
        """Return when failures happen; see `FailureProcess`. A trace shorter than the run begins anew."""
        length_seconds = self.trace.duration_seconds
        recorded = np.array([fault.start_seconds for fault in self.trace.events])
        laps = math.ceil(seconds / length_seconds) + 1
        endless = (recorded + length_seconds * np.arange(laps)[:, None]).ravel()
        copies = self.nodes / self.trace.nodes
        rows = [self._row(random, np.sort(endless), copies, seconds) for _ in range(replicas)]
        times = np.full((replicas, max(1, *(len(row) for row in rows), 1)), np.inf)
        for row, filled in zip(rows, times, strict=True):
            filled[: len(row)] = row
        return times

    def _row(self, random: np.random.Generator, endless: Array, copies: float, seconds: float) -> Array:
        kept = []
        while copies > 0:
            begin = random.uniform(0, self.trace.duration_seconds)
            first, last = np.searchsorted(endless, (begin, begin + seconds))
            part = endless[first:last] - begin
            kept.append(part if copies >= 1 else part[random.random(len(part)) < copies])
            copies -= 1
        return np.sort(np.concatenate(kept)) if kept else np.empty(0)


@dataclass(frozen=True, kw_only=True)
class Simulation:
    """What came out of the replicas.

    Attributes:
        goodputs: useful share of the wall time, [replicas].
        interruptions: failures in the wall time, [replicas].
    """

    goodputs: Array
    interruptions: NDArray[np.int64]

    @property
    def mean_goodput(self) -> float:
        """Over the replicas."""
        return float(self.goodputs.mean())

    def goodput_interval(self, coverage: float = 0.8) -> tuple[float, float]:
        """Return the ends of the interval that holds this share of the replicas."""
        low, high = np.quantile(self.goodputs, ((1 - coverage) / 2, (1 + coverage) / 2))
        return float(low), float(high)

    def interruptions_interval(self, coverage: float = 0.8) -> tuple[float, float]:
        """Return the same for the number of interruptions."""
        low, high = np.quantile(self.interruptions, ((1 - coverage) / 2, (1 + coverage) / 2))
        return float(low), float(high)


def simulate(
    process: FailureProcess,
    way: Checkpointing,
    *,
    seconds: float,
    replicas: int = 1000,
    seed: int = 0,
) -> Simulation:
    """Return what is left of a wall time under failures.

    Work counts once its checkpoint is safe; what is in hand at the very end counts too, since the last step is saved.

    Args:
        process: how failures come.
        way: how the job saves itself and comes back.
        seconds: of wall time.
        replicas: independent jobs.
        seed: the same seed gives the same numbers.
    """
    random = np.random.default_rng(seed)
    starts = process.starts(random, replicas, seconds, way.detection_seconds)
    starts = np.minimum(starts, seconds)
    down_seconds = way.detection_seconds + way.restart_seconds
    begins = np.zeros((replicas, starts.shape[1] + 1))
    begins[:, 1:] = starts + down_seconds
    ends = np.full_like(begins, seconds)
    ends[:, :-1] = starts
    stretches = np.maximum(ends - begins, 0.0)
    safe = np.floor((stretches - way.write_behind_seconds) / way.period_seconds)
    work = np.maximum(safe, 0.0).sum(axis=1) * way.work_seconds
    return Simulation(
        goodputs=np.minimum((work + _in_hand(stretches, starts, safe, way, seconds)) / seconds, 1.0),
        interruptions=(starts < seconds).sum(axis=1),
    )


def _in_hand(stretches: Array, starts: Array, safe: Array, way: Checkpointing, seconds: float) -> Array:
    """Return the work of the last stretch that no checkpoint holds yet."""
    last = (starts < seconds).sum(axis=1)
    rows = np.arange(len(starts))
    kept = np.maximum(safe[rows, last], 0.0)
    rest = stretches[rows, last] - kept * way.period_seconds
    whole = np.floor(rest / way.period_seconds)
    in_period = np.minimum(rest - whole * way.period_seconds, way.work_seconds)
    work: Array = whole * way.work_seconds + in_period
    return work


class _Draw(Protocol):
    def __call__(self, size: tuple[int, int], /) -> Array: ...


def _renewals(
    draw: _Draw,
    scale: float,
    replicas: int,
    until: float,
    down: float,
    mean: float | None = None,
    relative_variance: float = 1.0,
) -> Array:
    """Return the times of events whose gaps are drawn alike, enough of them for every replica to pass the end."""
    expected = until / (mean if mean is not None else scale)
    size = math.ceil(expected + 6 * math.sqrt(max(expected * relative_variance, 1.0)) + 6)
    times: Array = np.cumsum(scale * draw((replicas, size)) + down, axis=1) - down
    while times[:, -1].min() < until:
        more = times[:, -1:] + down + np.cumsum(scale * draw((replicas, size)) + down, axis=1) - down
        times = np.concatenate((times, more), axis=1)
    return times
