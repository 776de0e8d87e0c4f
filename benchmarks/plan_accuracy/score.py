"""Scores the planner against published rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from benchmarks.plan_accuracy import conventions, retention
from benchmarks.plan_accuracy.express import Expressed, express, is_paged_recipe
from benchmarks.plan_accuracy.shapes import InexpressibleError, number
from benchmarks.plan_accuracy.words import Row
from headway import units
from headway.planning.analytic import search
from headway.planning.analytic.layouts import Layouts
from headway.planning.analytic.memory import Stage, memory
from headway.planning.analytic.reserves import Reserves, reserves
from headway.planning.analytic.search import Chosen, evaluate
from headway.planning.analytic.step import step_times


@dataclass(frozen=True, kw_only=True)
class Score:
    """One row."""

    row: Row
    found: Expressed
    predicted: float
    measured: float

    @property
    def log_error(self) -> float:
        """Logarithm of predicted over measured."""
        return float(np.log(self.predicted / self.measured))

    @property
    def error(self) -> float:
        """Relative error of the prediction."""
        return self.predicted / self.measured - 1


def choose(found: Expressed) -> Chosen:
    """Return the layout that the planner takes among those that a row allows, by the planner's own rule."""
    measured = evaluate(found.job, found.hardware, found.splits)
    return search.choose(found.job, found.hardware, found.splits, measured.peak_bytes, measured.seconds)


def chosen_split(found: Expressed) -> Layouts:
    """Return that layout."""
    return found.splits.take([choose(found).best])


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
    one = chosen_split(found)
    predicted = float(step_times(found.job, found.hardware, one).seconds[0])
    return Score(row=row, found=found, predicted=predicted, measured=measured)


def score_rate(row: Row) -> Score:
    """Return the score of the step time that a row's FLOP/s stand for.

    Raises:
        InexpressibleError: nobody states how its source counts, or the planner cannot express it.
    """
    found = express(row)
    measured = conventions.step_seconds(row, found)
    predicted = float(step_times(found.job, found.hardware, chosen_split(found)).seconds[0])
    return Score(row=row, found=found, predicted=predicted, measured=measured)


def score_times(rows: Iterable[Row]) -> tuple[list[Score], Counter[str]]:
    """Return the scores of all rows that have a step time and can be expressed, and why others cannot."""
    return _scores(rows, score_time)


def score_converted(rows: Iterable[Row]) -> tuple[list[Score], Counter[str]]:
    """Return the scores of all rows that state only FLOP/s, as far as it is known how their source counts."""
    return _scores((row for row in rows if conventions.has_rate_in_flops(row)), score_rate)


def score_memories(rows: Iterable[Row], *, stated: bool = True) -> tuple[list[Score], Counter[str]]:
    """Return the scores of all rows that have a peak and can be expressed, and why others cannot."""
    return _scores(rows, partial(score_memory, stated=stated))


def _scores(rows: Iterable[Row], score: Callable[[Row], Score]) -> tuple[list[Score], Counter[str]]:
    scores, reasons = [], Counter[str]()
    for row in rows:
        try:
            scores.append(score(row))
        except InexpressibleError as error:
            reasons[str(error)] += 1
    return scores, reasons


def score_memory(row: Row, *, stated: bool = True) -> Score:
    """Return the score of a row's peak memory.

    Raises:
        InexpressibleError: it has none, or the planner cannot express it.
    """
    peak = number(row, "peak_mem_gib")
    if not peak:
        raise InexpressibleError("no peak memory stated")
    if not retention.has_known_lengths(row):
        raise InexpressibleError("lengths of samples not stated")
    found, one = peak_layout(row, stated=stated)
    predicted = peak_bytes(row, found, one, reserves())
    return Score(row=row, found=found, predicted=predicted / units.GIB, measured=peak)


def peak_bytes(row: Row, found: Expressed, one: Layouts, held: Reserves) -> float:
    """Return the peak of a layout, of which as much is counted as the row's column of memory counts."""
    stage: Stage = "last" if "last rank" in row["mem_metric"].lower() else "fullest"
    parts = memory(found.job, found.hardware, one, stage=stage, held=held)
    if retention.counts_context(row):
        return float(parts.total_bytes[0])
    allocated = float(parts.allocated_bytes[0])
    if retention.counts_reserve(row):
        return allocated + float(parts.reserve_bytes[0]) - held.context(found.hardware)
    return allocated


def peak_layout(row: Row, *, stated: bool = True) -> tuple[Expressed, Layouts]:
    """Return a row in the planner's terms at its longest sequences, and the layout that the planner would take."""
    found = express(row, longest=True, stated=stated)
    if is_paged_recipe(row):
        # The allocator does not count paged states.
        splits = replace(found.splits, offload_optimizer=np.ones_like(found.splits.data))
        found = replace(found, splits=splits)
    return found, chosen_split(found)


def score_all_fits(rows: Iterable[Row], *, stated: bool = True) -> tuple[list[bool], Counter[str]]:
    """Return whether each decision between fitting and running out of memory is right, and why others have none."""
    right, reasons = [], Counter[str]()
    for row in rows:
        try:
            right.append(score_fits(row, stated=stated))
        except InexpressibleError as error:
            reasons[str(error)] += 1
    return right, reasons


def score_fits(row: Row, *, stated: bool = True) -> bool:
    """Return whether the planner is right that a training fits, or does not.

    Raises:
        InexpressibleError: the row states neither a peak, nor that it fits or runs out of memory.
    """
    text = f"{row['mem_metric']} {row['mem_raw']}".lower()
    runs_out = "oom" in text
    if not runs_out and "fits" not in text and not number(row, "peak_mem_gib"):
        raise InexpressibleError("neither a peak nor a bound stated")
    if not row["accel"]:
        raise InexpressibleError("accelerator not stated")
    if not retention.has_known_lengths(row):
        raise InexpressibleError("lengths of samples not stated")
    found = express(row, longest=True, stated=stated)
    stated = re.search(r"on (\d+) ?gb", text)
    capacity = found.hardware.capacity_bytes
    if (number(row, "peak_mem_gib") or 0.0) * units.GIB > (capacity or 0):
        # What was measured is more than the device of that name has: it was one with more.
        raise InexpressibleError("capacity not known")
    if capacity is None or (stated and float(stated[1]) * found.devices * units.GIB < capacity):
        raise InexpressibleError("capacity not known")
    return choose(found).fits != runs_out
