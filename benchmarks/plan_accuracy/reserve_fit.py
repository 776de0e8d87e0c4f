"""The fit of what lies beside tensors to published peaks, and what leaving out each source changes.

    python -m benchmarks.plan_accuracy.reserve_fit [--memory FILE]

Four numbers of the memory model are no counts: the allocator's holes, with eager and with fused kernels, and the
driver's context, of early and of later generations. They are fitted as the parameters of the step time are
(`benchmarks.plan_accuracy.fit`). All else counts arrays, and is read from the code of the programs.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from benchmarks.plan_accuracy.fit import fitted_steps, left_out_errors, source_weights
from benchmarks.plan_accuracy.rows import MEMORY, read_rows, source_of
from benchmarks.plan_accuracy.score import Score, peak_bytes, peak_layout, score_memories
from benchmarks.plan_accuracy.sensitivity import STEP, Floats
from headway.planning.analytic.reserves import reserves

FITTED = ("eager_holes", "fused_holes", "context_bytes", "early_context_bytes")


def reserve_slopes(scores: Sequence[Score]) -> Floats:
    """Return d log(peak) / d log(parameter), shape [rows, parameters], with the chosen layout held fixed."""
    slopes = np.zeros((len(scores), len(FITTED)))
    usual = reserves()
    for index, score in enumerate(scores):
        found, one = peak_layout(score.row)
        base = peak_bytes(score.row, found, one, usual)
        for column, name in enumerate(FITTED):
            moved = replace(usual, **{name: getattr(usual, name) * (1 + STEP)})
            slopes[index, column] = np.log(peak_bytes(score.row, found, one, moved) / base) / np.log1p(STEP)
    return slopes


def left_out(scores: Sequence[Score]) -> Floats:
    """Return log errors of each row with parameters fitted to all other sources."""
    errors = np.asarray([score.log_error for score in scores])
    return left_out_errors(errors, reserve_slopes(scores), [source_of(score.row) for score in scores])


def main() -> int:
    """Print each parameter, its value and what the fit would make of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=Path, default=MEMORY)
    scores, _ = score_memories(read_rows(parser.parse_args().memory))
    errors = np.asarray([score.log_error for score in scores])
    slopes = reserve_slopes(scores)
    steps = fitted_steps(errors, slopes, source_weights([source_of(score.row) for score in scores]))
    for name, step in zip(FITTED, steps, strict=True):
        value = getattr(reserves(), name)
        print(f"{name:24s} {value:12.4g} -> {value * np.exp(step):12.4g}")
    for name, values in (("now", errors), ("fitted", errors + slopes @ steps), ("left out", left_out(scores))):
        sizes = np.abs(np.expm1(values))
        print(f"{name:10s} median {np.median(sizes):.1%}  p90 {np.percentile(sizes, 90):.1%}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
