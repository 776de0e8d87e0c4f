"""One process of a training that is profiled: it prints what its steps took as JSON.

    python -m benchmarks.scaling.rank RECIPE_JSON LAYOUT_JSON

The launcher sets RANK and the like, as for ``headway.training.worker``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterable
from typing import Any

WARM_UP, STEPS = 2, 6
_COLLECTIVES = "gloo:"
"""What PyTorch's profiler calls the operations of gloo, from their start to their end.

Source: torch/csrc/distributed/c10d/ProcessGroupGloo.cpp, the titles that are given to ``AsyncWork``."""


def covered(spans: Iterable[tuple[float, float]]) -> float:
    """Return how long at least one of some spans lasts."""
    total, reached = 0.0, float("-inf")
    for start, end in sorted(spans):
        total += max(0.0, end - max(start, reached))
        reached = max(reached, end)
    return total


def measure(recipe: Any, layout: Any) -> dict[str, Any]:
    """Train some steps; return seconds of a step, and of its collectives."""
    import numpy as np
    from torch.profiler import ProfilerActivity, profile

    from headway.training.data import Batch
    from headway.training.engines import build_engine

    engine = build_engine(recipe, layout=layout)
    share, training = engine.share, recipe.training
    rows = np.random.default_rng(share.index).integers(
        0, recipe.model.vocab_size, (training.global_batch_size // share.count, training.sequence_length + 1)
    )
    size = layout.micro_batch_size
    batches = [Batch(rows[start : start + size]) for start in range(0, len(rows), size)]
    for _ in range(WARM_UP):
        engine.step(batches, 1e-4)
    times = []
    for _ in range(STEPS):
        started = time.perf_counter()
        engine.step(batches, 1e-4)
        times.append(time.perf_counter() - started)
    started = time.perf_counter()
    with profile(activities=[ProfilerActivity.CPU]) as found:
        for _ in range(STEPS):
            engine.step(batches, 1e-4)
        profiled_seconds = time.perf_counter() - started
    events = [event for event in found.events() if event.name.startswith(_COLLECTIVES)]
    collective_seconds = covered((event.time_range.start, event.time_range.end) for event in events) / 1e6
    engine.close()
    return {
        "times": times,
        "collective_share": collective_seconds / profiled_seconds,
        "collectives_per_step": len(events) / STEPS,
        "tokens_per_step": recipe.tokens_per_step,
    }


def main(recipe: str, layout: str) -> None:
    """Print what the steps of this process took."""
    from headway.planning.choice import Layout
    from headway.recipe import resolve_recipe

    print(json.dumps(measure(resolve_recipe(json.loads(recipe)), Layout(**json.loads(layout)))))


if __name__ == "__main__":
    main(*sys.argv[1:])
