"""What checkpoints cost: ``python -m benchmarks.checkpoint_overhead``.

A run of the demo's model saves every few seconds; the median time of a save, over a minute, is the share of the wall
time that one checkpoint a minute takes. Aim: below 2 %.
"""

from __future__ import annotations

import statistics
import tempfile
from pathlib import Path

from benchmarks.machine_line import machine_line
from headway.cli.demo import demo_recipe
from headway.training.session import Session, open_run

STEPS = 24
INTERVAL_SECONDS = 60.0


def main() -> None:
    """Train, and print what the saves took."""
    recipe = demo_recipe(STEPS)
    every = recipe.resilience.model_copy(update={"checkpoint_every_steps": 2})
    recipe = recipe.model_copy(update={"resilience": every})
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        run = open_run(recipe, {}, root=Path(folder))
        Session(run).wait()
        saves = [event for event in run.events() if event["event"] == "checkpoint-saved"]
    seconds = [event["seconds"] for event in saves]
    median = statistics.median(seconds)
    print(machine_line())
    print(
        f"{len(saves)} checkpoints of {saves[-1]['bytes'] / 1e6:.1f} MB, flushed and hashed: "
        f"median {median:.3f} s, worst {max(seconds):.3f} s; "
        f"one a minute is {median / (INTERVAL_SECONDS + median):.2%} of the wall time"
    )


if __name__ == "__main__":
    main()
