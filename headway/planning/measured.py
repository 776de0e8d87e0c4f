"""What an operation takes on a machine whose training operations were measured: a CPU server."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from math import prod
from typing import final

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


@final
class MeasuredDevice:
    """Prices operations by what was measured of the very same operations.

    Args:
        points: the measured points, at least one for every kind and dtype that will be asked for.
    """

    def __init__(self, points: Sequence[OperationPoint]) -> None:
        self._points = points

    def seconds(self, operation: Operation) -> float:
        """Return the time of one execution.

        Raises:
            PlanError: no such operation was measured.
        """
        found = self._fits.get((operation.kind, operation.dtype, operation.passes))
        if found is None:
            raise PlanError("plan-operation-not-measured", operation=operation.kind, dtype=operation.dtype)
        return found.seconds(work_amounts(operation.kind, operation.shape))

    @cached_property
    def _fits(self) -> dict[tuple[str, str, str], FittedTime]:
        grouped: dict[tuple[str, str], list[OperationPoint]] = {}
        for point in self._points:
            grouped.setdefault((point.kind, point.dtype), []).append(point)
        fits = {}
        for (kind, dtype), points in grouped.items():
            amounts = [work_amounts(kind, point.shape) for point in points]
            forward = [point.forward_seconds for point in points]
            backward = [point.backward_seconds for point in points]
            is_update = not any(backward)
            fits[kind, dtype, "update" if is_update else "forward"] = fit_time(amounts, forward)
            if not is_update:
                fits[kind, dtype, "backward"] = fit_time(amounts, backward)
        return fits
