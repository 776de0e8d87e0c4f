"""Training in fp16: the loss is scaled, steps that overflow are skipped, and the rest is as in fp32."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from headway.resilience.checkpoint import CheckpointStore
from headway.training.engines import Engine, build_engine
from headway.training.engines.torch.kernels import CROSS_ENTROPY_CHUNK_TOKENS, scaled_gradients
from headway.training.engines.torch.scaling import GROWTH_STEPS, LossScale
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.real_text import batch_of, losses_of, recipe_of, run


def scaled(engine: Engine, scale: float, **further: Any) -> Engine:
    """Return the engine, gone on from its own state with another loss scale."""
    snapshot = copy_of(engine.snapshot())
    state = {**snapshot.state["loss_scale"], "scale": scale, **further}
    engine.load(replace(snapshot, state={**snapshot.state, "loss_scale": state}))
    return engine


def test_the_rules_are_those_of_pytorch() -> None:
    """By the rules of ``GradScaler``: half after an overflow, twice after 2,000 good steps in a row."""
    scale = LossScale(is_dynamic=True)
    theirs = torch.amp.GradScaler("cpu")
    assert scale.value == theirs.get_scale() == 65536
    assert not scale.take(math.inf)
    assert not scale.take(math.nan)
    assert (scale.value, scale.skipped_steps) == (16384, 2)
    assert all(scale.take(1.0) for _ in range(GROWTH_STEPS - 1))
    assert not scale.take(math.inf)
    assert (scale.value, scale.good_steps) == (8192, 0)
    assert all(scale.take(1.0) for _ in range(GROWTH_STEPS))
    assert (scale.value, scale.good_steps) == (16384, 0)
    assert (
        theirs.get_growth_interval(), theirs.get_growth_factor(), theirs.get_backoff_factor()
    ) == (GROWTH_STEPS, 2.0, 0.5)  # fmt: skip


def test_an_overflow_without_scaling_is_not_passed_over() -> None:
    scale = LossScale(is_dynamic=True)
    scale.load({"scale": 2.0, "good_steps": 0, "skipped_steps": 0})
    assert not scale.take(math.inf)
    assert scale.take(math.inf)
    assert (scale.value, scale.skipped_steps) == (1, 1)


def test_other_formats_have_no_scale() -> None:
    scale = LossScale(is_dynamic=False)
    assert scale.take(math.inf)
    assert (scale.value, scale.state()) == (1, {})
    result = build_engine(recipe_of()).step([batch_of(Path(__file__).parent / "parallel", 0)], 1e-3)
    assert (result.loss_scale, result.is_skipped) == (None, False)


def test_losses_are_near_to_fp32(text_folder: Path) -> None:
    exact, rounded = losses_of(text_folder, 60), losses_of(text_folder, 60, precision="fp16")
    assert exact != rounded
    assert np.abs(np.array(exact) - rounded).max() < 2e-3
    assert rounded[-1] < 0.6 * rounded[0]


def test_the_scale_saves_gradients_that_fp16_would_lose(text_folder: Path) -> None:
    """Without a scale, the gradients of a loss of many targets are below what fp16 can tell apart."""
    batch = [batch_of(text_folder, 0)]
    norms = {}
    for scale in (1.0, 2.0**16):
        engine = scaled(build_engine(recipe_of(precision="fp16")), scale)
        engine.step(batch, 0.0)
        name = "model.layers.0.self_attn.q_proj.weight.exp_avg"
        norms[scale] = 10 * engine.snapshot().optimizer[name]
    exact = build_engine(recipe_of())
    exact.step(batch, 0.0)
    true = 10 * exact.snapshot().optimizer[name]
    errors = {scale: np.linalg.norm(found - true) / np.linalg.norm(true) for scale, found in norms.items()}
    assert errors[2.0**16] < 5e-3
    assert errors[1.0] > 4 * errors[2.0**16]


def test_an_overflow_is_skipped_and_survived(text_folder: Path) -> None:
    engine = scaled(build_engine(recipe_of(precision="fp16")), 2.0**40)
    before = copy_of(engine.snapshot())
    result = engine.step([batch_of(text_folder, 0)], 1e-3)
    assert result.is_skipped
    assert result.loss_scale == 2.0**40
    assert math.isfinite(result.loss)
    assert not math.isfinite(result.gradient_norm)
    after = copy_of(engine.snapshot())
    assert_equal(before, after)
    assert after.state["loss_scale"] == {"scale": 2.0**39, "good_steps": 0, "skipped_steps": 1}
    assert after.state["optimizer_steps"] == 0
    losses = run(engine, text_folder, range(1, 60))
    counts = engine.snapshot().state["loss_scale"]
    assert 10 < counts["skipped_steps"] < 30
    assert counts["good_steps"] == engine.snapshot().state["optimizer_steps"] == 60 - counts["skipped_steps"]
    assert losses[-1] < 0.75 * losses[0]


def test_clipping_sees_gradients_without_their_scale(text_folder: Path) -> None:
    batch = [batch_of(text_folder, 0)]
    norms = [
        build_engine(recipe_of(precision=precision, gradient_clip_norm=0.1)).step(batch, 1e-3).gradient_norm
        for precision in ("fp32", "fp16")
    ]
    assert norms[1] == pytest.approx(norms[0], rel=2e-3)


def test_resume_is_exact(text_folder: Path, tmp_path: Path) -> None:
    """With skipped steps before and after, and a scale that grows."""
    straight, first = (
        scaled(build_engine(recipe_of(precision="fp16")), 2.0**27, good_steps=GROWTH_STEPS - 3) for _ in range(2)
    )
    losses = run(straight, text_folder, range(20))
    run(first, text_folder, range(3))
    CheckpointStore(tmp_path).save(copy_of(first.snapshot(), step=3))
    loaded, _ = CheckpointStore(tmp_path).load_newest()
    assert loaded is not None
    second = build_engine(recipe_of(precision="fp16", seed=99))
    second.load(loaded)
    assert run(second, text_folder, range(3, 20)) == losses[3:]
    assert_equal(straight.snapshot(), second.snapshot())
    assert straight.snapshot().state == second.snapshot().state
    assert straight.snapshot().state["loss_scale"]["skipped_steps"] > 3


def test_a_factor_above_the_largest_number_of_fp16_is_taken() -> None:
    generator = torch.Generator().manual_seed(0)
    hidden = torch.randn(CROSS_ENTROPY_CHUNK_TOKENS + 7, 4, generator=generator).mul_(1e-4).half()
    factor = torch.tensor(2.0**17)
    expected = (hidden.double() * 2.0**17).half()
    found, _ = scaled_gradients(hidden.clone(), None, factor, torch.float16)
    assert found is not None
    assert torch.equal(found, expected)
    assert torch.isfinite(found).all()
