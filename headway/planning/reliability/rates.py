"""From published failure rates to how often a job stops, and how sure that is.

Fleets differ far more than chance allows: the five large ones in the catalogue span a factor of four. The rate of a
fleet that nobody has watched is therefore a random number itself. Its logarithm is taken as normal over fleets, with
the mean and the spread of the published ones, each counted once and all alike, whatever their size: what differs is
how they are built and run, and that does not average out within a fleet. The mean and the spread are themselves known
from few fleets only, so Student's t with n - 1 degrees replaces the normal, wider by sqrt(1 + 1/n). Given the rate,
the count is Poisson's. Where the reader states the rate of the own cluster, only the variation over time within one
cluster is left, as the public trace shows it.

Source: DerSimonian and Laird 1986 (random effects over studies); Student 1908; Gelman et al. 2013, "Bayesian Data
Analysis", section 3.2 (the wider t of a new member).
Leaves out: that a fleet becomes better with time, and that fleets of one maker may be alike.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist, fmean, stdev

from headway import catalog, units
from headway.catalog.reliability import Failure, recovery
from headway.catalog.store import find

PUBLISHED_FLEETS = "published-fleets"
"""The basis that pools all fleets."""
SAME_HARDWARE = "same-hardware"
"""The basis that pools what was published on accelerators of the same family."""

COVERAGE = 0.8
"""Of the intervals: so often the truth lies inside."""

_NODES = 101
"""Of the rates over which small counts are averaged."""
_MIXED_UP_TO = 100.0
"""Expected counts for which that is done; above, the count is log-normal, given the rate."""
_SUMMED_UP_TO = 31
"""Counts up to which probabilities are summed up."""


@dataclass(frozen=True, kw_only=True)
class FailureRate:
    """How often one accelerator, with its share of everything around it, stops its job.

    Attributes:
        per_device_hour: the median over clusters, for each accelerator and hour.
        log_deviation: standard deviation of the rate's natural logarithm for a cluster that nobody has watched.
        degrees: of freedom that the deviation is known with; infinite where it is stated.
        source: id in the catalogue (or several, with commas), `PUBLISHED_FLEETS`, or ``recipe``.
    """

    per_device_hour: float
    log_deviation: float
    degrees: float
    source: str


@dataclass(frozen=True, kw_only=True)
class ComponentRate:
    """The part of one component in the failures of a run.

    Attributes:
        component: as the source names it.
        category: the source's own grouping.
        per_device_hour: for each accelerator and hour.
        share: of all that the run counted by component.
    """

    component: str
    category: str
    per_device_hour: float
    share: float


@dataclass(frozen=True, kw_only=True)
class Interval:
    """An expected number and the interval that holds the true one in `COVERAGE` of all cases."""

    low: float
    expected: float
    high: float


def published_fleets(leave_out: str | None = None) -> tuple[Failure, ...]:
    """Return the figures that stand for one fleet each, without one of them if asked for.

    Args:
        leave_out: id in the catalogue; to test how well the others foretell it.
    """
    return tuple(entry for entry in catalog.failures() if entry.is_fleet and entry.id != leave_out)


def pooled_rate(leave_out: str | None = None) -> FailureRate:
    """Return the rate of a fleet that nobody has watched, from the published ones.

    Args:
        leave_out: id of a fleet that does not count.
    """
    logarithms = [math.log(_rate(entry)) for entry in published_fleets(leave_out)]
    count = len(logarithms)
    return FailureRate(
        per_device_hour=math.exp(fmean(logarithms)),
        log_deviation=stdev(logarithms) * math.sqrt(1 + 1 / count),
        degrees=count - 1,
        source=PUBLISHED_FLEETS,
    )


def failure_rate(basis: str = PUBLISHED_FLEETS, accelerator: str | None = None) -> FailureRate:
    """Return the rate on a published basis.

    The rate of one fleet is no surer for another cluster than the pooled one: it has the same spread.

    Args:
        basis: `PUBLISHED_FLEETS`; `SAME_HARDWARE`, which is the former where nothing was published on the family; or
            the id of an entry in the catalogue's failures that gives a rate.
        accelerator: id in the catalogue, whose first word is the family.

    Raises:
        CatalogError: no entry with a rate has this name; the error carries the closest one.
    """
    pooled = pooled_rate()
    if basis == PUBLISHED_FLEETS:
        return pooled
    if basis == SAME_HARDWARE:
        family = (accelerator or "").split("-")[0]
        alike = [entry for entry in _with_rate() if entry.accelerator_family == family]
        if not alike:
            return pooled
        rate = math.exp(fmean(math.log(_rate(entry)) for entry in alike))
        return replace(pooled, per_device_hour=rate, source=", ".join(entry.id for entry in alike))
    entry = find("failure", basis, {entry.id: entry for entry in _with_rate()})
    return replace(pooled, per_device_hour=_rate(entry), source=entry.id)


def stated_rate(per_device_hour: float) -> FailureRate:
    """Return the rate that a reader knows of the own cluster, with its variation over time.

    Source: the catalogue's ``count-relative-variance``; a log-normal rate has the variance ln(1 + v).
    """
    variance = recovery()["count-relative-variance"].value
    assert variance is not None, "the catalogue states it"
    deviation = math.sqrt(math.log1p(variance))
    return FailureRate(per_device_hour=per_device_hour, log_deviation=deviation, degrees=math.inf, source="recipe")


def component_rates(run: str) -> tuple[ComponentRate, ...]:
    """Return what failed in a run, the most frequent first; empty where the run is unknown or gives no rates.

    The rates add up to the run's own, since a job stops at the first failure of any component.
    """
    parts = [entry for entry in catalog.failures(run) if entry.category and entry.rate_per_device_hour]
    total = sum(_rate(entry) for entry in parts)
    rates = [
        ComponentRate(
            component=entry.component,
            category=entry.category or "",
            per_device_hour=_rate(entry),
            share=_rate(entry) / total,
        )
        for entry in parts
    ]
    return tuple(sorted(rates, key=lambda rate: -rate.per_device_hour))


def failures_per_hour_of_parts(parts: Mapping[str, float]) -> float:
    """Return the failures per hour of a job that stands still when any of its parts fails.

    Args:
        parts: how many of each; by the ids of catalogue entries that give a rate for one part, or for one device.

    Raises:
        CatalogError: no entry with a rate has this name.
    """
    known = {entry.id: entry for entry in catalog.failures() if _part_rate(entry) is not None}
    return sum(count * (_part_rate(find("failure", name, known)) or 0.0) for name, count in parts.items())


def job_mtbf_seconds(rate: FailureRate, devices: int) -> float:
    """Return the mean time between two failures of a job: any accelerator stops all, so the rates add up."""
    return units.SECONDS_PER_HOUR / (rate.per_device_hour * devices)


def interruptions(rate: FailureRate, *, devices: int, seconds: float) -> Interval:
    """Return how often a job is interrupted in a time, with the interval that the spread of fleets leaves.

    The expected number is that at the median rate; the mean over all fleets that may be is higher.

    Args:
        rate: with its spread.
        devices: of the job.
        seconds: of wall time.
    """
    expected = seconds / job_mtbf_seconds(rate, devices)
    tail = (1 - COVERAGE) / 2
    if expected > _MIXED_UP_TO:
        # The logarithm of a large Poisson count varies by 1 / expected.
        deviation = math.hypot(rate.log_deviation, expected**-0.5)
        reach = math.exp(deviation * _student_quantile(1 - tail, rate.degrees))
        return Interval(low=float(round(expected / reach)), expected=expected, high=float(round(expected * reach)))
    quantiles = (_student_quantile((index + 0.5) / _NODES, rate.degrees) for index in range(_NODES))
    means = [expected * math.exp(rate.log_deviation * quantile) for quantile in quantiles]
    return Interval(low=_mixed_quantile(means, tail), expected=expected, high=_mixed_quantile(means, 1 - tail))


def rate_interval(rate: FailureRate) -> tuple[FailureRate, FailureRate]:
    """Return the rates below and above which the true one lies in 10 % of all cases each."""
    reach = math.exp(rate.log_deviation * _student_quantile((1 + COVERAGE) / 2, rate.degrees))
    low, high = (replace(rate, per_device_hour=rate.per_device_hour * factor) for factor in (1 / reach, reach))
    return low, high


def _with_rate() -> tuple[Failure, ...]:
    return tuple(entry for entry in catalog.failures() if entry.rate_per_device_hour is not None)


def _rate(entry: Failure) -> float:
    rate = entry.rate_per_device_hour
    assert rate is not None, f"{entry.id} gives a rate"
    return rate


def _part_rate(entry: Failure) -> float | None:
    return entry.failures_per_part_hour if entry.failures_per_part_hour is not None else entry.rate_per_device_hour


def _student_quantile(probability: float, degrees: float) -> float:
    """Return a quantile of Student's t.

    Source: Abramowitz and Stegun 1972, 26.7.5 (Cornish-Fisher, four terms); off by less than 1 % at 10 % and 90 % from
    3 degrees on.
    """
    z = NormalDist().inv_cdf(probability)
    if math.isinf(degrees):
        return z
    first = (z**3 + z) / 4
    second = (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    fourth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    return z + first / degrees + second / degrees**2 + third / degrees**3 + fourth / degrees**4


def _mixed_quantile(means: Sequence[float], probability: float) -> float:
    """Return the least count whose probability of not being exceeded, over all means, reaches the one asked for."""

    def reached(count: int) -> bool:
        return fmean(poisson_distribution(mean, count) for mean in means) >= probability

    low, high = -1, 1
    while not reached(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return float(high)


def poisson_distribution(mean: float, count: int) -> float:
    """Return the probability of at most so many events.

    Summed up for small counts; beyond, by Wilson and Hilferty's cube root, off by less than 0.001.
    Source: Wilson and Hilferty 1931; a Poisson count is at most k with the probability that a chi-square of 2 k + 2
    degrees lies above twice the mean.
    """
    if count <= _SUMMED_UP_TO:
        term = total = math.exp(-mean) if count >= 0 else 0.0
        for number in range(1, count + 1):
            term *= mean / number
            total += term
        return min(total, 1.0)
    degrees = 2 * (count + 1)
    score = ((2 * mean / degrees) ** (1 / 3) - (1 - 2 / (9 * degrees))) / math.sqrt(2 / (9 * degrees))
    return 0.5 * math.erfc(score / math.sqrt(2))
