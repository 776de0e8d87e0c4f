"""How near the plan comes to published trainings.

    python -m benchmarks.plan_accuracy [--throughput FILE] [--memory FILE] [--json] [--rows]

Every row that states a step time or a rate, and every row that states a peak of memory, becomes the sections of a
recipe, its hardware and the layouts that it leaves open. The planner makes its own job of them, and where something is
left open it chooses by its own rule. Any files of the same columns can be given. What cannot be expressed is counted by
reason. Rows that state only FLOP/s for each device are scored apart, where it is known how their source counts
(`conventions`). Three things that no recipe can say are taken from rows all the same: attention that looks both ways
(BERT), frozen weights of 8 bits, and embeddings that are trained beside adapters. Memory is scored twice: with the
program that a row comes from (``training.software``), and without it.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from benchmarks.plan_accuracy.figures import evaluate
from benchmarks.plan_accuracy.rows import MEMORY, THROUGHPUT
from benchmarks.plan_accuracy.score import Score

AIMS = {
    "step_time": {"median_abs_error": 0.08, "p90_abs_error": 0.25},
    "memory": {"median_abs_error": 0.05, "p90_abs_error": 0.15},
}


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
    _show_converted(found["converted"])
    for quantity in ("step_time", "memory"):
        _show_sources(found, quantity)
    fits = found["overall"]["fits"]
    if fits["rows"]:
        print(f"fits or not: {fits['right']:.1%} right of {fits['rows']} (aim 98 %)")
    unknown = found["program_unknown"]
    if unknown["memory"]["rows"] and unknown["fits"]["rows"]:
        print(
            f"program unknown (training.software left at its default): memory median"
            f" {unknown['memory']['median_abs_error']:.1%}, p90 {unknown['memory']['p90_abs_error']:.1%};"
            f" fits or not {unknown['fits']['right']:.1%} right"
        )
    for quantity, reasons in found["not_expressed"].items():
        print(f"\nnot expressed, {quantity}: {sum(reasons.values())}")
        for reason, count in reasons.items():
            print(f"  {count:5d}  {reason}")


def _show_converted(found: Mapping[str, Any]) -> None:
    """Print the rows that state FLOP/s only, which are not among the others."""
    if not found["step_time"].get("rows"):
        return
    print(f"\n{'step_time, converted from FLOP/s':44s}  rows   median      p90     bias   in 80 %")
    for source, figures in found["sources"].items():
        print(_line(source[:44], figures))
    print(_line("all of these", found["step_time"]))
    print(_line("with the stated times", found["with_stated_times"]))


def _show_sources(found: Mapping[str, Any], quantity: str) -> None:
    """Print what the median over all rows may hide: sources left out, each source counting once, the worst ones."""
    left, weighted = found["leave_one_source_out"][quantity], found["source_weighted"][quantity]
    if not left["rows"]:
        return
    worst = ", ".join(f"{name} {error:.1%}" for name, error in weighted["worst"].items())
    print(
        f"\n{quantity}, each source left out of the fit in turn: median {left['median_abs_error']:.1%},"
        f" p90 {left['p90_abs_error']:.1%}"
        f"\n{quantity}, each source counting once: median {weighted['median_abs_error']:.1%} of"
        f" {weighted['sources']} sources; worst: {worst}"
    )


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
