"""The fit of the physical parameters to published step times, and what leaving out each source changes.

    python -m benchmarks.plan_accuracy.fit [--throughput FILE]

A robust regression of log errors on the logarithms of the parameters, each source weighing as the square root of its
rows, and each parameter held near what it was before by a prior of 15 %: what no row tells of does not move. The
catalogue's efficiencies are the result, rounded, within what is physical (`bounded`, and the notes of the catalogue);
run again on them, the fit moves nothing else by more than a few percent.
Source: Huber 1964, "Robust estimation of a location parameter", for the loss.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from benchmarks.plan_accuracy.rows import THROUGHPUT, read_rows, source_of
from benchmarks.plan_accuracy.score import score_times
from benchmarks.plan_accuracy.sensitivity import Floats, Parameter, jacobian, parameters_of
from headway import catalog
from headway.planning.analytic import intervals

HUBER = 0.1
"""Errors beyond 10 % count by their size, not by its square."""

PRIOR = 0.15
PRIOR_WEIGHT = 0.05
ITERATIONS = 30


def fitted_steps(errors: Floats, slopes: Floats, weights: Floats) -> Floats:
    """Return by how much the logarithm of each parameter has to move: iteratively reweighted least squares.

    Args:
        errors: log(predicted / measured), shape [rows].
        slopes: d log(predicted) / d log(parameter), shape [rows, parameters].
        weights: of the rows.
    """
    steps: Floats = np.zeros(slopes.shape[1])
    ridge = np.eye(slopes.shape[1]) * PRIOR_WEIGHT / PRIOR**2
    for _ in range(ITERATIONS):
        left = errors + slopes @ steps
        shares = weights * np.minimum(1.0, HUBER / np.maximum(np.abs(left), 1e-9)) / HUBER
        weighted = slopes * shares[:, None]
        steps = np.asarray(np.linalg.solve(weighted.T @ slopes + ridge, -weighted.T @ errors), dtype=np.float64)
    return steps


def bounded(parameter: Parameter, value: float, fitted: Mapping[str, float]) -> float:
    """Return a fitted value within what is physical.

    Products in a training hold no more than the best that anybody measured of products alone, and kernels that were
    tuned for a generation are no slower than portable ones, whatever a few rows say.

    Args:
        parameter: that was fitted.
        value: as the rows would have it.
        fitted: values of the parameters before it, by name.
    """
    if parameter.field == "matmul_16bit_efficiency":
        return min(value, best_measured_share(parameter.generation or ""))
    portable = fitted.get(parameter.name.replace("tuned_", ""))
    return value if portable is None else max(value, portable)


def best_measured_share(generation: str) -> float:
    """Return the best share of its stated 16-bit rate that anybody measured on a generation; 1 if nobody did."""
    members = [catalog.accelerator(name) for name in catalog.efficiencies.entries()[generation].accelerators]
    shares = [
        member.measured_bf16_flops_per_second / member.bf16_dense_flops_per_second
        for member in members
        if member.measured_bf16_flops_per_second and member.bf16_dense_flops_per_second
    ]
    return max(shares, default=1.0)


def source_weights(sources: Sequence[str]) -> Floats:
    """Return the weight of each row: a source counts as the square root of its rows."""
    counts = Counter(sources)
    return np.asarray([1 / np.sqrt(counts[source]) for source in sources])


def left_out_errors(errors: Floats, slopes: Floats, sources: Sequence[str]) -> Floats:
    """Return log errors of each row with parameters fitted to all other sources."""
    found = errors.copy()
    names = np.asarray(sources)
    for source in set(sources):
        kept = names != source
        if not np.any(kept):
            continue
        weights = source_weights([name for name in sources if name != source])
        steps = fitted_steps(errors[kept], slopes[kept], weights)
        found[~kept] = errors[~kept] + slopes[~kept] @ steps
    return found


def main() -> int:
    """Print each parameter, its value and what the fit would make of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--throughput", type=Path, default=THROUGHPUT)
    scores, _ = score_times(read_rows(parser.parse_args().throughput))
    expressed = [score.found for score in scores]
    parameters = parameters_of(expressed)
    slopes = jacobian(expressed, parameters)
    errors = np.asarray([score.log_error for score in scores])
    sources = [source_of(score.row) for score in scores]
    steps = fitted_steps(errors, slopes, source_weights(sources))
    after = errors + slopes @ steps
    fitted: dict[str, float] = {}
    for parameter, step in zip(parameters, steps, strict=True):
        hardware = next(row.hardware for row in expressed if parameter.generation in (None, row.hardware.efficiency.id))
        value = parameter.value(hardware)
        assert value is not None
        fitted[parameter.name] = bounded(parameter, value * float(np.exp(step)), fitted)
        print(f"{parameter.name:52s} {value:9.4g} -> {fitted[parameter.name]:9.4g}")
    left_out = left_out_errors(errors, slopes, sources)
    for name, values in (("now", errors), ("fitted", after), ("left out", left_out)):
        sizes = np.abs(np.expm1(values))
        print(f"{name:10s} median {np.median(sizes):.1%}  p90 {np.percentile(sizes, 90):.1%}")
    for kind, (low, high) in spreads([intervals.kind_of(row.job) for row in expressed], left_out).items():
        print(f"80 % interval of {kind}: {low:.2f} to {high:.2f} of the prediction")
    return 0


def spreads(kinds: Sequence[str], log_errors: Floats) -> dict[str, tuple[float, float]]:
    """Return the tenth and the ninetieth percentile of measured over predicted, by kind of training."""
    ratios = np.exp(-log_errors)
    found = {}
    for kind in sorted(set(kinds)):
        mine = ratios[np.asarray(kinds) == kind]
        found[kind] = (float(np.percentile(mine, 10)), float(np.percentile(mine, 90)))
    return found


if __name__ == "__main__":
    raise SystemExit(main())
