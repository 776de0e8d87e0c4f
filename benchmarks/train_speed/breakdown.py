"""Where the time of Headway's step goes, beside what its matrix products would take at the probed peak.

    python -m benchmarks.train_speed.breakdown PRECISION BATCHES

Source of the times: PyTorch's profiler, self time on the processor, over some steps after a warm-up.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.train_speed.cases import LEARNING_RATE, recipe_of

KINDS = {
    "attention": ("attention", "softmax", "bmm"),
    "matrix products": ("mm", "linear", "matmul"),
    "optimizer": ("adam", "foreach", "norm_", "vector_norm"),
    "native kernels": ("headway",),
    "copies": ("copy_", "cat", "contiguous", "_to_copy", "fill_", "zero_"),
}
"""Kind -> parts of the names of operations; the first that fits counts."""

_PROFILED_STEPS = 4


def kind_of(name: str) -> str:
    """Return what an operation counts as."""
    lowered = name.lower()
    return next((kind for kind, parts in KINDS.items() if any(part in lowered for part in parts)), "everything else")


def breakdown(precision: str, batches: Any) -> dict[str, float]:
    """Return the seconds of one step by kind, and of all of it as ``step``."""
    import time

    import torch
    from torch.profiler import ProfilerActivity, profile

    from headway.training.data import Batch
    from headway.training.engines import build_engine

    engine = build_engine(recipe_of(precision))
    for step in range(3):
        engine.step([Batch(batches[step])], LEARNING_RATE)
    started = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU]) as found:
        for step in range(_PROFILED_STEPS):
            engine.step([Batch(batches[3 + step])], LEARNING_RATE)
        elapsed = time.perf_counter() - started
    seconds: dict[str, float] = {}
    for event in found.key_averages():
        kind = kind_of(event.key)
        seconds[kind] = seconds.get(kind, 0.0) + event.self_cpu_time_total / 1e6 / _PROFILED_STEPS
    assert torch.get_num_threads() >= 1
    # What Python and the start of each operation take is in no operation.
    step_seconds = elapsed / _PROFILED_STEPS
    seconds["between operations"] = max(0.0, step_seconds - sum(seconds.values()))
    return {**seconds, "step": step_seconds}


def main(precision: str, batches: str) -> None:
    """Print the breakdown as JSON."""
    print(json.dumps(breakdown(precision, np.load(Path(batches)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
