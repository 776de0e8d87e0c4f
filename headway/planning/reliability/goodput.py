"""The useful share of the wall time: in closed form, as published, and exactly.

The closed forms count one failure in each M of wall time and half an interval lost at each; they forget that a lost
stretch takes time in which nothing is gained, and are therefore pessimistic for long intervals. Plans use the exact
form.

Source: Daly 2006; Aupy et al. 2013 (arXiv:1302.3752); Kokolis et al. 2025 (arXiv:2410.21680).
Leaves out: failures that come together, which `simulation` has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

_LARGEST_EXPONENT = 50.0
"""Beyond it less than 10^-21 of the time is useful, and that is nothing."""


@dataclass(frozen=True, kw_only=True)
class Checkpointing:
    """How a job saves itself and comes back. All times in seconds.

    Attributes:
        work_seconds: T, of work between two checkpoints.
        stall_seconds: for which the work stands still at each checkpoint.
        write_behind_seconds: until the checkpoint is safe, while the work goes on; 0 for synchronous checkpoints.
        detection_seconds: from a failure until it is noticed; the job is dead, so it cannot fail again.
        restart_seconds: from then to the first step, warm-up included; the job may fail again.
    """

    work_seconds: float
    stall_seconds: float
    write_behind_seconds: float = 0.0
    detection_seconds: float = 0.0
    restart_seconds: float = 0.0

    @property
    def period_seconds(self) -> float:
        """Work and stall together."""
        return self.work_seconds + self.stall_seconds


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Where the wall time goes; the shares add up to one.

    Attributes:
        useful: goodput.
        stalls: for checkpoints that were completed.
        detection: dead and not noticed.
        restart: coming back, warm-up included.
        lost_work: done again, with the stalls in between.
        waiting: standing still, for want of a server.
    """

    useful: float
    stalls: float
    detection: float
    restart: float
    lost_work: float
    waiting: float = 0.0

    def beside_waiting(self, share: float) -> Losses:
        """Return the shares of a job that besides stands still for a share of its time."""
        running = 1 - share
        return Losses(
            useful=running * self.useful,
            stalls=running * self.stalls,
            detection=running * self.detection,
            restart=running * self.restart,
            lost_work=running * self.lost_work,
            waiting=share,
        )


def exact_goodput(mtbf_seconds: float, way: Checkpointing) -> float:
    """Return the useful share of the wall time under exponential failures.

    The time from one safe checkpoint to the next is on average (M + D) e^((R + B)/M) (e^((T + S)/M) - 1), with the
    detection D, the restart R, the stall S and the write in the background B <= T + S. For B: a failure before the
    write has ended falls back one checkpoint further, so that T + S + B must pass without one after each restart, and
    T + S where the one before has just become safe. With D = B = 0 this is Daly's formula.

    Args:
        mtbf_seconds: M > 0, of the job.
        way: how it saves itself and comes back; the work is positive.

    Source: Daly 2006, eq. 13; Aupy et al. 2013, arXiv:1302.3752 (detection); our own derivation for B.
    Leaves out: failures that come together, or more often at some times; see `simulation`.
    """
    lead = (way.restart_seconds + way.write_behind_seconds) / mtbf_seconds
    exponent = way.period_seconds / mtbf_seconds
    if lead + exponent > _LARGEST_EXPONENT:
        return 0.0
    return way.work_seconds / ((mtbf_seconds + way.detection_seconds) * math.exp(lead) * math.expm1(exponent))


def restarts_goodput(mtbf_seconds: float, detection_seconds: float, restart_seconds: float) -> float:
    """Return the useful share of the wall time where nothing is known but the way back: M e^(-R/M) / (M + D).

    It is the limit of `exact_goodput` for checkpoints that take nothing and of which there is no end.

    Leaves out: writing checkpoints, and the work since the last one.
    """
    return math.exp(-restart_seconds / mtbf_seconds) * mtbf_seconds / (mtbf_seconds + detection_seconds)


def losses(mtbf_seconds: float, way: Checkpointing) -> Losses:
    """Return where the wall time goes, exactly as `exact_goodput` counts it.

    Each M + D of wall time holds one failure; a restart ends after R or with the next failure, on average after
    M (1 - e^(-R/M)).
    """
    cycle_seconds = mtbf_seconds + way.detection_seconds
    useful = exact_goodput(mtbf_seconds, way)
    stalls = useful * way.stall_seconds / way.work_seconds
    detection = way.detection_seconds / cycle_seconds
    restart = -mtbf_seconds * math.expm1(-way.restart_seconds / mtbf_seconds) / cycle_seconds
    return Losses(
        useful=useful,
        stalls=stalls,
        detection=detection,
        restart=restart,
        lost_work=max(0.0, 1 - useful - stalls - detection - restart),
    )


def kokolis_goodput(
    mtbf_seconds: float, interval_seconds: float, write_seconds: float, restart_seconds: float
) -> float:
    """Return the expected effective training time ratio: (1 - (u + T/2)/M) / (1 + w/T), and never less than 0.

    Source: Kokolis et al. 2025 (HPCA, arXiv:2410.21680), E[ETTR]; u is the restart, w the write that stops the work.
    Leaves out: the write in the period that is lost; that a lost stretch lasts; detection.
    """
    kept = 1 - (restart_seconds + interval_seconds / 2) / mtbf_seconds
    return max(0.0, kept / (1 + write_seconds / interval_seconds))


def first_order_goodput(
    mtbf_seconds: float, work_seconds: float, write_seconds: float, downtime_seconds: float
) -> float:
    """Return the goodput to first order: (1 - (D + R + (T + C)/2)/M) T / (T + C), and never less than 0.

    Source: Young 1974; Aupy et al. 2013, arXiv:1302.3752.
    """
    period_seconds = work_seconds + write_seconds
    kept = 1 - (downtime_seconds + period_seconds / 2) / mtbf_seconds
    return max(0.0, kept * work_seconds / period_seconds)


def longest_interval_seconds(mtbf_seconds: float, goodput: float, restart_seconds: float) -> float | None:
    """Return the longest interval of non-blocking checkpoints that keeps a goodput; None where none does.

    Source: Kokolis et al. 2025, E[ETTR] with w = 0, solved for the interval: 2 ((1 - goodput) M - u).
    """
    interval_seconds = 2 * ((1 - goodput) * mtbf_seconds - restart_seconds)
    return interval_seconds if interval_seconds > 0 else None


def wasted_seconds_per_failure(write_seconds: float, interval_seconds: float, retrieve_seconds: float) -> float:
    """Return the time that a failure wastes on average: t_ckpt + 1/(2 f) + t_rtvl.

    Args:
        write_seconds: of a checkpoint: it is of use once written.
        interval_seconds: between two, 1/f.
        retrieve_seconds: to load it again.

    Source: Wang et al. 2023, "Gemini: fast failure recovery in distributed training" (SOSP).
    """
    return write_seconds + interval_seconds / 2 + retrieve_seconds
