"""A run that is killed at random instants ends with the weights that it would have had without.

Real worker processes, real SIGKILL, the instants drawn at random and printed when the test fails.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.runs import RunFolder, read_lines
from headway.training.session import Session, open_run

KILLS = 20
STEPS = 150
RECIPE = {
    # Wide enough that writing a checkpoint takes a good share of the time, so that kills fall into it.
    "model": {"hidden_size": 256, "intermediate_size": 512, "num_attention_heads": 4, "num_key_value_heads": 2},
    "resilience": {"checkpoint_every_steps": 2, "keep_last": 2},
}
DEADLINE_SECONDS = 120.0


def newest(run: RunFolder) -> Snapshot:
    snapshot, damaged = CheckpointStore(run.checkpoints_folder).load_newest()
    assert snapshot is not None
    assert not damaged
    return snapshot


def train_to_the_end(run: RunFolder) -> None:
    assert Session(run).wait() == 0


def kill_at_a_random_instant(run: RunFolder, randomness: random.Random, in_write: bool) -> str:
    """Start a worker and kill it: while it writes a checkpoint, or some time after its first step."""
    before = len(read_lines(run.metrics_path()))
    session = Session(run)
    deadline = time.monotonic() + DEADLINE_SECONDS

    def wait_for(happened: Callable[[], bool]) -> None:
        while not happened():
            assert session.process.poll() is None, run.log_path().read_text()[-2000:]
            assert time.monotonic() < deadline
            time.sleep(0.0005)

    if in_write:
        wait_for(lambda: len(read_lines(run.metrics_path())) > before)
        wait_for(lambda: any(run.checkpoints_folder.glob(".writing-step-*")))
        delay = randomness.uniform(0, 0.02)
    else:
        wait_for(lambda: len(read_lines(run.metrics_path())) > before)
        delay = randomness.uniform(0, 0.4)
    time.sleep(delay)
    session.kill()
    return f"{'in a write' if in_write else 'after a step'} + {delay:.4f} s"


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_twenty_kills_leave_no_trace(
    precision: str, make_small_recipe: Callable[..., Recipe], tmp_path: Path, record_property: Callable[..., None]
) -> None:
    recipe = make_small_recipe(**RECIPE, training={"precision": precision, "steps": STEPS})
    straight = open_run(recipe, {}, root=tmp_path, name="straight")
    train_to_the_end(straight)
    killed = open_run(recipe, {}, root=tmp_path, name="killed")
    seed = random.SystemRandom().randrange(2**32)
    randomness = random.Random(seed)
    instants = []
    for number in range(KILLS):
        instants.append(kill_at_a_random_instant(killed, randomness, in_write=number % 2 == 1))
        if killed.metrics()[-1]["step"] >= STEPS - 8:
            break
    record_property("instants", instants)
    train_to_the_end(killed)
    assert len(instants) == KILLS, f"the run ended before all kills: seed {seed}, {instants}"

    expected, found = newest(straight), newest(killed)
    assert found.step == expected.step == STEPS
    for kind in ("parameters", "optimizer"):
        ours: Any = getattr(found, kind)
        for name, array in getattr(expected, kind).items():
            assert np.array_equal(array, ours[name]), f"{name} differs: seed {seed}, {instants}"
    losses = [[record["loss"] for record in run.metrics()] for run in (straight, killed)]
    assert losses[0] == losses[1], f"seed {seed}, {instants}"
    # Steps that were done twice gave the same loss both times.
    for record in read_lines(killed.metrics_path()):
        assert record["loss"] == losses[0][record["step"] - 1]
