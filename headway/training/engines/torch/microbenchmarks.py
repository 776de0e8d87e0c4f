"""What PyTorch reaches on this machine's processors: run as a child by ``headway.machine.measure_compute``.

Usage: ``python -m headway.training.engines.torch.microbenchmarks STAGE...`` with the stages ``framework``, ``matmul``,
``attention``, ``operations`` and ``all_reduce``; it prints the lines that ``headway.machine.stages`` describes. The
number of threads is ``OMP_NUM_THREADS``. ``framework`` must come first, since it reads the memory of the process
before the others use it.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import psutil

from headway import units
from headway.machine.measurements import AllReduce, AttentionPoint, Framework, Matmul, matmul_point
from headway.machine.stages import describe, emit, run_stages
from headway.machine.timing import best_seconds, repeat_seconds
from headway.training.engines.torch.local_ranks import run_ranks

SHAPES = (
    (256, 256, 256), (512, 512, 512), (1024, 1024, 1024), (2048, 2048, 2048),
    (2048, 1024, 384), (2048, 4096, 384),
)  # fmt: skip
"""(m, n, k): squares, and a small transformer's 2,048 tokens of width 384 into its feed-forward and its vocabulary."""

_ELEMENTWISE_BYTES = 64 * units.MIB
_ALL_REDUCE_BYTES = 16 * units.MIB
_NUM_RANKS = 2

THREADS = int(os.environ.get("OMP_NUM_THREADS") or os.cpu_count() or 1)


def measure_framework(import_seconds: float, budget_seconds: float = 1.0) -> Framework:
    """Measure what the framework costs before any model.

    Args:
        import_seconds: the time that importing torch took.
        budget_seconds: time for the repetitions, all together.
    """
    import torch

    torch.set_num_threads(THREADS)
    layer = torch.nn.Linear(384, 384)
    layer(torch.randn(64, 384)).square().mean().backward()
    memory = psutil.Process().memory_info()
    training_resident_bytes = measure_training_resident_bytes()
    one = torch.ones(1)
    leaf = torch.ones(1, requires_grad=True)

    def with_gradients() -> None:
        leaf.grad = None
        (leaf + leaf).backward()

    a, b = torch.ones(_ELEMENTWISE_BYTES // 4), torch.ones(_ELEMENTWISE_BYTES // 4)
    c = torch.empty_like(a)
    share = budget_seconds / 3
    return Framework(
        name="torch",
        version=str(torch.__version__),
        threads=THREADS,
        import_seconds=import_seconds,
        resident_bytes=memory.rss,
        private_bytes=memory.rss - memory.shared,
        training_resident_bytes=training_resident_bytes,
        small_op_seconds=best_seconds(partial(torch.add, one, one), budget_seconds=share, inner=1000),
        small_op_autograd_seconds=best_seconds(with_gradients, budget_seconds=share, inner=100),
        elementwise_bytes_per_second=3
        * _ELEMENTWISE_BYTES
        / best_seconds(partial(torch.add, a, b, out=c), budget_seconds=share),
    )


def measure_matmul(shapes: tuple[tuple[int, int, int], ...] = SHAPES, budget_seconds: float = 0.1) -> Matmul:
    """Measure matrix products per dtype, shape and kernel.

    Args:
        shapes: (m, n, k) of ``[m, k] @ [k, n]``, the second factor stored as a linear layer's weight ``[n, k]``.
        budget_seconds: time for each point.

    Returns:
        The points of all kernels that run on this build; a kernel that this build lacks has none.
    """
    import torch

    torch.set_num_threads(THREADS)
    points = []
    for m, n, k in shapes:
        for dtype, kernel, work in _kernels(m, n, k):
            try:
                times = repeat_seconds(work, budget_seconds=budget_seconds)
            except (RuntimeError, AttributeError):
                # Builds differ in what they have: no oneDNN, no int8 product.
                continue
            points.append(matmul_point(dtype, (m, n, k), kernel, times))
    return Matmul(method="torch", threads=THREADS, points=tuple(points))


def _kernels(m: int, n: int, k: int) -> list[tuple[str, str, Callable[[], Any]]]:
    import torch

    from headway.training.engines.torch.linear import split_product

    a, weight = torch.randn(m, k), torch.randn(n, k)
    a_bf16, weight_bf16 = a.bfloat16(), weight.bfloat16()
    a_int8 = torch.randint(-127, 128, (m, k), dtype=torch.int8)
    weight_int8 = torch.randint(-127, 128, (n, k), dtype=torch.int8)
    # The operator's namespace is looked up when it runs, where its absence is handled.
    return [
        ("fp32", "torch.mm", lambda: torch.mm(a, weight.t())),
        ("fp32", "onednn_linear", lambda: torch.ops.mkldnn._linear_pointwise(a, weight, None, "none", [], "")),
        ("fp32", "split", lambda: split_product(a, weight.t())),
        ("bf16", "torch.mm", lambda: torch.mm(a_bf16, weight_bf16.t())),
        ("int8", "torch._int_mm", lambda: torch._int_mm(a_int8, weight_int8.t())),
    ]


def measure_attention(
    batch_size: int = 8, num_heads: int = 6, sequence_length: int = 256, head_dim: int = 64, budget_seconds: float = 0.4
) -> list[AttentionPoint]:
    """Measure causal attention, forward and backward, in fp32 and bf16.

    Args:
        batch_size: sequences.
        num_heads: heads of queries, keys and values alike.
        sequence_length: tokens per sequence.
        head_dim: width of a head.
        budget_seconds: time for each dtype.
    """
    import torch

    torch.set_num_threads(THREADS)
    shape = (batch_size, num_heads, sequence_length, head_dim)
    counted_flops = 3 * 4 * batch_size * num_heads * sequence_length**2 * head_dim / 2
    points = []
    for name, dtype in (("fp32", torch.float32), ("bf16", torch.bfloat16)):
        query, key, value = (torch.randn(shape, dtype=dtype, requires_grad=True) for _ in range(3))
        upstream = torch.randn(shape, dtype=dtype)

        def work(query: Any = query, key: Any = key, value: Any = value, upstream: Any = upstream) -> None:
            out = torch.nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
            torch.autograd.grad(out, (query, key, value), upstream)

        seconds = best_seconds(work, budget_seconds=budget_seconds)
        points.append(
            AttentionPoint(
                dtype=name,
                batch_size=batch_size,
                num_heads=num_heads,
                sequence_length=sequence_length,
                head_dim=head_dim,
                threads=THREADS,
                forward_backward_seconds=seconds,
                counted_flops=counted_flops,
                flops_per_second=counted_flops / seconds,
            )
        )
    return points


def measure_operations() -> Any:
    """Measure the engine's own operations; see ``operation_benchmarks``."""
    from headway.training.engines.torch import operation_benchmarks

    return operation_benchmarks.measure_operations()


def measure_training_resident_bytes() -> int:
    """Return the peak resident set after two steps of a model too small to count; see ``operation_benchmarks``."""
    from headway.training.engines.torch import operation_benchmarks

    return operation_benchmarks.measure_training_resident_bytes()


def measure_all_reduce() -> AllReduce:
    """Measure all-reduce between two processes over the loopback interface.

    Raises:
        RuntimeError: a process failed; the text is the last line that it left.
    """
    import msgspec

    return msgspec.convert(run_ranks("headway.training.engines.torch.microbenchmarks", _NUM_RANKS)[0], AllReduce)


def run_rank(rank: int, store: str) -> None:
    """Run one process of the all-reduce; the first prints the result.

    Args:
        rank: 0 or 1.
        store: the file through which the processes find each other.
    """
    import torch
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=_NUM_RANKS)
    large, small = torch.ones(_ALL_REDUCE_BYTES // 4), torch.ones(1)

    def seconds(tensor: Any, count: int) -> float:
        # A fixed count: both processes must take part equally often, so that time cannot decide.
        times = []
        for _ in range(count):
            tensor.fill_(1.0)
            start = time.perf_counter()
            dist.all_reduce(tensor)
            times.append(time.perf_counter() - start)
        return min(times)

    large_seconds, small_seconds = seconds(large, 12), seconds(small, 200)
    if rank == 0:
        emit(
            AllReduce(
                backend="gloo",
                num_ranks=_NUM_RANKS,
                buffer_bytes=_ALL_REDUCE_BYTES,
                bus_bytes_per_second=2 * (_NUM_RANKS - 1) / _NUM_RANKS * _ALL_REDUCE_BYTES / large_seconds,
                latency_seconds=small_seconds,
            )
        )
    dist.destroy_process_group()


def main(arguments: list[str]) -> None:
    """Run the named stages, or one process of the all-reduce (``--rank RANK STORE``)."""
    if arguments[:1] == ["--rank"]:
        run_rank(int(arguments[1]), arguments[2])
        return
    emit({"begin": "import"})
    start = time.perf_counter()
    try:
        import torch  # noqa: F401
    except Exception as error:
        # Not only ImportError: a broken build raises OSError or whatever its own code raises.
        emit({"stage": "import", "error": describe(error)})
        return
    import_seconds = time.perf_counter() - start
    stages: dict[str, Callable[[], Any]] = {
        "framework": lambda: measure_framework(import_seconds),
        "matmul": measure_matmul,
        "attention": measure_attention,
        "operations": measure_operations,
        "all_reduce": measure_all_reduce,
    }
    run_stages(stages, arguments)


if __name__ == "__main__":
    main(sys.argv[1:])
