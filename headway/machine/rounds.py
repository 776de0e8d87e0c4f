"""Several rounds of the same measurements, on a machine that other work disturbs: their spread, and the best of them.

Other work only ever adds time, so that of two figures of the same thing the faster one is the nearer to what the
machine can do. Source: the Python library's own ``timeit``, "Timer.repeat".
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Hashable, Iterable
from dataclasses import replace
from typing import TypeVar

from headway.machine.measure_compute import ComputeResults
from headway.machine.measurements import AttentionPoint, Framework, Matmul, MatmulPoint, MemoryBandwidth, OperationPoint

NOISY_SPREAD = 0.2
"""From here on repetitions differ by more than an idle machine's: those where this was written stay below 0.15."""

Point = TypeVar("Point")


def spread(matmul: Matmul | None) -> float | None:
    """Return how much slower the middle repetition is than the best one: the mean over all products, 0 to 1."""
    if matmul is None or not matmul.points:
        return None
    return statistics.fmean(1 - point.median_flops_per_second / point.flops_per_second for point in matmul.points)


def best_bandwidth(rounds: Iterable[MemoryBandwidth | None]) -> MemoryBandwidth | None:
    """Return the bandwidth of the fastest round."""
    known = [one for one in rounds if one is not None]
    return max(known, key=lambda one: one.triad_bytes_per_second, default=None)


def best_results(rounds: list[ComputeResults]) -> ComputeResults:
    """Return the fastest figure of each thing over all rounds; the notes are those of the last one."""
    matmuls = [one.matmul for one in rounds if one.matmul is not None]
    points: list[MatmulPoint] = _merge(
        (point for one in matmuls for point in one.points),
        lambda point: (point.dtype, point.m, point.n, point.k, point.kernel),
        lambda old, new: max(old, new, key=lambda point: point.flops_per_second),
    )
    frameworks = [one.framework for one in rounds if one.framework is not None]
    reduces = [one.all_reduce for one in rounds if one.all_reduce is not None]
    return replace(
        rounds[-1],
        matmul=replace(matmuls[-1], points=tuple(points)) if matmuls else None,
        framework=_fastest_framework(frameworks) if frameworks else None,
        attention=tuple(
            _merge((point for one in rounds for point in one.attention), _attention_key, _faster_attention)
        ),
        operations=tuple(
            _merge((point for one in rounds for point in one.operations), _operation_key, _faster_operation)
        ),
        all_reduce=max(reduces, key=lambda one: one.bus_bytes_per_second, default=None),
    )


def _merge(
    points: Iterable[Point], key: Callable[[Point], Hashable], faster: Callable[[Point, Point], Point]
) -> list[Point]:
    merged: dict[Hashable, Point] = {}
    for point in points:
        name = key(point)
        merged[name] = faster(merged[name], point) if name in merged else point
    return list(merged.values())


def _fastest_framework(found: list[Framework]) -> Framework:
    return replace(
        found[-1],
        small_op_seconds=min(one.small_op_seconds for one in found),
        small_op_autograd_seconds=min(one.small_op_autograd_seconds for one in found),
        elementwise_bytes_per_second=max(one.elementwise_bytes_per_second for one in found),
    )


def _attention_key(point: AttentionPoint) -> Hashable:
    return point.dtype, point.batch_size, point.num_heads, point.sequence_length, point.head_dim, point.threads


def _faster_attention(old: AttentionPoint, new: AttentionPoint) -> AttentionPoint:
    return max(old, new, key=lambda point: point.flops_per_second)


def _operation_key(point: OperationPoint) -> Hashable:
    return point.kind, point.dtype, point.shape, point.threads


def _faster_operation(old: OperationPoint, new: OperationPoint) -> OperationPoint:
    return replace(
        new,
        forward_seconds=min(old.forward_seconds, new.forward_seconds),
        backward_seconds=min(old.backward_seconds, new.backward_seconds),
        forward_cold_seconds=min(old.forward_cold_seconds, new.forward_cold_seconds),
        backward_cold_seconds=min(old.backward_cold_seconds, new.backward_cold_seconds),
    )
