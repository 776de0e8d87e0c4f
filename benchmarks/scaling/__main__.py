"""How training scales over 1, 2 and 4 processes of this machine: ``python -m benchmarks.scaling``.

Each process has one thread, so that up to the number of cores each has a core of its own; beyond it they share cores,
and the table says so. The batch of each process stays the same (weak scaling). How long collectives last is measured in
the run, by PyTorch's profiler in the first process: from the start of each gloo operation to its end, overlaps counted
once. Waiting for the other processes is part of it. Beside it stands what the plan says of exposed communication.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line

SHARDS = ("none", "optimizer", "parameters")
ROWS_OF_EACH = 4


def sections(processes: int, shard: str) -> dict[str, Any]:
    """Return the recipe of a case."""
    return {
        "model": {"preset": "headway-tiny-11m"},
        "training": {"steps": 100, "global_batch_size": ROWS_OF_EACH * processes, "precision": "fp32"},
        "hardware": {"accelerator": "cpu", "devices": processes, "devices_per_node": processes, "threads": 1},
        "layout": {"shard": shard, "micro_batch_size": ROWS_OF_EACH, "recompute": "none"},
    }


def run(processes: int, shard: str) -> dict[str, Any]:
    """Train one case; return what the first process measured, and what the plan says."""
    from headway.machine import probe
    from headway.machine.tuned_environment import tuned_environment
    from headway.planning import plan
    from headway.recipe import resolve_recipe
    from headway.training.place import RENDEZVOUS, Place

    raw = sections(processes, shard)
    planned = plan(resolve_recipe(raw), probe(Path.cwd()))
    command = [sys.executable, "-m", "benchmarks.scaling.rank", json.dumps(raw), json.dumps(asdict(planned.layout))]
    with tempfile.TemporaryDirectory() as folder:
        workers = []
        for rank in range(processes):
            place = Place(rank=rank, size=processes, local_rank=rank, local_size=processes)
            variables = {**place.to_environment(), RENDEZVOUS: f"file://{folder}/rendezvous"}
            environment = tuned_environment({**os.environ, **variables})
            output = subprocess.PIPE if rank == 0 else subprocess.DEVNULL
            workers.append(subprocess.Popen(command, env=environment, stdout=output, text=True))
        told, _ = workers[0].communicate()
        codes = [worker.wait() for worker in workers]
    if any(codes):
        raise SystemExit(f"{processes} processes, shard {shard}: failed with {codes}")
    found: dict[str, Any] = json.loads(told.splitlines()[-1])
    found["planned_share"] = planned.network.exposed_seconds / planned.time.step_seconds
    return found


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--processes", type=int, nargs="+", default=[1, 2, 4])
    options = parser.parse_args()
    print(machine_line())
    cores = len(os.sched_getaffinity(0))
    alone: float | None = None
    for processes in options.processes:
        for shard in SHARDS if processes > 1 else SHARDS[:1]:
            found = run(processes, shard)
            rate = found["tokens_per_step"] / statistics.median(found["times"])
            alone = alone or rate
            # Beyond the cores there is nothing to gain: what is left is the cost of sharing.
            ideal = alone * min(processes, cores)
            note = f", {processes} processes on {cores} cores" if processes > cores else ""
            print(
                f"{processes} x 1 thread, shard {shard}: {rate:,.0f} tokens/s, {rate / ideal:.0%} of ideal{note}; "
                f"in collectives {found['collective_share']:.1%} ({found['collectives_per_step']:.0f} a step), "
                f"planned {found['planned_share']:.1%}",
                flush=True,
            )


if __name__ == "__main__":
    main()
