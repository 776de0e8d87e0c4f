"""What public failure traces say on servers that are away."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from headway.catalog.reliability import FailureTrace


@dataclass(frozen=True, kw_only=True)
class ServersAway:
    """How many servers of a trace were away at one time, over its duration."""

    mean: float
    variance: float
    quantile_99: int
    most: int


def servers_away(trace: FailureTrace, step_seconds: float = 3600.0) -> ServersAway:
    """Return how many servers of a trace were away at one time, sampled at equal steps."""
    times = np.arange(0.0, trace.duration_seconds, step_seconds)
    starts = np.sort([fault.start_seconds for fault in trace.events])
    ends = np.sort([fault.start_seconds + fault.repair_seconds for fault in trace.events])
    away: NDArray[np.int64] = np.searchsorted(starts, times, "right") - np.searchsorted(ends, times, "right")
    return ServersAway(
        mean=float(away.mean()),
        variance=float(away.var()),
        quantile_99=int(np.quantile(away, 0.99)),
        most=int(away.max()),
    )
