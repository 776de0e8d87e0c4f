"""States of every optimizer are saved as they are, and a training on real text goes on exactly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore
from headway.training.engines import build_engine
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.real_text import losses_of, recipe_of, run

KINDS = {
    "adamw": {"exp_avg": "float32", "exp_avg_sq": "float32"},
    "adamw16bit": {"exp_avg": "uint16", "exp_avg_sq": "uint16"},
    "muon": {"momentum_buffer": "float32"},
    "adamw8bit": {"exp_avg": "uint8", "exp_avg_scale": "float32", "exp_avg_sq": "uint8", "exp_avg_sq_scale": "float32"},
}
"""What is saved of a matrix of a layer."""


@pytest.mark.parametrize("optimizer", KINDS)
def test_resume_is_exact(optimizer: str, text_folder: Path, tmp_path: Path) -> None:
    straight, first = (build_engine(recipe_of(optimizer=optimizer)) for _ in range(2))
    losses = run(straight, text_folder, range(6))
    run(first, text_folder, range(3))
    CheckpointStore(tmp_path).save(copy_of(first.snapshot(), step=3))
    loaded, _ = CheckpointStore(tmp_path).load_newest()
    assert loaded is not None
    second = build_engine(recipe_of(optimizer=optimizer, seed=99))
    second.load(loaded)
    assert run(second, text_folder, range(3, 6)) == losses[3:]
    assert_equal(straight.snapshot(), second.snapshot())
    name = "model.layers.1.mlp.down_proj.weight"
    kinds = {key.rpartition(".")[2]: array.dtype.name for key, array in loaded.optimizer.items() if name in key}
    assert kinds == KINDS[optimizer]


@pytest.mark.parametrize(("optimizer", "bound"), [("adamw16bit", 2e-3), ("adamw8bit", 1e-2)])
def test_losses_are_near_to_those_of_fp32_moments(optimizer: str, bound: float, text_folder: Path) -> None:
    exact, rounded = losses_of(text_folder, 60), losses_of(text_folder, 60, optimizer=optimizer)
    assert exact != rounded
    assert np.abs(np.array(exact) - rounded).max() < bound
    assert exact[-1] < 0.6 * exact[0]


def test_other_blocks_of_a_checkpoint_are_taken(text_folder: Path) -> None:
    """Devices that divide rows have shorter blocks; what they wrote is rounded once more for longer ones."""
    engine = build_engine(recipe_of(optimizer="adamw8bit"))
    run(engine, text_folder, range(3))
    snapshot = copy_of(engine.snapshot())
    key = "model.layers.0.mlp.down_proj.weight.exp_avg_scale"
    assert snapshot.optimizer[key].shape == (64, 5)
    twice = {**snapshot.optimizer, key: np.repeat(snapshot.optimizer[key], 2, axis=1)}
    other = build_engine(recipe_of(optimizer="adamw8bit", seed=5))
    other.load(type(snapshot)(parameters=snapshot.parameters, optimizer=twice, state=snapshot.state))
    assert run(other, text_folder, range(3, 5)) == pytest.approx(run(engine, text_folder, range(3, 5)), rel=1e-4)
    wrong = {**snapshot.optimizer, key: snapshot.optimizer[key][:, :3]}
    with pytest.raises(CheckpointError) as refused:
        other.load(type(snapshot)(parameters=snapshot.parameters, optimizer=wrong, state=snapshot.state))
    assert refused.value.arguments == {"name": key, "found": "(64, 3)", "expected": "(64, 5)"}
