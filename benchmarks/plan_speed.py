"""How fast the planner is: layouts a second, a full search for a large cluster, one plan once everything is imported.

    python -m benchmarks.plan_speed [--json]

Aims: 1,000,000 layouts a second on 2 cores; the search for Llama 3.1 405B on 16,384 devices under 2 s; one plan under
20 ms.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

from benchmarks.machine_line import machine_line
from headway.planning import plan
from headway.planning.accelerated import hardware_of, job_of, wishes_of
from headway.planning.analytic.legal import legal_layouts
from headway.planning.analytic.search import evaluate, search
from headway.recipe import Recipe, resolve_recipe

ROUNDS = 5
AIMS = {"layouts_per_second": 1e6, "search_seconds": 2.0, "plan_seconds": 0.02}


def cluster() -> Recipe:
    """Return Llama 3.1 405B on 16,384 devices, everything else left to the planner."""
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-405b"},
            "training": {
                "sequence_length": 8192,
                "global_batch_size": 2048,
                "tokens": "15.6T",
                "compile": True,
                "weights": "master",
                # A program with every kind of parallelism, so that every layout is looked at.
                "software": "megatron",
            },
            "hardware": {"accelerator": "h100", "devices": 16384, "network": "infiniband-ndr400"},
        }
    )


def one_server() -> Recipe:
    """Return Llama 3.1 8B on one server of eight."""
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"sequence_length": 8192, "global_batch_size": 64},
            "hardware": {"accelerator": "h100", "devices": 8},
        }
    )


def seconds(work: Callable[[], Any]) -> float:
    """Return the median time of some rounds, after one to warm up."""
    work()
    times = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def measure() -> dict[str, float]:
    """Return the three figures, and the number of layouts of the search."""
    recipe = cluster()
    job, machines, wishes = job_of(recipe), hardware_of(recipe, "h100"), wishes_of(recipe)
    splits = legal_layouts(job, machines, wishes).splits
    assert splits is not None, "a cluster of 16,384 devices has legal layouts"
    small = one_server()
    return {
        "layouts": float(len(splits)),
        "layouts_per_second": len(splits) / seconds(lambda: evaluate(job, machines, splits)),
        "search_seconds": seconds(lambda: search(job, machines, wishes)),
        "plan_seconds": seconds(lambda: plan(small)),
    }


def main() -> int:
    """Print the figures beside the aims."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.plan_speed", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    options = parser.parse_args()
    found = measure()
    if options.json:
        print(json.dumps({"figures": found, "aims": AIMS}, indent=2))
        return 0
    print(machine_line())
    print(f"layouts a second: {found['layouts_per_second']:,.0f} (aim 1,000,000), of {found['layouts']:,.0f}")
    print(f"search for 405B on 16,384 devices: {found['search_seconds']:.2f} s (aim 2 s)")
    print(f"one plan: {1000 * found['plan_seconds']:.1f} ms (aim 20 ms)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
