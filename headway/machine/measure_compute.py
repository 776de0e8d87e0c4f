"""Arithmetic, the framework's own cost, attention and all-reduce: measured in a child that may import a framework."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from headway.machine import children
from headway.machine.measurements import AllReduce, AttentionPoint, Framework, Matmul, Note, OperationPoint

_TORCH_MODULE = "headway.training.engines.torch.microbenchmarks"
_NUMPY_MODULE = "headway.machine.numpy_benchmarks"

STAGES = ("framework", "matmul", "attention", "operations", "all_reduce")
"""In the order in which they run."""


@dataclass(frozen=True, kw_only=True)
class ComputeResults:
    """What the child measured; what it could not is None or empty, and ``notes`` say why."""

    framework: Framework | None = None
    matmul: Matmul | None = None
    attention: tuple[AttentionPoint, ...] = ()
    operations: tuple[OperationPoint, ...] = ()
    all_reduce: AllReduce | None = None
    notes: tuple[Note, ...] = ()


def measure_compute(
    *,
    torch_installed: bool,
    threads: int,
    timeout_seconds: float = 300.0,
    on_begin: Callable[[str], None] | None = None,
) -> ComputeResults:
    """Measure what the processors compute.

    Args:
        torch_installed: whether to measure through PyTorch; without it, fp32 products through NumPy are all there is.
        threads: the number of threads to compute with.
        timeout_seconds: the longest that a child may take, import included.
        on_begin: called with the name of each stage (see ``STAGES``) when it begins.
    """
    notes: list[Note] = []
    results: dict[str, object] = {}
    if torch_installed:
        outcome = children.run_module(
            _TORCH_MODULE, list(STAGES), threads=threads, timeout_seconds=timeout_seconds, on_begin=on_begin
        )
        results, notes = outcome.results, outcome.notes
    else:
        notes.append(Note(message_id="machine-note-no-torch"))
    if "matmul" not in results:
        outcome = children.run_module(
            _NUMPY_MODULE, ["0", "0", "matmul"], threads=threads, timeout_seconds=timeout_seconds, on_begin=on_begin
        )
        results = results | outcome.results
        notes = notes + outcome.notes
    return msgspec.convert(results | {"notes": [msgspec.to_builtins(note) for note in notes]}, ComputeResults)
