"""Adapters start from the model as it was, leave it as it was, and add up to what their merged weights are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from headway.training.adapters import Merged, adapter_alpha
from headway.training.engines import build_engine
from headway.training.engines.torch.adapters import adapter_shapes, settings_of
from tests.training.engines.contract import assert_equal, copy_of, make_batch, make_recipe


def lora(**training: Any) -> Any:
    return make_recipe("torch", method="lora", adapter_rank=4, **training)


def test_the_first_loss_is_that_of_the_model_without_adapters() -> None:
    plain, adapted = build_engine(make_recipe("torch")), build_engine(lora())
    assert adapted.evaluate([make_batch(0)]) == plain.evaluate([make_batch(0)])


@pytest.mark.parametrize("tied", [False, True])
def test_what_was_trained_equals_the_merged_model(tied: bool) -> None:
    recipe = lora(tie_word_embeddings=tied)
    adapted = build_engine(recipe)
    base = copy_of(build_engine(make_recipe("torch", tie_word_embeddings=tied)).snapshot()).parameters
    adapted.load_weights(base)
    losses = [adapted.step([make_batch(0)], 1e-2).loss for _ in range(10)]
    assert losses[-1] < losses[0] - 0.05
    whole = build_engine(make_recipe("torch", tie_word_embeddings=tied))
    whole.load_weights(Merged(base, adapted.snapshot().parameters, adapter_alpha(recipe) / 4))
    assert whole.evaluate([make_batch(0)]) == pytest.approx(adapted.evaluate([make_batch(0)]), rel=1e-5)


def test_a_gradient_by_hand() -> None:
    """B starts at zero, so that its gradient is scale x dL/dW A^T; the first moment is a tenth of it."""
    recipe = lora(gradient_clip_norm=1e9, adapter_targets="query-value")
    adapted, full = build_engine(recipe), build_engine(make_recipe("torch", gradient_clip_norm=1e9))
    start = copy_of(adapted.snapshot()).parameters
    batch = [make_batch(0)]
    adapted.step(batch, 1e-3)
    full.step(batch, 1e-3)
    name = "model.layers.1.self_attn.q_proj"
    gradient = full.snapshot().optimizer[f"{name}.weight.exp_avg"] * 10
    expected = adapter_alpha(recipe) / 4 * gradient @ start[f"{name}.lora_A.weight"].T
    ours = adapted.snapshot().optimizer[f"{name}.lora_B.weight.exp_avg"] * 10
    np.testing.assert_allclose(ours, expected, atol=1e-6)
    assert not adapted.snapshot().optimizer[f"{name}.lora_A.weight.exp_avg"].any()


def test_resume_is_exact() -> None:
    straight, first = build_engine(lora()), build_engine(lora())
    losses = [straight.step([make_batch(step)], 1e-3).loss for step in range(6)]
    for step in range(3):
        first.step([make_batch(step)], 1e-3)
    second = build_engine(lora())
    second.load(copy_of(first.snapshot()))
    assert [second.step([make_batch(step)], 1e-3).loss for step in range(3, 6)] == losses[3:]
    assert_equal(straight.snapshot(), second.snapshot())


@pytest.mark.parametrize(("targets", "matrices"), [("all", 7), ("attention", 4), ("query-value", 2)])
def test_each_target_has_two_matrices(targets: str, matrices: int) -> None:
    recipe = lora(adapter_targets=targets)
    settings = settings_of(recipe)
    assert settings is not None
    shapes = adapter_shapes(recipe.model, settings)
    assert len(shapes) == 2 * matrices * recipe.model.num_hidden_layers
    assert shapes["model.layers.0.self_attn.v_proj.lora_A.weight"] == (4, 48)
    assert shapes["model.layers.0.self_attn.v_proj.lora_B.weight"] == (24, 4)
    snapshot = build_engine(recipe).snapshot()
    assert {name: array.shape for name, array in snapshot.parameters.items()} == shapes


def test_bf16_keeps_the_frozen_weights_in_bf16() -> None:
    engine = build_engine(lora(precision="bf16"))
    dtypes = {str(value.dtype) for value in engine._parameters.values() if not value.requires_grad}  # type: ignore[attr-defined]
    assert dtypes == {"torch.bfloat16"}
    assert {str(array.dtype) for array in engine.snapshot().parameters.values()} == {"float32"}
    losses = [engine.step([make_batch(0)], 1e-2).loss for _ in range(10)]
    assert losses[-1] < losses[0] - 0.05
