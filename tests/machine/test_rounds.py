"""The best of several rounds of the same measurements."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headway.machine.measure_compute import ComputeResults
from headway.machine.rounds import best_bandwidth, best_results, spread


def results(measured: Any) -> ComputeResults:
    names = ("framework", "matmul", "attention", "operations", "all_reduce")
    return ComputeResults(**{name: getattr(measured, name) for name in names})


def test_the_best_of_a_round_and_itself_is_itself(real_probe: Any) -> None:
    once = results(real_probe.machine.measurements)
    assert best_results([once]) == once
    assert best_results([once, once, once]) == once
    nothing = ComputeResults()
    assert best_results([nothing, nothing]) == nothing
    assert best_results([once, nothing]) == once


def test_of_each_thing_the_faster_figure_counts(real_probe: Any) -> None:
    fast = results(real_probe.machine.measurements)
    slow = replace(
        fast,
        framework=replace(fast.framework, small_op_seconds=1.0, small_op_autograd_seconds=1.0),
        matmul=replace(fast.matmul, points=tuple(replace(point, flops_per_second=1.0) for point in fast.matmul.points)),
        attention=tuple(replace(point, flops_per_second=1.0) for point in fast.attention),
        operations=tuple(
            replace(
                point, forward_seconds=9.0, backward_seconds=9.0, forward_cold_seconds=9.0, backward_cold_seconds=9.0
            )
            for point in fast.operations
        ),
        all_reduce=replace(fast.all_reduce, bus_bytes_per_second=1.0),
    )
    assert best_results([slow, fast]) == best_results([fast, slow]) == fast
    # A point that one round lacks is taken from the other.
    short = replace(fast, operations=fast.operations[:1])
    assert set(best_results([short, fast]).operations) == set(fast.operations)


def test_the_fastest_bandwidth_counts(real_probe: Any) -> None:
    memory = real_probe.machine.measurements.memory
    slow = replace(memory, triad_bytes_per_second=1.0)
    assert best_bandwidth([slow, None, memory]) == memory
    assert best_bandwidth([None]) is None


def test_the_spread_is_how_much_slower_the_middle_repetition_is(real_probe: Any) -> None:
    matmul = real_probe.machine.measurements.matmul
    points = tuple(
        replace(point, flops_per_second=4.0, median_flops_per_second=value)
        for point, value in zip(matmul.points[:2], (1.0, 3.0), strict=True)
    )
    assert spread(replace(matmul, points=points)) == pytest.approx(0.5)
    assert spread(None) is spread(replace(matmul, points=())) is None
