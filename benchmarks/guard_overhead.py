"""What the guards cost: ``python -m benchmarks.guard_overhead``.

The guards of a run of the demo's model judge steps, as the loop lets them, with all settings at their defaults; beside
that, what a step itself takes. A look at memory, disk and devices is taken every ten seconds, and counts so.
A step that is replayed is not part of it: that is off by default, and costs a whole step. Aim: below 0.5 % of a step.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from benchmarks.machine_line import machine_line
from headway.cli.demo import demo_recipe
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import EventLog
from headway.training import machine_guards
from headway.training.data import Batch
from headway.training.engines import Engine, build_engine
from headway.training.engines.base import StepResult
from headway.training.guarding import Guarding
from headway.training.machine_guards import SAMPLE_SECONDS, Seen
from headway.training.prefetch import Stalls
from headway.training.session import open_run
from headway.training.skipping import SkippedData

STEPS = 12
JUDGED = 2000
SAMPLED = 300


def main() -> None:
    """Train some steps, judge many, and print what both took."""
    recipe = demo_recipe(JUDGED)
    engine = build_engine(recipe)
    step_seconds = statistics.median(_step_times(engine, recipe))
    with tempfile.TemporaryDirectory() as folder:
        run = open_run(recipe, {"storage": {"checkpoint_bytes": 1}}, root=Path(folder))
        with EventLog(run.events_path) as events:
            guarding = Guarding(
                recipe=recipe,
                run=run,
                engine=engine,
                events=events,
                store=CheckpointStore(run.checkpoints_folder),
                stalls=Stalls(recipe.site.max_stall_share),
            )
            judged = statistics.mean(_judge_times(guarding, JUDGED))
            machine_guards.SAMPLE_SECONDS = 0.0
            sampled = statistics.mean(_judge_times(guarding, SAMPLED)) - judged
        if found := [event for event in run.events() if event["event"] == "guard"]:
            print(f"told: {found}")
    engine.close()
    whole = judged + sampled * step_seconds / SAMPLE_SECONDS
    print(machine_line())
    print(
        f"guards {judged * 1e6:.0f} us a step, and {sampled * 1e3:.2f} ms each {SAMPLE_SECONDS:.0f} s; "
        f"a step takes {step_seconds * 1e3:.0f} ms: {whole / step_seconds:.4%} of it"
    )


def _step_times(engine: Engine, recipe: Recipe) -> list[float]:
    rows, length = recipe.training.global_batch_size, recipe.training.sequence_length
    generator = np.random.default_rng(1)
    batches = [Batch(generator.integers(0, recipe.model.vocab_size, (rows, length + 1))) for _ in range(STEPS)]
    return [_took(lambda batch=batch: engine.step([batch], 1e-4)) for batch in batches][2:]


def _judge_times(guarding: Guarding, count: int) -> list[float]:
    """Return the time of each judgement of a healthy loss."""
    generator = np.random.default_rng(2)
    losses = 3 + generator.normal(0, 0.05, count)
    times = []
    for step, loss in enumerate(losses, start=1):
        seen = Seen(step=step, result=StepResult(loss=loss, gradient_norm=1.0), step_seconds=1.0, data_seconds=0.0)
        times.append(_took(lambda seen=seen: guarding.after_step(seen, SkippedData())))
    return times


def _took(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
