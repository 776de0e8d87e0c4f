"""Measurements that need no compiler and no framework: run as a child by ``measure_memory`` and ``measure_compute``.

Usage: ``python -m headway.machine.numpy_benchmarks ARRAY_BYTES SECONDS STAGE...`` with the stages ``memory`` and
``matmul``; the first two numbers are for ``memory``: the size of an array, and the time for its repetitions.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from headway.machine.measurements import Matmul, MemoryBandwidth, matmul_point
from headway.machine.stages import run_stages
from headway.machine.timing import repeat_seconds

_BLOCK = 32 * 1024
"""Doubles per block, 256 KiB: the product between the two steps of the triad stays in a core's cache."""

SQUARE_SIZES = (256, 512, 1024, 2048)


def measure_memory(array_bytes: int, threads: int, budget_seconds: float) -> MemoryBandwidth:
    """Measure copy and triad with NumPy.

    Args:
        array_bytes: size of each of the three arrays.
        threads: the number of threads (NumPy releases the interpreter during its loops).
        budget_seconds: time for the repetitions of both together.
    """
    count = max(array_bytes // 8, _BLOCK * threads)
    a, b, c = np.full(count, 1.0), np.full(count, 2.0), np.full(count, 0.0)
    edges = np.linspace(0, count, threads + 1).astype(int)

    def copy(part: int) -> None:
        c[edges[part] : edges[part + 1]] = a[edges[part] : edges[part + 1]]

    def triad(part: int) -> None:
        for start in range(edges[part], edges[part + 1], _BLOCK):
            end = min(start + _BLOCK, edges[part + 1])
            np.add(b[start:end], 0.5 * c[start:end], out=a[start:end])

    with ThreadPoolExecutor(threads) as pool:

        def best_seconds(work: Callable[[int], None]) -> float:
            return min(repeat_seconds(lambda: list(pool.map(work, range(threads))), budget_seconds=budget_seconds / 2))

        copy_seconds, triad_seconds = best_seconds(copy), best_seconds(triad)
    return MemoryBandwidth(
        method="numpy",
        threads=threads,
        array_bytes=count * 8,
        copy_bytes_per_second=16 * count / copy_seconds,
        triad_bytes_per_second=24 * count / triad_seconds,
    )


def measure_matmul(threads: int, sizes: tuple[int, ...] = SQUARE_SIZES, budget_seconds: float = 0.1) -> Matmul:
    """Measure square fp32 products with the library that NumPy was built with.

    Args:
        threads: the number of threads that the environment allows that library.
        sizes: the sides of the matrices.
        budget_seconds: time for each size.
    """
    points = []
    for size in sizes:
        a, b = np.ones((size, size), np.float32), np.ones((size, size), np.float32)
        c = np.empty((size, size), np.float32)
        times = repeat_seconds(partial(np.matmul, a, b, out=c), budget_seconds=budget_seconds)
        points.append(matmul_point("fp32", (size, size, size), "numpy.matmul", times))
    return Matmul(method="numpy", threads=threads, points=tuple(points))


def main(arguments: list[str]) -> None:
    """Run the stages that follow the two numbers."""
    threads = int(os.environ["OMP_NUM_THREADS"])
    array_bytes, budget_seconds = int(arguments[0]), float(arguments[1])
    stages: dict[str, Callable[[], object]] = {
        "memory": lambda: measure_memory(array_bytes, threads, budget_seconds),
        "matmul": lambda: measure_matmul(threads),
    }
    run_stages(stages, arguments[2:])


if __name__ == "__main__":
    main(sys.argv[1:])
