import pytest

from headway.planning.flops import (
    attended_keys,
    attention_widths,
    forward_flops_per_token,
    model_flops_per_token,
    training_flops_per_token,
)
from headway.recipe import ModelConfig, resolve_recipe
from tests.planning.conftest import TINY


def test_a_model_counted_by_hand(tiny: ModelConfig) -> None:
    found = forward_flops_per_token(tiny, 8)
    assert found.attention_projections == 2 * 2 * 48
    assert found.mlp == 2 * 2 * 72
    assert found.head == 2 * 40
    assert found.router == 0
    # A token of a sequence of 8 sees 4.5 keys on average; 2 layers, all heads 4 wide, 2 FLOPs each.
    assert found.attention_scores == found.attention_values == 2 * 2 * 4 * 4.5
    assert found.total == 192 + 288 + 80 + 144


def test_the_whole_square_counts_every_key(tiny: ModelConfig) -> None:
    assert forward_flops_per_token(tiny, 8, causal=False).attention_scores == 2 * 2 * 4 * 8


def test_a_window_limits_the_keys() -> None:
    model = ModelConfig.model_validate({**TINY, "sliding_window": 2})
    # 1, 2, 2, 2 keys.
    assert attended_keys(model, 4, causal=True) == 7 / 4
    assert attended_keys(model, 4, causal=False) == 4


def test_training_is_three_forward_passes_and_what_is_repeated(tiny: ModelConfig) -> None:
    forward = forward_flops_per_token(tiny, 8)
    assert training_flops_per_token(tiny, 8) == 3 * forward.total
    assert training_flops_per_token(tiny, 8, recompute="full") == 4 * forward.total - forward.head
    assert training_flops_per_token(tiny, 8, recompute="selective") == 3 * forward.total + 144


def test_model_flops_are_6n_and_12lhqt() -> None:
    model = resolve_recipe({"model": {"preset": "llama-3.1-8b"}, "training": {"steps": 1}}).model
    weights = 8_030_261_248 - 128256 * 4096 - (2 * 32 + 1) * 4096
    assert model_flops_per_token(model, 8192) == 6 * weights + 12 * 32 * 32 * 128 * 8192


def test_only_active_experts_count() -> None:
    model = resolve_recipe({"model": {"preset": "mixtral-8x7b"}, "training": {"steps": 1}}).model
    found = forward_flops_per_token(model, 1024)
    assert found.mlp == 2 * 32 * 2 * 3 * 4096 * 14336
    assert found.router == 2 * 32 * 8 * 4096


def test_latent_attention_has_two_widths() -> None:
    model = resolve_recipe({"model": {"preset": "deepseek-v3"}, "training": {"steps": 1}}).model
    assert attention_widths(model) == (128 * 192, 128 * 128)


@pytest.mark.parametrize(("preset", "published"), [("gpt2", 124e6), ("llama-2-7b", 6.74e9)])
def test_forward_flops_are_near_two_for_each_weight(preset: str, published: float) -> None:
    model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    assert forward_flops_per_token(model, 1).total == pytest.approx(2 * published, rel=0.05)
