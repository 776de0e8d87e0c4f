"""How far measured peaks of memory lie from predictions, by kind of training: ``MEMORY_SPREAD`` of the intervals.

    python -m benchmarks.plan_accuracy.spread [--memory FILE]

Each source is left out in turn, and of the percentiles that the others give, the middle ones are taken; a kind with
fewer than three sources gets no less than all kinds together. The share of the rows of left-out sources that their
interval covers is printed too.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.plan_accuracy.rows import MEMORY, read_rows, source_of
from benchmarks.plan_accuracy.score import Score, score_memories
from headway.planning.analytic.intervals import kind_of

Floats = NDArray[np.float64]

LOW, HIGH = 0.1, 0.9
FEWEST_SOURCES = 3


def weighted_quantile(values: Floats, weights: Floats, share: float) -> float:
    """Return the value below which a share of the weight lies."""
    order = np.argsort(values)
    below = np.cumsum(weights[order]) - weights[order] / 2
    return float(np.interp(share * weights.sum(), below, values[order]))


def interval_of(ratios: Floats, sources: Sequence[str]) -> tuple[float, float]:
    """Return the tenth and the ninetieth percentile of ratios, each source weighing as the root of its rows.

    A source with many rows says more than one with few, but its rows err together.
    """
    counts = Counter(sources)
    weights = np.asarray([1 / np.sqrt(counts[source]) for source in sources])
    return weighted_quantile(ratios, weights, LOW), weighted_quantile(ratios, weights, HIGH)


def left_out(ratios: Floats, sources: Sequence[str]) -> tuple[tuple[float, float], float]:
    """Return the middle of the intervals without each source, and the share of left-out rows that these cover."""
    names = np.asarray(sources)
    lows, highs, covered = [], [], []
    for source in sorted(set(sources)):
        others = names != source
        if not others.any():
            others = ~others
        low, high = interval_of(ratios[others], list(names[others]))
        lows.append(low)
        highs.append(high)
        covered.extend((low <= ratios[names == source]) & (ratios[names == source] <= high))
    return (float(np.median(lows)), float(np.median(highs))), float(np.mean(covered))


def spreads(scores: Sequence[Score]) -> dict[str, tuple[tuple[float, float], float, int]]:
    """Return interval, coverage of left-out sources and rows by kind of training."""
    by_kind: dict[str, list[Score]] = defaultdict(list)
    for score in scores:
        by_kind[kind_of(score.found.job)].append(score)
    (least, most), _ = left_out(*_ratios(scores))
    found = {}
    for kind, some in sorted(by_kind.items()):
        ratios, sources = _ratios(some)
        (low, high), coverage = left_out(ratios, sources)
        if len(set(sources)) < FEWEST_SOURCES:
            low, high = min(low, least), max(high, most)
        found[kind] = (low, high), coverage, len(some)
    return found


def _ratios(scores: Sequence[Score]) -> tuple[Floats, list[str]]:
    """Return measured over predicted, and the sources."""
    ratios = np.asarray([score.measured / score.predicted for score in scores])
    return ratios, [source_of(score.row) for score in scores]


def main() -> None:
    """Print the intervals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--memory", type=Path, default=MEMORY)
    scores, _ = score_memories(read_rows(parser.parse_args().memory))
    for kind, ((low, high), coverage, rows) in spreads(scores).items():
        print(f"{kind}: {low:.2f} to {high:.2f} of the prediction; covers {coverage:.0%} of left-out rows; {rows} rows")


if __name__ == "__main__":
    main()
