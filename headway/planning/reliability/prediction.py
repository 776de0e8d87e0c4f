"""What failures do to the run that a recipe describes.

Source: `rates`, `goodput`, `intervals` and `spares` for the formulas; the catalogue for detection, restart and repair.
Leaves out: failures of the storage, and jobs that go on with fewer devices.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from headway import units
from headway.catalog.reliability import recovery
from headway.planning.constants import constant
from headway.planning.reliability.goodput import Checkpointing, Losses, exact_goodput, losses, restarts_goodput
from headway.planning.reliability.intervals import best_interval_seconds as best_work_seconds
from headway.planning.reliability.rates import (
    FailureRate,
    failure_rate,
    interruptions,
    job_mtbf_seconds,
    rate_interval,
    stated_rate,
)
from headway.planning.reliability.spares import probability_of_enough, spare_nodes, waiting_share
from headway.recipe.sections import ResilienceConfig

_SHORTEST_STALL_SECONDS = 1e-3
"""No checkpoint is free; without a stall the best interval would be none at all."""


@dataclass(frozen=True, kw_only=True)
class Spares:
    """Servers that wait to take the place of failed ones. Each interruption is counted as one server away.

    Attributes:
        nodes: that wait, as the recipe says; 0 where it leaves open how failed ones are replaced.
        are_stated: whether it says a number, so that the job waits where that is too small.
        mean_nodes_away: servers that are under repair on average.
        repair_seconds: until a failed server is back.
        sufficient_probability: that those which wait are enough, at any one time, were the job to go on all the same.
        waiting_share: of the time, in which the job stands still for want of a server; 0 where no number is stated.
        recommended_nodes: enough for 99 % of the time.
    """

    nodes: int
    are_stated: bool
    mean_nodes_away: float
    repair_seconds: float
    sufficient_probability: float
    waiting_share: float
    recommended_nodes: int


@dataclass(frozen=True, kw_only=True)
class Reliability:
    """What failures do to a run.

    Attributes:
        devices: of the job.
        failures_per_1000_devices_per_day: that stop the job.
        mtbf_hours: mean time between interruptions of the whole job.
        expected_interruptions: over the run.
        expected_interruptions_low: lower end of the interval that holds the number in 80 % of all cases.
        expected_interruptions_high: upper end.
        wall_seconds: over which they are counted: the run with what failures are known to cost (`charged_share`).
        detection_seconds: from a failure until it is noticed.
        restart_seconds: from then to the first step again, warm-up included.
        checkpoint_interval_seconds: the best time of work between checkpoints, no longer than the run.
        goodput: useful share of the wall time with the interval that the recipe uses.
        goodput_low: the same at the upper end of the failure rate.
        goodput_high: the same at its lower end.
        best_goodput: the same with the best interval.
        checkpointing: how the job saves itself with the recipe's interval.
        losses: where the wall time goes with it.
        spares: servers that wait.
        source: the catalogue's entries that the rate comes from, all fleets together, or the recipe.
    """

    devices: int
    failures_per_1000_devices_per_day: float
    mtbf_hours: float
    expected_interruptions: float
    expected_interruptions_low: float
    expected_interruptions_high: float
    wall_seconds: float
    detection_seconds: float
    restart_seconds: float
    checkpoint_interval_seconds: float | None
    goodput: float | None
    goodput_low: float | None
    goodput_high: float | None
    best_goodput: float | None
    checkpointing: Checkpointing | None
    losses: Losses | None
    spares: Spares
    source: str

    @property
    def makes_progress(self) -> bool:
        """Whether the job lives long enough between two failures to come back and to save itself once.

        Where it does not, next to nothing of its time is useful; where the storage is not known, the way back alone
        decides.

        Source: Aupy et al. 2013 (arXiv:1302.3752), section 3: formulas hold for a mean time between failures above
        the downtime, the recovery and the checkpoint.
        """
        way = self.checkpointing
        saving_seconds = 0.0 if way is None else max(way.stall_seconds, way.write_behind_seconds)
        return self.mtbf_hours * units.SECONDS_PER_HOUR >= self.restart_seconds + saving_seconds

    @property
    def charged_share(self) -> float:
        """Share of the wall time that is useful, by all that is known to be lost: never less than the goodput.

        Without a rate of the storage these are detection, restart and waiting for servers (`restarts_goodput`).

        Leaves out, where `goodput` is None: writing checkpoints, and the work since the last one.
        """
        if self.goodput is not None:
            return self.goodput
        mtbf_seconds = self.mtbf_hours * units.SECONDS_PER_HOUR
        back = restarts_goodput(mtbf_seconds, self.detection_seconds, self.restart_seconds)
        return (1 - self.spares.waiting_share) * back


NO_PROGRESS_SHARE = 1e-9
"""A useful share of the wall time below this never ends a run: a day's work would take three million years."""


def expected_rate(resilience: ResilienceConfig, accelerator: str | None = None) -> FailureRate:
    """Return the failure rate that a recipe states or names.

    Args:
        resilience: the recipe's section.
        accelerator: id in the catalogue, where the rate of its family is asked for.

    Raises:
        CatalogError: no entry with a rate has the name.
    """
    stated = resilience.failures_per_1000_devices_per_day
    if stated is None:
        return failure_rate(resilience.failure_basis, accelerator)
    return stated_rate(stated / 1000 / (units.SECONDS_PER_DAY / units.SECONDS_PER_HOUR))


def best_interval_seconds(
    resilience: ResilienceConfig, *, devices: int, write_seconds: float, accelerator: str | None = None
) -> float:
    """Return the best time of work between two checkpoints.

    Args:
        resilience: the recipe's section.
        devices: of the job.
        write_seconds: from the begin of a checkpoint until it is safe.
        accelerator: id in the catalogue.

    Raises:
        CatalogError: the catalogue does not know the basis of the failure rate.
    """
    stall, behind = _stall_and_write_behind(resilience, write_seconds)
    return best_work_seconds(job_mtbf_seconds(expected_rate(resilience, accelerator), devices), stall, behind)


def plan_reliability(
    *,
    devices: int,
    work_seconds: float,
    write_seconds: float | None,
    interval_seconds: float,
    accelerator: str | None = None,
    resilience: ResilienceConfig | None = None,
) -> Reliability:
    """Return what failures do to a run on accelerators.

    Args:
        devices: of the job.
        work_seconds: useful, evaluations included; no interval is longer, since its end is saved.
        write_seconds: from the begin of a checkpoint until it is safe; None where the storage is not known.
        interval_seconds: of work between checkpoints, as the recipe says.
        accelerator: id in the catalogue.
        resilience: the recipe's section; its defaults where it is left out.

    Raises:
        CatalogError: the catalogue does not know the basis of the failure rate.
    """
    resilience = resilience or ResilienceConfig()
    rate = expected_rate(resilience, accelerator)
    mtbf_seconds = job_mtbf_seconds(rate, devices)
    way, best_way = _ways(resilience, mtbf_seconds, devices, write_seconds, interval_seconds, work_seconds)
    slow, fast = (job_mtbf_seconds(end, devices) for end in rate_interval(rate))
    spares = _spares(resilience, mtbf_seconds)
    running = 1 - spares.waiting_share
    useful = None if way is None else running * exact_goodput(mtbf_seconds, way)
    detection, restart = _detection_seconds(resilience), _restart_seconds(resilience, devices)
    charged = running * restarts_goodput(mtbf_seconds, detection, restart) if useful is None else useful
    wall_seconds = work_seconds / charged if charged > NO_PROGRESS_SHARE else work_seconds
    # What stands still does not fail.
    count = interruptions(rate, devices=devices, seconds=running * wall_seconds)
    return Reliability(
        devices=devices,
        failures_per_1000_devices_per_day=rate.per_device_hour * 1000 * 24,
        mtbf_hours=mtbf_seconds / units.SECONDS_PER_HOUR,
        expected_interruptions=count.expected,
        expected_interruptions_low=count.low,
        expected_interruptions_high=count.high,
        wall_seconds=wall_seconds,
        detection_seconds=detection,
        restart_seconds=restart,
        checkpoint_interval_seconds=None if best_way is None else best_way.work_seconds,
        goodput=useful,
        goodput_low=None if way is None else _running(resilience, fast) * exact_goodput(fast, way),
        goodput_high=None if way is None else _running(resilience, slow) * exact_goodput(slow, way),
        best_goodput=None if best_way is None else running * exact_goodput(mtbf_seconds, best_way),
        checkpointing=way,
        losses=None if way is None else losses(mtbf_seconds, way).beside_waiting(spares.waiting_share),
        spares=spares,
        source=rate.source,
    )


def _ways(
    resilience: ResilienceConfig,
    mtbf_seconds: float,
    devices: int,
    write_seconds: float | None,
    interval_seconds: float,
    run_seconds: float,
) -> tuple[Checkpointing, Checkpointing] | tuple[None, None]:
    """Return how the job saves itself with the recipe's interval and with the best one."""
    if write_seconds is None:
        return None, None
    stall, behind = _stall_and_write_behind(resilience, write_seconds)

    def way(work_seconds: float) -> Checkpointing:
        return Checkpointing(
            work_seconds=work_seconds,
            stall_seconds=stall,
            write_behind_seconds=behind,
            detection_seconds=_detection_seconds(resilience),
            restart_seconds=_restart_seconds(resilience, devices),
        )

    # A background write must end before the next one begins.
    intervals = (interval_seconds, best_work_seconds(mtbf_seconds, stall, behind))
    stated, best = (way(max(min(seconds, run_seconds), behind - stall)) for seconds in intervals)
    return stated, best


def _stall_and_write_behind(resilience: ResilienceConfig, write_seconds: float) -> tuple[float, float]:
    if not resilience.asynchronous_checkpoints:
        return max(write_seconds, _SHORTEST_STALL_SECONDS), 0.0
    share = resilience.asynchronous_stall_share
    if share is None:
        share = _recovery("checkpoint-block-in-memory") / _recovery("checkpoint-block-synchronous")
    return max(share * write_seconds, _SHORTEST_STALL_SECONDS), write_seconds


def _detection_seconds(resilience: ResilienceConfig) -> float:
    stated = resilience.detection_time
    return _recovery("detection-explicit") if stated is None else stated


def _restart_seconds(resilience: ResilienceConfig, devices: int) -> float:
    """Return the stated restart, or that of the measured job nearest in size from above, by requeueing; and warm-up."""
    stated = resilience.restart_time
    if stated is None:
        sizes = (2048, 4096, 8192, 16384)
        size = next((size for size in sizes if devices <= size), sizes[-1])
        stated = constant(f"restart-requeue-{size}-gpus")
    return stated + resilience.warm_up_time


def _spares(resilience: ResilienceConfig, mtbf_seconds: float) -> Spares:
    away, dispersion = _repair_seconds(resilience) / mtbf_seconds, _recovery("servers-down-dispersion")
    return Spares(
        nodes=resilience.held_spare_nodes,
        are_stated=resilience.spare_nodes != "auto",
        mean_nodes_away=away,
        repair_seconds=_repair_seconds(resilience),
        sufficient_probability=probability_of_enough(away, resilience.held_spare_nodes, dispersion),
        waiting_share=1 - _running(resilience, mtbf_seconds),
        recommended_nodes=spare_nodes(away, dispersion=dispersion),
    )


def _running(resilience: ResilienceConfig, mtbf_seconds: float) -> float:
    """Return the share of the time in which the job does not wait for a server.

    Rates of a smaller job vary no more, for their mean, than those of the trace.
    """
    if resilience.spare_nodes == "auto":
        return 1.0
    away = _repair_seconds(resilience) / mtbf_seconds
    excess = (_recovery("servers-down-dispersion") - 1) * min(1.0, away / _recovery("servers-down-mean"))
    return 1 - waiting_share(away, resilience.spare_nodes, 1 + excess)


def _repair_seconds(resilience: ResilienceConfig) -> float:
    return _recovery("repair-mean") if resilience.repair_time is None else resilience.repair_time


def _recovery(name: str) -> float:
    value = recovery()[name].value
    assert value is not None and math.isfinite(value), f"the catalogue states {name}"
    return value
