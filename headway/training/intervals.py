"""The time between two checkpoints where the recipe says "auto": the plan's, adapted to what the run meets."""

from __future__ import annotations

import math
import statistics
import time
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, final

from headway.planning.reliability.intervals import best_interval_seconds
from headway.planning.reliability.prediction import expected_rate
from headway.planning.reliability.rates import job_mtbf_seconds
from headway.recipe import Recipe
from headway.recipe.sections import ResilienceConfig
from headway.runs import RunFolder

NOTICEABLE_SHARE = 0.2
"""Changes below this are not made: the best interval is flat, and a tenth beside it costs next to nothing."""

_SHORTEST_STALL_SECONDS = 1e-3
"""No stall is shorter: where it were nothing, the best interval would be nothing as well."""
_RECENT_WRITES = 9
"""Of which the median counts: disks become slower and faster."""

_STARTS = ("started", "resumed")
_ENDS = ("stopped", "finished")


@dataclass(frozen=True, kw_only=True)
class FailureHistory:
    """What a run has met.

    Attributes:
        failures: attempts that ended without being asked to, once there was an engine.
        seconds: for which processes of the run were alive.
    """

    failures: int
    seconds: float


@dataclass(frozen=True, kw_only=True)
class Prior:
    """What is believed of a job's failures before any is seen: a Gamma distribution of the rate.

    Attributes:
        shape: as many failures as the belief weighs.
        seconds: in which they are believed to come.
    """

    shape: float
    seconds: float

    def mtbf_seconds(self, seen: FailureHistory) -> float:
        """Return the mean time between failures by belief and sight: 1 over the posterior's mean.

        Source: Gelman et al. 2013, "Bayesian Data Analysis", 3rd ed., section 2.6: Gamma(a, b) becomes
        Gamma(a + n, b + t) after n events in the time t.
        """
        return (self.seconds + seen.seconds) / (self.shape + seen.failures)


JEFFREYS = Prior(shape=0.5, seconds=0.0)
"""Of a rate that nobody knows anything of. Source: Jeffreys 1946, Proc. R. Soc. A 186, 453."""


def prior_of(recipe: Recipe) -> Prior:
    """Return what the plan believes: its rate, with the relative variance that its spread has.

    A log-normal rate of the logarithmic deviation s has the relative variance e^(s^2) - 1; a Gamma distribution of the
    same has one over that as its shape. Published fleets are of accelerators: of processors nothing is known unless
    the recipe states it.
    """
    hardware, resilience = recipe.hardware, recipe.resilience
    is_stated = resilience.failures_per_1000_devices_per_day is not None
    if hardware.accelerator in ("cpu", "auto") and not is_stated:
        return JEFFREYS
    rate = expected_rate(resilience, None if is_stated else hardware.accelerator)
    if not rate.per_device_hour:
        return JEFFREYS
    shape = 1 / math.expm1(rate.log_deviation**2)
    return Prior(shape=shape, seconds=shape * job_mtbf_seconds(rate, hardware.devices))


def history_of(run: RunFolder) -> FailureHistory:
    """Return what a run has met so far, by its own logs; the attempt that runs now has not failed."""
    events = run.events()
    return FailureHistory(
        failures=count_failures(events), seconds=_alive_seconds(events, [*run.metric_records(), *events])
    )


def count_failures(events: Iterable[Mapping[str, Any]]) -> int:
    """Return how many attempts ended without being asked to; those that had no engine yet do not count."""
    count, is_running = 0, False
    for event in events:
        kind = event.get("event")
        if kind in (*_STARTS, "failed"):
            count += is_running
            is_running = False
        elif kind in _ENDS:
            is_running = False
        elif kind == "engine-ready":
            is_running = True
    return count


def _alive_seconds(events: Sequence[Mapping[str, Any]], traces: Iterable[Mapping[str, Any]]) -> float:
    starts = sorted(event["time"] for event in events if event.get("event") in _STARTS)
    times = sorted(trace["time"] for trace in traces if "time" in trace)
    total = 0.0
    for start, following in pairwise([*starts, math.inf]):
        # The last trace before the next start: the start itself is one.
        total += times[bisect_left(times, following) - 1] - start
    return total


@final
class AdaptedInterval:
    """The time between two checkpoints; of several processes the first one's counts.

    Args:
        recipe: the resolved recipe.
        run: with its plan, and what it has met.
        on_change: told what the new interval rests on.
        clock: of seconds that pass.
    """

    def __init__(
        self,
        recipe: Recipe,
        run: RunFolder,
        on_change: Callable[[dict[str, Any]], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        resilience: ResilienceConfig = recipe.resilience
        self.seconds = resilience.interval_seconds(run.plan().get("reliability", {}).get("checkpoint_interval_seconds"))
        self._adapts = resilience.checkpoint_every == "auto" and resilience.checkpoint_every_steps is None
        self._is_asynchronous = resilience.asynchronous_checkpoints
        self._on_change, self._clock, self._began = on_change, clock, clock()
        if self._adapts:
            self._prior, self._history = prior_of(recipe), history_of(run)
        self._stalls: list[float] = []
        self._writes: list[float] = []

    def adapt(self, stall_seconds: float, write_seconds: float) -> None:
        """Take what the last checkpoint took, and change the interval where that changes it noticeably.

        Args:
            stall_seconds: for which steps stood still.
            write_seconds: until it was safe.
        """
        if not self._adapts:
            return
        self._stalls = [*self._stalls, stall_seconds][-_RECENT_WRITES:]
        self._writes = [*self._writes, write_seconds][-_RECENT_WRITES:]
        seen = FailureHistory(
            failures=self._history.failures, seconds=self._history.seconds + self._clock() - self._began
        )
        if self._prior is JEFFREYS and not seen.failures:
            # Neither belief nor sight: what stands in the plan or the default stays.
            return
        stall = max(statistics.median(self._stalls), _SHORTEST_STALL_SECONDS)
        write = statistics.median(self._writes)
        mtbf_seconds = self._prior.mtbf_seconds(seen)
        best = best_interval_seconds(mtbf_seconds, stall, write if self._is_asynchronous else 0.0)
        if abs(best - self.seconds) <= NOTICEABLE_SHARE * self.seconds:
            return
        before, self.seconds = self.seconds, best
        self._on_change(
            {
                "seconds": best,
                "before_seconds": before,
                "mtbf_seconds": mtbf_seconds,
                "failures": seen.failures,
                "alive_seconds": seen.seconds,
                "stall_seconds": stall,
                "write_seconds": write,
            }
        )
