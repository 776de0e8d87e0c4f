"""What each operation of the PyTorch engine takes on this machine's processors, forward and backward.

The very modules that train are timed, at a few shapes each: the planner interpolates between them. Names and shapes
are those of ``headway.planning.operations``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from headway import units
from headway.machine.measurements import OperationPoint
from headway.training.engines.torch import nf4
from headway.training.engines.torch.kernels import (
    LinearCrossEntropy,
    Rotary,
    SwiGLU,
    choose_elementwise_kernel,
    use_elementwise_kernel,
)
from headway.training.engines.torch.linear import choose_linear_kernel, use_linear_kernel
from headway.training.engines.torch.model import IGNORED_TARGET, Linear, Norm, rotary_frequencies
from headway.training.engines.torch.optimizers.fused import FusedAdamW

DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16}

LINEAR_SHAPES = (
    (16, 16, 16), (512, 128, 128), (512, 128, 512), (512, 512, 128), (2048, 128, 384), (2048, 384, 128),
    (2048, 384, 384), (2048, 384, 1024), (2048, 1024, 384), (4096, 512, 512), (1024, 768, 768), (1024, 768, 2048),
    (1024, 2048, 768), (512, 768, 768), (8192, 256, 512),
)  # fmt: skip
"""(rows, inputs, outputs): next to nothing, which shows the constant cost, then a small transformer's projections, wide
and narrow, with few and with many tokens."""

ATTENTION_SHAPES = (
    (1, 1, 1, 16, 16), (16, 2, 2, 128, 64), (8, 6, 2, 256, 64), (2, 8, 4, 512, 64), (1, 4, 4, 1024, 64),
    (16, 6, 6, 128, 32), (2, 6, 6, 256, 128),
)  # fmt: skip
"""(sequences, heads, key-value heads, positions, head channels)."""

HEAD_SHAPES = ((16, 16, 64), (1024, 128, 512), (512, 384, 4096), (1024, 384, 4096), (2048, 384, 260), (512, 768, 8192))
"""(rows, inputs, vocabulary)."""

EMBEDDING_SHAPES = ((16, 16, 64), (512, 128, 512), (2048, 384, 4096), (2048, 768, 8192), (8192, 384, 4096))
"""(rows, channels, vocabulary)."""

ROW_SHAPES: dict[str, tuple[tuple[int, int], ...]] = {
    "norm": ((16, 16), (512, 128), (2048, 128), (2048, 384), (8192, 384), (2048, 768)),
    "add": ((16, 16), (512, 128), (2048, 384), (8192, 384), (2048, 768)),
    "rotary": ((16, 16), (1024, 64), (4096, 64), (12288, 64), (49152, 64)),
    "gated": ((16, 16), (512, 384), (2048, 1024), (4096, 1024), (1024, 2048)),
}
"""(rows, channels)."""

EXPAND_SHAPES = ((16, 16), (128, 384), (384, 384), (1024, 384), (384, 1024), (2048, 768))
"""(rows, columns) of a matrix in 4 bits."""

UPDATE_PARAMETERS = (200_000, 2_000_000, 8_000_000, 24_000_000)
"""Weights of the model whose gradients are added up and which is updated."""

EVICTED_BYTES = 128 * units.MIB
"""Read to make an operation's data cold. ``headway.planning.measured`` reckons with the same size."""

_LEAST_REPETITIONS = 2

_TINY_MODEL = {
    "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2, "num_attention_heads": 2,
    "vocab_size": 260, "max_position_embeddings": 64, "tie_word_embeddings": True,
}  # fmt: skip
_TINY_TRAINING = {"steps": 2, "sequence_length": 64, "global_batch_size": 2}

Case = Callable[[], tuple[Tensor, list[Tensor]]]
"""Runs the forward pass; returns the result and what gradients are wanted of."""


def measure_operations(budget_seconds: float = 0.01) -> tuple[OperationPoint, ...]:
    """Measure every operation at every shape, in two rounds; the faster round counts for each.

    Other work on the machine comes and goes within seconds: what it spoils in one round it rarely spoils in both.

    Args:
        budget_seconds: time for each point and round; there are three repetitions at least.
    """
    cpu = torch.device("cpu")
    use_linear_kernel(choose_linear_kernel(cpu))
    use_elementwise_kernel(choose_elementwise_kernel(cpu))
    return tuple(map(_faster, _round(budget_seconds), _round(budget_seconds)))


def _round(budget_seconds: float) -> list[OperationPoint]:
    caches = _Caches()
    points = []
    for name, dtype in DTYPES.items():
        for kind, shape, case in _cases(dtype):
            warm = _time(case, budget_seconds, lambda: None)
            cold = _time(case, budget_seconds, caches.evict)
            if kind == "add":
                # Autograd adds the gradients of a value that is used twice: the same work as the forward add.
                warm, cold = (warm[0], warm[0]), (cold[0], cold[0])
            points.append(_point(kind, name, shape, warm, cold))
        for shape in EXPAND_SHAPES:
            seconds = [_time_expand(shape, dtype, budget_seconds, evict) for evict in (lambda: None, caches.evict)]
            # The same in either pass.
            points.append(_point("expand", name, shape, (seconds[0], seconds[0]), (seconds[1], seconds[1])))
    ends = (("update", _time_update), ("accumulate", _time_accumulate))
    for kind, measure in ends:
        for parameters in UPDATE_PARAMETERS:
            # A step's end runs through all weights, so that small ones are warm and large ones cold by themselves.
            once = (measure(parameters, budget_seconds), 0.0)
            points.append(_point(kind, "fp32", (parameters, 1), once, once))
    return points


def _faster(first: OperationPoint, second: OperationPoint) -> OperationPoint:
    times = ("forward_seconds", "backward_seconds", "forward_cold_seconds", "backward_cold_seconds")
    return replace(first, **{name: min(getattr(first, name), getattr(second, name)) for name in times})


def measure_training_resident_bytes() -> int:
    """Return the peak resident set of this process once it has trained a model too small to count.

    Meant for a process that did nothing else before: what is left is the interpreter, the framework, the trainer with
    its libraries, and what they keep for themselves.
    """
    # The worker imports all that a training process imports.
    import headway.training.worker  # noqa: F401
    from headway.recipe import resolve_recipe
    from headway.telemetry.process import peak_resident_bytes
    from headway.training.data import Batch
    from headway.training.engines.torch.engine import TorchEngine

    for precision in DTYPES:
        recipe = resolve_recipe(
            {
                "model": _TINY_MODEL,
                "training": {**_TINY_TRAINING, "precision": precision},
                "data": {"tokenizer": "byte"},
                "hardware": {"accelerator": "cpu"},
            }
        )
        engine = TorchEngine(recipe)
        rows, width = recipe.training.global_batch_size, recipe.training.sequence_length + 1
        for _ in range(2):
            engine.step([Batch(tokens=np.ones((rows, width), dtype=np.int64))], 1e-3)
        engine.close()
    return peak_resident_bytes()


def _point(
    kind: str, dtype: str, shape: tuple[int, ...], warm: tuple[float, float], cold: tuple[float, float]
) -> OperationPoint:
    return OperationPoint(
        kind=kind,
        dtype=dtype,
        shape=shape,
        threads=torch.get_num_threads(),
        forward_seconds=warm[0],
        backward_seconds=warm[1],
        forward_cold_seconds=cold[0],
        backward_cold_seconds=cold[1],
    )


def _cases(dtype: torch.dtype) -> Iterator[tuple[str, tuple[int, ...], Case]]:
    yield from (("linear", shape, _linear(shape, dtype)) for shape in LINEAR_SHAPES)
    yield from (("attention", shape, _attention(shape, dtype)) for shape in ATTENTION_SHAPES)
    yield from (("head", shape, _head(shape, dtype)) for shape in HEAD_SHAPES)
    yield from (("embedding", shape, _embedding(shape, dtype)) for shape in EMBEDDING_SHAPES)
    makers = {"norm": _norm, "add": _add, "rotary": _rotary, "gated": _gated}
    yield from ((kind, shape, make(shape, dtype)) for kind, make in makers.items() for shape in ROW_SHAPES[kind])


class _Caches:
    """Pushes everything out of the processors' caches by reading an array that is larger than their share of them."""

    def __init__(self) -> None:
        self._array = torch.ones(EVICTED_BYTES // 4)

    def evict(self) -> None:
        self._array.sum()


def _time(case: Case, budget_seconds: float, evict: Callable[[], None]) -> tuple[float, float]:
    """Return the usual times of the forward and of the backward pass, each after ``evict``."""
    forward: list[float] = []
    backward: list[float] = []
    upstream: Tensor | None = None
    begin = time.perf_counter()
    while _goes_on(len(forward), time.perf_counter() - begin, budget_seconds):
        evict()
        start = time.perf_counter()
        result, wanted = case()
        middle = time.perf_counter()
        upstream = torch.ones_like(result) if upstream is None else upstream
        evict()
        between = time.perf_counter()
        torch.autograd.grad(result, wanted, upstream)
        end = time.perf_counter()
        forward.append(middle - start)
        backward.append(end - between)
    return _usual(forward[1:]), _usual(backward[1:])


def _goes_on(repetitions: int, elapsed_seconds: float, budget_seconds: float) -> bool:
    """Say whether to repeat once more; the first repetition warms up and does not count."""
    return repetitions <= _LEAST_REPETITIONS or elapsed_seconds < budget_seconds


def _time_expand(shape: tuple[int, int], dtype: torch.dtype, budget_seconds: float, evict: Callable[[], None]) -> float:
    """Return the usual time to bring a matrix out of 4 bits."""
    packed = nf4.quantised(torch.randn(shape))
    found: list[float] = []
    begin = time.perf_counter()
    while _goes_on(len(found), time.perf_counter() - begin, budget_seconds):
        evict()
        start = time.perf_counter()
        nf4.expanded(packed.codes_OW, packed.constants_OK, packed.scales_O4, packed.columns, dtype)
        found.append(time.perf_counter() - start)
    return _usual(found[1:])


def _usual(times: list[float]) -> float:
    """Return the lower quartile: the best time is luck that a whole step does not have, the median other work."""
    return sorted(times)[(len(times) - 1) // 4]


def _leaf(*shape: int, dtype: torch.dtype) -> Tensor:
    return torch.randn(shape).to(dtype).requires_grad_()


def _linear(shape: tuple[int, int, int], dtype: torch.dtype) -> Case:
    rows, inputs, outputs = shape
    layer, x = Linear(inputs, outputs, bias=False), _leaf(rows, inputs, dtype=dtype)
    return lambda: (layer(x), [x, layer.weight])


def _attention(shape: tuple[int, int, int, int, int], dtype: torch.dtype) -> Case:
    sequences, heads, groups, positions, channels = shape
    # Strided as the engine's: positions before heads in memory.
    query = _leaf(sequences, positions, heads, channels, dtype=dtype)
    key, value = (_leaf(sequences, positions, groups, channels, dtype=dtype) for _ in range(2))

    def forward() -> tuple[Tensor, list[Tensor]]:
        out = F.scaled_dot_product_attention(
            query.transpose(1, 2),
            key.transpose(1, 2),
            value.transpose(1, 2),
            is_causal=True,
            enable_gqa=heads != groups,
        )
        return out, [query, key, value]

    return forward


def _head(shape: tuple[int, int, int], dtype: torch.dtype) -> Case:
    rows, inputs, vocabulary = shape
    x, weight = _leaf(rows, inputs, dtype=dtype), torch.randn(vocabulary, inputs).mul_(0.02).requires_grad_()
    targets = torch.randint(0, vocabulary, (rows,))
    return lambda: (LinearCrossEntropy.apply(x, weight.to(dtype), targets, IGNORED_TARGET), [x, weight])


def _embedding(shape: tuple[int, int, int], dtype: torch.dtype) -> Case:
    rows, channels, vocabulary = shape
    layer, tokens = nn.Embedding(vocabulary, channels), torch.randint(0, vocabulary, (rows,))
    return lambda: (layer(tokens).to(dtype), [layer.weight])


def _norm(shape: tuple[int, int], dtype: torch.dtype) -> Case:
    layer, x = Norm(shape[1], 1e-5), _leaf(*shape, dtype=dtype)
    return lambda: (layer(x), [x, layer.weight])


def _add(shape: tuple[int, int], dtype: torch.dtype) -> Case:
    x, y = _leaf(*shape, dtype=dtype), _leaf(*shape, dtype=dtype)
    return lambda: (torch.add(x, y), [x, y])


def _rotary(shape: tuple[int, int], dtype: torch.dtype) -> Case:
    rows, channels = shape
    positions, heads = min(rows, 256), max(1, rows // min(rows, 256) // 8)
    sequences = rows // (positions * heads)
    x = _leaf(sequences, positions, heads, channels, dtype=dtype)
    angles = torch.outer(torch.arange(positions).float(), rotary_frequencies(channels, 10000.0))
    cos, sin = angles.cos(), angles.sin()
    return lambda: (Rotary.apply(x, cos, sin), [x])


def _gated(shape: tuple[int, int], dtype: torch.dtype) -> Case:
    gate, up = _leaf(*shape, dtype=dtype), _leaf(*shape, dtype=dtype)
    return lambda: (SwiGLU.apply(gate, up), [gate, up])


def _time_update(parameters: int, budget_seconds: float) -> float:
    weights = [nn.Parameter(torch.zeros(part)) for part in _parts(parameters)]
    groups = [{"params": weights, "weight_decay": 0.01}]
    optimizer = FusedAdamW(groups, lr=1e-3, betas=(0.9, 0.999), eps=1e-8)
    gradients = [torch.full_like(weight, 1e-3) for weight in weights]
    for weight, gradient in zip(weights, gradients, strict=True):
        weight.grad = gradient

    def work() -> None:
        norms = torch.stack([torch.linalg.vector_norm(gradient, dtype=torch.float64) for gradient in gradients])
        float(torch.linalg.vector_norm(norms))
        # A step that clips also scales; in the first part of a training most steps do.
        torch._foreach_mul_(gradients, 1.0)
        optimizer.step()

    return _repeat(work, budget_seconds)


def _time_accumulate(parameters: int, budget_seconds: float) -> float:
    sums = [torch.zeros(part) for part in _parts(parameters)]
    parts = [torch.ones(part) for part in _parts(parameters)]

    def work() -> None:
        for total, part in zip(sums, parts, strict=True):
            total.add_(part)

    return _repeat(work, budget_seconds)


def _parts(parameters: int, largest: int = 400_000) -> list[int]:
    """Split a number of weights into tensors of the size that small models have."""
    return [min(largest, parameters - start) for start in range(0, parameters, largest)]


def _repeat(work: Callable[[], Any], budget_seconds: float) -> float:
    times: list[float] = []
    begin = time.perf_counter()
    while _goes_on(len(times), time.perf_counter() - begin, budget_seconds):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return _usual(times[1:])
