"""How often a run is interrupted, how often it should save itself, and how much of its time is useful.

Failures are a Poisson process whose rate grows with the number of devices.
Source: Daly 2006, "A higher order estimate of the optimum checkpoint interval for restart dumps", eq. 13 (expected wall
time) and 37 (interval); Young 1974 (first order).
Leaves out: correlated failures, silent data corruption, wear.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from headway import catalog, units
from headway.planning.constants import constant

DEFAULT_SOURCE = "llama-3-405b-unexpected"
"""The published rate that is used for accelerators: 419 interruptions in 54 days on 16,384 GPUs."""


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """What failures do to a run.

    Attributes:
        mtbf_hours: mean time between interruptions of the whole job.
        expected_interruptions: over the run.
        restart_seconds: from a failure to the first step again.
        checkpoint_interval_seconds: the best time between checkpoints.
        goodput: useful share of the wall time with the interval that the recipe uses.
        best_goodput: the same with the best interval.
        source: the catalogue's entry that the rate comes from.
    """

    mtbf_hours: float
    expected_interruptions: float
    restart_seconds: float
    checkpoint_interval_seconds: float | None
    goodput: float | None
    best_goodput: float | None
    source: str


def failure_rate_per_device_hour(source: str = DEFAULT_SOURCE) -> float:
    """Return interruptions for each device and hour, as published."""
    entry = next(entry for entry in catalog.failures() if entry.id == source)
    rate = entry.rate_per_device_hour
    assert rate is not None, f"{source} has counts, so it has a rate"
    return rate


def young_interval_seconds(mtbf_seconds: float, write_seconds: float) -> float:
    """Return the best time of work between two checkpoints, to first order: sqrt(2 C M).

    Source: Young 1974, eq. 8.
    """
    return math.sqrt(2 * write_seconds * mtbf_seconds)


def daly_interval_seconds(mtbf_seconds: float, write_seconds: float) -> float:
    """Return the best time of work between two checkpoints, to higher order.

    Source: Daly 2006, eq. 37; the interval is M where a write takes longer than 2 M.
    """
    if write_seconds >= 2 * mtbf_seconds:
        return mtbf_seconds
    ratio = write_seconds / (2 * mtbf_seconds)
    young = young_interval_seconds(mtbf_seconds, write_seconds)
    return young * (1 + math.sqrt(ratio) / 3 + ratio / 9) - write_seconds


def goodput(mtbf_seconds: float, work_seconds: float, write_seconds: float, restart_seconds: float) -> float:
    """Return the useful share of the wall time.

    Each stretch of work and its write, T + C, takes on average M e^(R/M) (e^((T+C)/M) - 1).

    Args:
        mtbf_seconds: M.
        work_seconds: T, work between two checkpoints.
        write_seconds: C, for which work stands still.
        restart_seconds: R, from a failure to the first step again.

    Source: Daly 2006, eq. 13.
    """
    exponent = (work_seconds + write_seconds) / mtbf_seconds
    if exponent + restart_seconds / mtbf_seconds > 700:
        return 0.0
    return work_seconds / (mtbf_seconds * math.exp(restart_seconds / mtbf_seconds) * math.expm1(exponent))


def plan_reliability(
    *, devices: int, training_seconds: float, write_seconds: float | None, interval_seconds: float
) -> Reliability:
    """Return what failures do to a run on accelerators.

    Args:
        devices: of the job.
        training_seconds: of useful work.
        write_seconds: that a checkpoint stops the work; None where the storage is not known.
        interval_seconds: between checkpoints, as the recipe says.
    """
    mtbf_hours = 1 / (failure_rate_per_device_hour() * devices)
    mtbf_seconds = mtbf_hours * units.SECONDS_PER_HOUR
    restart_seconds = _restart_seconds(devices)
    best = useful = best_useful = None
    wall_seconds = training_seconds
    if write_seconds is not None:
        best = daly_interval_seconds(mtbf_seconds, max(write_seconds, 1e-3))
        useful = goodput(mtbf_seconds, interval_seconds, write_seconds, restart_seconds)
        best_useful = goodput(mtbf_seconds, best, write_seconds, restart_seconds)
        wall_seconds = training_seconds / useful if useful else math.inf
    interruptions = wall_seconds / mtbf_seconds
    return Reliability(
        mtbf_hours=mtbf_hours,
        expected_interruptions=interruptions if math.isfinite(interruptions) else training_seconds / mtbf_seconds,
        restart_seconds=restart_seconds,
        checkpoint_interval_seconds=best,
        goodput=useful,
        best_goodput=best_useful,
        source=DEFAULT_SOURCE,
    )


def _restart_seconds(devices: int) -> float:
    """Return the restart time of the measured job that is nearest in size from above, by requeueing."""
    sizes = (2048, 4096, 8192, 16384)
    size = next((size for size in sizes if devices <= size), sizes[-1])
    return constant(f"restart-requeue-{size}-gpus")
