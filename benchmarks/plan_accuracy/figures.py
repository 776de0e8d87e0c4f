"""The figures of the accuracy benchmark: errors overall, by source, without each source, and without the program."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.plan_accuracy import reserve_fit
from benchmarks.plan_accuracy.fit import left_out_errors
from benchmarks.plan_accuracy.rows import read_rows, source_of
from benchmarks.plan_accuracy.score import Score, score_all_fits, score_converted, score_memories, score_times
from benchmarks.plan_accuracy.sensitivity import Floats, jacobian, parameters_of
from headway.planning.analytic import intervals

WORST = 3
"""Sources that are named as the worst."""


def summary(scores: Sequence[Score], quantity: str) -> dict[str, Any]:
    """Return median and 90th percentile of absolute relative errors, bias (median error), coverage and rows."""
    if not scores:
        return {"rows": 0}
    errors = np.asarray([score.error for score in scores])
    return {
        "median_abs_error": float(np.median(np.abs(errors))),
        "p90_abs_error": float(np.percentile(np.abs(errors), 90)),
        "bias": float(np.median(errors)),
        "coverage": float(np.mean([_is_covered(score, quantity) for score in scores])),
        "rows": len(scores),
    }


def _is_covered(score: Score, quantity: str) -> bool:
    spread = intervals.step_spread if quantity == "step_time" else intervals.memory_spread
    low, high = spread(score.found.job)
    return low * score.predicted <= score.measured <= high * score.predicted


def fits_summary(decisions: Sequence[bool]) -> dict[str, Any]:
    """Return the share of right decisions whether a training fits."""
    if not decisions:
        return {"rows": 0}
    return {"right": float(np.mean(decisions)), "rows": len(decisions)}


def left_out_times(scores: Sequence[Score]) -> Floats:
    """Return log errors of step times with parameters that were fitted without the row's own source."""
    expressed = [score.found for score in scores]
    slopes = jacobian(expressed, parameters_of(expressed))
    errors = np.asarray([score.log_error for score in scores])
    return left_out_errors(errors, slopes, [source_of(score.row) for score in scores])


def leave_one_out(scores: Sequence[Score], errors: Callable[[Sequence[Score]], Floats]) -> dict[str, Any]:
    """Return the errors where each source is left out of the fit in turn.

    Args:
        scores: of the rows.
        errors: gives log errors of rows with what was fitted to the other sources.
    """
    if not scores:
        return {"rows": 0}
    sizes = np.abs(np.expm1(errors(scores)))
    return {
        "median_abs_error": float(np.median(sizes)),
        "p90_abs_error": float(np.percentile(sizes, 90)),
        "rows": len(scores),
    }


def source_weighted(sources: Mapping[str, Mapping[str, Any]], quantity: str) -> dict[str, Any]:
    """Return the median over sources of their median errors, each counting once, and the sources with the worst."""
    found = {name: of[quantity]["median_abs_error"] for name, of in sources.items() if quantity in of}
    if not found:
        return {"sources": 0}
    worst = sorted(found, key=lambda name: -found[name])[:WORST]
    return {
        "median_abs_error": float(np.median(list(found.values()))),
        "worst": {name: found[name] for name in worst},
        "sources": len(found),
    }


def converted_figures(times: Sequence[Score], converted: Sequence[Score]) -> dict[str, Any]:
    """Return the errors of step times that were converted from FLOP/s, by source, and of all rows together.

    They stand apart: nothing was fitted to them, and each holds what its source's way of counting leaves out.
    """
    by_source: dict[str, list[Score]] = defaultdict(list)
    for score in converted:
        by_source[source_of(score.row)].append(score)
    return {
        "step_time": summary(converted, "step_time"),
        "with_stated_times": summary([*times, *converted], "step_time"),
        "sources": {name: summary(found, "step_time") for name, found in sorted(by_source.items())},
    }


def program_unknown(memory: Path) -> dict[str, Any]:
    """Return the errors of memory for a recipe that does not name the program: planned as Headway's own engine.

    Formats, loss and kernels are stated as before; what the program keeps and copies is not.
    """
    rows = read_rows(memory)
    decisions, _ = score_all_fits(rows, stated=False)
    scores, _ = score_memories(rows, stated=False)
    return {"memory": summary(scores, "memory"), "fits": fits_summary(decisions)}


def evaluate(throughput: Path, memory: Path) -> tuple[dict[str, Any], list[Score]]:
    """Return all figures, and the scores they come from."""
    throughput_rows = read_rows(throughput)
    times, time_reasons = score_times(throughput_rows)
    converted, converted_reasons = score_converted(throughput_rows)
    memory_rows = read_rows(memory)
    peaks, memory_reasons = score_memories(memory_rows)
    decisions, fits_reasons = score_all_fits(memory_rows)
    sources: dict[str, dict[str, Any]] = defaultdict(dict)
    for quantity, scores in (("step_time", times), ("memory", peaks)):
        by_source: dict[str, list[Score]] = defaultdict(list)
        for score in scores:
            by_source[source_of(score.row)].append(score)
        for source, found in by_source.items():
            sources[source][quantity] = summary(found, quantity)
    return {
        "overall": {
            "step_time": summary(times, "step_time"),
            "memory": summary(peaks, "memory"),
            "fits": fits_summary(decisions),
        },
        "converted": converted_figures(times, converted),
        "leave_one_source_out": {
            "step_time": leave_one_out(times, left_out_times),
            "memory": leave_one_out(peaks, reserve_fit.left_out),
        },
        "source_weighted": {quantity: source_weighted(sources, quantity) for quantity in ("step_time", "memory")},
        "program_unknown": program_unknown(memory),
        "sources": dict(sorted(sources.items())),
        "not_expressed": {
            "step_time": dict(time_reasons.most_common()),
            "converted": dict(converted_reasons.most_common()),
            "memory": dict(memory_reasons.most_common()),
            "fits": dict(fits_reasons.most_common()),
        },
    }, [*times, *converted, *peaks]
