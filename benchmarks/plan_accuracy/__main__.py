"""How near the plan comes to published trainings.

    python -m benchmarks.plan_accuracy [--throughput FILE] [--memory FILE] [--json] [--rows]

Every row that states a step time or a rate, and every row that states a peak of memory, is expressed as a job, its
hardware and the layouts that it leaves open; where something is left open, the planner chooses as it does for a user:
the fastest layout that fits. Any files of the same columns can be given. What cannot be expressed is counted by reason.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.plan_accuracy.fit import left_out_errors
from benchmarks.plan_accuracy.rows import MEMORY, THROUGHPUT, read_rows, source_of
from benchmarks.plan_accuracy.score import Score, score_all_fits, score_memories, score_times
from benchmarks.plan_accuracy.sensitivity import jacobian, parameters_of
from headway.planning.analytic import intervals

AIMS = {
    "step_time": {"median_abs_error": 0.08, "p90_abs_error": 0.25},
    "memory": {"median_abs_error": 0.05, "p90_abs_error": 0.15},
}


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


def leave_one_out(scores: Sequence[Score]) -> dict[str, Any]:
    """Return the errors of step times with parameters that were fitted without the row's own source."""
    if not scores:
        return {"rows": 0}
    expressed = [score.found for score in scores]
    slopes = jacobian(expressed, parameters_of(expressed))
    errors = np.asarray([score.log_error for score in scores])
    sizes = np.abs(np.expm1(left_out_errors(errors, slopes, [source_of(score.row) for score in scores])))
    return {
        "median_abs_error": float(np.median(sizes)),
        "p90_abs_error": float(np.percentile(sizes, 90)),
        "rows": len(scores),
    }


def evaluate(throughput: Path, memory: Path) -> tuple[dict[str, Any], list[Score]]:
    """Return all figures, and the scores they come from."""
    times, time_reasons = score_times(read_rows(throughput))
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
        "leave_one_source_out": {"step_time": leave_one_out(times)},
        "sources": dict(sorted(sources.items())),
        "not_expressed": {
            "step_time": dict(time_reasons.most_common()),
            "memory": dict(memory_reasons.most_common()),
            "fits": dict(fits_reasons.most_common()),
        },
    }, [*times, *peaks]


def _line(name: str, found: Mapping[str, Any]) -> str:
    if not found.get("rows"):
        return f"{name:44s} none"
    return (
        f"{name:44s} {found['rows']:5d}  {found['median_abs_error']:7.1%}  {found['p90_abs_error']:7.1%}"
        f"  {found['bias']:+7.1%}  {found['coverage']:6.0%}"
    )


def show(found: Mapping[str, Any]) -> None:
    """Print the figures as tables."""
    for quantity in ("step_time", "memory"):
        print(f"\n{quantity:44s}  rows   median      p90     bias   in 80 %")
        for source, figures in found["sources"].items():
            if quantity in figures:
                print(_line(source[:44], figures[quantity]))
        print(_line("all", found["overall"][quantity]))
        aims = AIMS[quantity]
        print(f"{'aim':44s}        {aims['median_abs_error']:7.1%}  {aims['p90_abs_error']:7.1%}            75-85%")
    left = found["leave_one_source_out"]["step_time"]
    if left["rows"]:
        print(
            f"\nstep_time, each source left out of the fit in turn: median {left['median_abs_error']:.1%},"
            f" p90 {left['p90_abs_error']:.1%}"
        )
    fits = found["overall"]["fits"]
    if fits["rows"]:
        print(f"fits or not: {fits['right']:.1%} right of {fits['rows']} (aim 98 %)")
    for quantity, reasons in found["not_expressed"].items():
        print(f"\nnot expressed, {quantity}: {sum(reasons.values())}")
        for reason, count in reasons.items():
            print(f"  {count:5d}  {reason}")


def show_rows(scores: Sequence[Score]) -> None:
    """Print each row, the worst first."""
    for score in sorted(scores, key=lambda score: -abs(score.log_error)):
        row = score.row
        print(
            f"{row['id']:24s} {row['model'][:28]:28s} {row['accel']:10s} x{row['devices']:>6s}"
            f" predicted {score.predicted:10.4g} measured {score.measured:10.4g} {score.error:+7.1%}"
        )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; return 2 where a file cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan_accuracy", description=__doc__)
    parser.add_argument("--throughput", type=Path, default=THROUGHPUT, help="CSV of step times or rates")
    parser.add_argument("--memory", type=Path, default=MEMORY, help="CSV of peaks of memory")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--rows", action="store_true", help="print each row too, the worst first")
    options = parser.parse_args(arguments)
    try:
        found, scores = evaluate(options.throughput, options.memory)
    except (OSError, ValueError) as error:
        print(f"cannot read the rows: {error}", file=sys.stderr)
        return 2
    if options.json:
        print(json.dumps(found, indent=2))
        return 0
    if options.rows:
        show_rows(scores)
    show(found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
