"""Scores the planner against published rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from benchmarks.plan_accuracy.express import Expressed, express
from benchmarks.plan_accuracy.shapes import InexpressibleError, number
from benchmarks.plan_accuracy.words import Row
from headway import units
from headway.planning.analytic.memory import memory
from headway.planning.analytic.step import step_times


@dataclass(frozen=True, kw_only=True)
class Score:
    """One row."""

    row: Row
    predicted: float
    measured: float

    @property
    def error(self) -> float:
        """Relative error of the prediction."""
        return self.predicted / self.measured - 1


def choose(found: Expressed) -> int:
    """Return the index of the layout that the planner would take among those that a row allows."""
    held = memory(found.job, found.hardware, found.splits).total_bytes
    times = step_times(found.job, found.hardware, found.splits).seconds
    capacity = found.hardware.capacity_bytes or np.inf
    if np.any(held <= capacity):
        return int(np.argmin(np.where(held <= capacity, times, np.inf)))
    return int(np.argmin(held))


def measured_step_seconds(row: Row, found: Expressed) -> float | None:
    """Return the step time of a row: as stated, or from its rate."""
    stated = number(row, "step_time_s")
    rate = number(row, "tokens_per_s_per_device")
    if rate and number(row, "global_batch") is None:
        return found.global_batch * found.job.sequence_length / (rate * found.devices)
    if stated:
        return stated
    if rate:
        return found.global_batch * found.job.sequence_length / (rate * found.devices)
    return None


def score_time(row: Row) -> Score:
    """Return the score of a row's step time.

    Raises:
        InexpressibleError: it has none, or the planner cannot express it.
    """
    if not number(row, "step_time_s") and not number(row, "tokens_per_s_per_device"):
        raise InexpressibleError("neither step time nor tokens/s stated")
    found = express(row)
    measured = measured_step_seconds(row, found)
    if not measured:
        raise InexpressibleError("no step time")
    one = found.splits.take([choose(found)])
    predicted = float(step_times(found.job, found.hardware, one).seconds[0])
    return Score(row=row, predicted=predicted, measured=measured)


def score_memory(row: Row) -> Score:
    """Return the score of a row's peak memory."""
    peak = number(row, "peak_mem_gib")
    if not peak:
        raise InexpressibleError("no peak memory stated")
    found = express(row, longest=True)
    one = found.splits.take([choose(found)])
    metric = row["mem_metric"].lower()
    parts = memory(found.job, found.hardware, one, stage="last" if "last rank" in metric else "fullest")
    if "alloc" in metric or "active" in metric:
        predicted = float(parts.allocated_bytes[0])
    elif "reserved" in metric:
        predicted = float(parts.total_bytes[0] - parts.communication_bytes[0]) - 0.75 * units.GIB
    else:
        predicted = float(parts.total_bytes[0])
    return Score(row=row, predicted=predicted / units.GIB, measured=peak)
