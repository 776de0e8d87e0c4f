"""Whether devices compute right and equally fast: run as a child by ``headway.resilience.preflight``.

Usage: ``python -m headway.training.engines.torch.self_test KIND RANKS STAGE...`` with the kinds ``cpu`` and ``cuda``
and the stages ``multiply`` and ``all_reduce``; it prints the lines that ``headway.machine.stages`` describes.

A product of whole numbers so small that no sum of them is ever rounded has one right answer, whatever the order of
the sums. It is checked by the method of Freivalds (1977, "Probabilistic machines can use less running time"): C x is
compared with A (B x) for a random x, in whole numbers, at a cost of three products with a vector. A wrong C passes
with a probability of at most one in the number of values that an entry of x can have, here 2**16.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from headway import units
from headway.machine.stages import run_stages
from headway.training.engines.torch.local_ranks import run_ranks

CPU_SIZE, CUDA_SIZE = 512, 4096
LARGEST_ENTRY = 8
"""bf16 and TF32 hold whole numbers up to 256 exactly; and 4096 products of 8 x 8 add up to less than 2**24, the last
whole number up to which fp32 has no gaps."""

PRODUCTS = 5
"""On each device; the best counts for the speed, all of them for the result."""

LARGEST_CPU_COUNT = 64
"""Cores of a large server are sampled evenly, to stay within seconds."""

_BUFFER_BYTES = 4 * units.MIB
_SUMS = 5


def multiply(kind: str) -> list[dict[str, Any]]:
    """Multiply on each core, or each accelerator."""
    import torch

    torch.set_num_threads(1)
    if kind == "cuda":
        return [_multiply_on(f"cuda:{index}", CUDA_SIZE) for index in range(torch.cuda.device_count())]
    cores = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [-1]
    step = max(1, -(-len(cores) // LARGEST_CPU_COUNT))
    found = []
    for core in cores[::step]:
        if core >= 0:
            os.sched_setaffinity(0, {core})
        found.append({**_multiply_on("cpu", CPU_SIZE), "device": f"cpu:{core}" if core >= 0 else "cpu"})
    if cores[0] >= 0:
        os.sched_setaffinity(0, set(cores))
    return found


def _multiply_on(device: str, size: int) -> dict[str, Any]:
    import torch

    # fp32 in whole numbers is exact on every path; bf16 is the path that trains on accelerators.
    dtype = torch.bfloat16 if device.startswith("cuda") else torch.float32
    generator = torch.Generator().manual_seed(size)
    entry = partial(torch.randint, -LARGEST_ENTRY, LARGEST_ENTRY + 1, generator=generator)
    a, b = entry((size, size)), entry((size, size))
    x = torch.randint(0, 2**16, (size,), generator=generator)
    expected = a @ (b @ x)
    left, right = a.to(device, dtype), b.to(device, dtype)
    # A product in bf16 would round its result; in fp32 it is exact.
    work = (
        partial(torch.mm, left, right, out_dtype=torch.float32)
        if dtype != torch.float32
        else partial(torch.mm, left, right)
    )
    work()
    wrong, seconds = 0, []
    for _ in range(PRODUCTS):
        _synchronize(device)
        started = time.perf_counter()
        product = work()
        _synchronize(device)
        seconds.append(time.perf_counter() - started)
        wrong += not is_product(product.cpu(), x, expected)
    return {
        "device": device,
        "wrong": wrong,
        "products": PRODUCTS,
        "flops_per_second": 2 * size**3 / max(min(seconds), 1e-9),
    }


def is_product(product: Any, x: Any, expected: Any) -> bool:
    """Say whether a matrix of whole numbers is a product, by Freivalds' method.

    Args:
        product: ``[n, n]``, the matrix, of any type.
        x: ``[n]``, random whole numbers.
        expected: ``[n]``, the factors times ``x``.
    """
    import torch

    # What is no whole number, or not a number at all, is wrong whatever the rounding to int64 makes of it.
    whole = product.to(torch.float64)
    if not bool((whole == whole.round()).all()):
        return False
    return bool(torch.equal(whole.to(torch.int64) @ x, expected))


def _synchronize(device: str) -> None:
    if device.startswith("cuda"):
        import torch

        torch.cuda.synchronize(device)


def all_reduce(kind: str, ranks: int) -> dict[str, Any]:
    """Add up over processes of this server, and check the sum in each.

    Raises:
        RuntimeError: a process failed; the text is the last line that it left.
    """
    results = run_ranks("headway.training.engines.torch.self_test", ranks, [kind, str(ranks)])
    slowest = max(result["seconds"] for result in results)
    return {
        "backend": results[0]["backend"],
        "ranks": ranks,
        "right": all(result["right"] for result in results),
        "bus_bytes_per_second": 2 * (ranks - 1) / ranks * _BUFFER_BYTES / slowest,
    }


def run_rank(kind: str, ranks: int, rank: int, store: Path) -> dict[str, Any]:
    """Take part in the sum as one of its processes; see `all_reduce`."""
    import torch
    import torch.distributed as dist

    device = f"cuda:{rank}" if kind == "cuda" else "cpu"
    backend = "nccl" if kind == "cuda" else "gloo"
    if kind == "cuda":
        torch.cuda.set_device(rank)
    dist.init_process_group(backend, init_method=f"file://{store}", rank=rank, world_size=ranks)
    # Whole numbers again: the sum over ranks has one right answer in every element.
    pattern = torch.arange(_BUFFER_BYTES // 4, device=device) % 1024
    expected = pattern * (ranks * (ranks + 1) // 2)
    right, best = True, float("inf")
    for _ in range(_SUMS):
        buffer = (pattern * (rank + 1)).to(torch.float32)
        _synchronize(device)
        started = time.perf_counter()
        dist.all_reduce(buffer)
        _synchronize(device)
        best = min(best, time.perf_counter() - started)
        right = right and bool(torch.equal(buffer.to(torch.int64), expected))
    dist.destroy_process_group()
    return {"right": right, "seconds": best, "backend": backend}


def main(arguments: list[str]) -> None:
    """Run the named stages, or one process of the sum (``--rank RANK STORE KIND RANKS``)."""
    if arguments[:1] == ["--rank"]:
        from headway.machine.stages import emit

        rank, store, kind, ranks = arguments[1:]
        emit(run_rank(kind, int(ranks), int(rank), Path(store)))
        return
    kind, ranks, *wanted = arguments
    stages: dict[str, Callable[[], Any]] = {
        "multiply": partial(multiply, kind),
        "all_reduce": partial(all_reduce, kind, int(ranks)),
    }
    run_stages(stages, wanted)


if __name__ == "__main__":
    main(sys.argv[1:])
