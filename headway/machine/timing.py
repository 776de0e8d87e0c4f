"""Timing of repeated work within a budget."""

from __future__ import annotations

import time
from collections.abc import Callable


def repeat_seconds(
    work: Callable[[], object], *, budget_seconds: float, minimum: int = 3, inner: int = 1
) -> list[float]:
    """Time ``work`` repeatedly, after one run to warm up.

    Args:
        work: what to time.
        budget_seconds: no repetition starts after this time, once there are ``minimum`` of them.
        minimum: the least number of repetitions.
        inner: how often ``work`` is called per repetition, for work much shorter than the clock's own cost.

    Returns:
        Seconds per call, one figure per repetition.
    """
    work()
    found: list[float] = []
    begin = time.perf_counter()
    while len(found) < minimum or time.perf_counter() - begin < budget_seconds:
        start = time.perf_counter()
        for _ in range(inner):
            work()
        # The clock may not advance during tiny work; a rate must stay finite.
        found.append(max(time.perf_counter() - start, 1e-9) / inner)
    return found


def best_seconds(work: Callable[[], object], *, budget_seconds: float, minimum: int = 3, inner: int = 1) -> float:
    """Return the least of ``repeat_seconds``.

    Whatever else runs on the machine only ever adds time, and with threads that wait for each other it adds a lot:
    the median then describes the neighbours. Source: the Python library's own ``timeit``, "Timer.repeat".
    """
    return min(repeat_seconds(work, budget_seconds=budget_seconds, minimum=minimum, inner=inner))
