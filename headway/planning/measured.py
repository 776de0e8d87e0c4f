"""What an operation takes on a machine whose training operations were measured: a CPU server.

Source: `fitting`, on what ``headway probe`` measured.
Leaves out: what other processes take meanwhile.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import final

from headway import units
from headway.errors import PlanError
from headway.machine.measurements import OperationPoint
from headway.planning.fitting import FittedTime, fit_time
from headway.planning.operations import Operation


def work_amounts(kind: str, shape: Sequence[int]) -> tuple[float, ...]:
    """Return the amounts of work that an operation's time is a sum of; the first is the constant 1.

    Args:
        kind: of the operation.
        shape: as ``headway.planning.operations`` defines it for the kind.
    """
    if kind in ("linear", "head"):
        rows, inputs, outputs = shape
        return (
            1.0,
            float(rows * inputs * outputs),
            float(rows * inputs),
            float(rows * outputs),
            float(inputs * outputs),
        )
    if kind == "attention":
        sequences, heads, _, positions, channels = shape
        scores = float(sequences * heads * positions**2)
        return (1.0, scores * channels, scores, float(sequences * heads * positions * channels))
    if kind == "embedding":
        rows, channels, vocabulary = shape
        return (1.0, float(rows * channels), float(vocabulary * channels))
    rows, channels = shape
    return (1.0, float(rows), float(prod(shape)))


COLD_BYTES = 128 * units.MIB
"""Data that was read between warm and cold in the measurement (``operation_benchmarks.EVICTED_BYTES``).

A value that is used again after this much other data comes from main memory, one that is used again at once comes from
the caches, and between the two the share of cold data is taken to grow in proportion."""


def best_product_flops_per_second(points: Sequence[OperationPoint], dtype: str) -> float:
    """Return the highest rate of the products that were measured; 0 where none of this dtype was.

    The head is left out: its loss makes most of the gradients in the forward pass.

    Args:
        points: the measured points.
        dtype: of the products.
    """
    rates = [0.0]
    for point in points:
        if point.kind == "linear" and point.dtype == dtype:
            flops = 2.0 * prod(point.shape)
            rates += [flops / point.forward_seconds] if point.forward_seconds else []
            rates += [2.0 * flops / point.backward_seconds] if point.backward_seconds else []
    return max(rates)


@final
class MeasuredDevice:
    """Prices operations by what was measured of the very same operations.

    Args:
        points: the measured points, at least one for every kind and dtype that will be asked for.
        peak_flops_per_second: no operation is faster, however far its shape lies from those that were measured.
    """

    def __init__(self, points: Sequence[OperationPoint], peak_flops_per_second: float = math.inf) -> None:
        self._points = points
        self._peak_flops_per_second = peak_flops_per_second

    def seconds(self, operation: Operation, reuse_bytes: float = 0.0) -> float:
        """Return the time of one execution.

        Args:
            operation: what runs.
            reuse_bytes: what else is touched before a value is used again.

        Raises:
            PlanError: no such operation was measured.
        """
        found = self._fits.get((operation.kind, operation.dtype, operation.runs_as or operation.passes))
        if found is None:
            raise PlanError("plan-operation-not-measured", operation=operation.kind, dtype=operation.dtype)
        amounts = work_amounts(operation.kind, operation.shape)
        warm, cold = (fit.seconds(amounts) for fit in found)
        fitted = operation.share * (warm + min(1.0, reuse_bytes / COLD_BYTES) * max(0.0, cold - warm))
        return max(fitted, operation.flops / self._peak_flops_per_second)

    @cached_property
    def _fits(self) -> dict[tuple[str, str, str], tuple[FittedTime, FittedTime]]:
        """Return the warm and the cold fit of each kind, dtype and pass."""
        grouped: dict[tuple[str, str], list[OperationPoint]] = {}
        for point in self._points:
            grouped.setdefault((point.kind, point.dtype), []).append(point)
        fits = {}
        for (kind, dtype), points in grouped.items():
            amounts = [work_amounts(kind, point.shape) for point in points]
            is_update = not any(point.backward_seconds for point in points)
            fits[kind, dtype, "update" if is_update else "forward"] = (
                fit_time(amounts, [point.forward_seconds for point in points]),
                fit_time(amounts, [point.forward_cold_seconds for point in points]),
            )
            if not is_update:
                fits[kind, dtype, "backward"] = (
                    fit_time(amounts, [point.backward_seconds for point in points]),
                    fit_time(amounts, [point.backward_cold_seconds for point in points]),
                )
        return fits
