import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.flops import (
    attended_keys,
    attention_widths,
    forward_flops_per_token,
    hardware_flops_per_token,
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
    # The whole band counts as if every token saw what the last one does.
    assert attended_keys(model, 4, causal=False) == 2


def test_utilisation_counts_no_more_keys_than_a_window_has() -> None:
    """Two layers of heads 4 wide: 2 FLOPs for scores and 2 for values of each of 2 keys; 6 N of 280 weights."""
    model = ModelConfig.model_validate({**TINY, "sliding_window": 2})
    band = 2 * 2 * 2 * 4 * 2
    products = 192 + 288 + 80
    assert model_flops_per_token(model, 8) == 3 * (products + band)
    assert hardware_flops_per_token(model, 8, recompute="full") == 3 * (products + band) + 192 + 288 + band
    # A window as long as the sequence hides nothing.
    wide = ModelConfig.model_validate({**TINY, "sliding_window": 8})
    assert model_flops_per_token(wide, 8) == model_flops_per_token(ModelConfig.model_validate(TINY), 8)


def test_training_is_three_forward_passes(tiny: ModelConfig) -> None:
    assert training_flops_per_token(tiny, 8) == 3 * forward_flops_per_token(tiny, 8).total


def test_frozen_weights_spare_their_gradients_and_scores_spare_nothing(tiny: ModelConfig) -> None:
    # 192 and 288 of projections and 80 of the head cost two passes; 144 of scores and values cost three.
    for method in ("lora", "qlora"):
        assert training_flops_per_token(tiny, 8, method=method) == 2 * (192 + 288 + 80) + 3 * 144
        assert model_flops_per_token(tiny, 8, method=method) == 2 * (192 + 288 + 80) + 3 * 256
    long = 1_000_000
    full, frozen = (model_flops_per_token(tiny, long, method=method) for method in ("full", "lora"))
    assert frozen / full == pytest.approx(1.0, abs=1e-4)


def test_what_is_repeated_counts_for_the_hardware(tiny: ModelConfig) -> None:
    # The whole square of 8 keys: 128 for scores and 128 for values.
    model = 3 * (192 + 288 + 80 + 256)
    assert hardware_flops_per_token(tiny, 8) == model_flops_per_token(tiny, 8) == model
    assert hardware_flops_per_token(tiny, 8, recompute="full") == model + 192 + 288 + 256
    assert hardware_flops_per_token(tiny, 8, recompute="full", recompute_share=0.25) == model + (192 + 288 + 256) / 4
    assert hardware_flops_per_token(tiny, 8, recompute="products") == model + (192 + 288) / 2
    assert hardware_flops_per_token(tiny, 8, recompute="products", keeps_scores=True) == model + 240 + 256
    # Fused attention keeps no scores that selective recomputation could spare.
    assert hardware_flops_per_token(tiny, 8, recompute="selective") == model
    assert hardware_flops_per_token(tiny, 8, recompute="selective", keeps_scores=True) == model + 256


@given(
    length=st.integers(1, 100_000),
    recompute=st.sampled_from(["none", "selective", "products", "full"]),
    share=st.floats(0, 1),
    method=st.sampled_from(["full", "lora", "qlora"]),
    keeps=st.booleans(),
)
def test_the_hardware_never_does_less_than_the_model_needs(
    length: int, recompute: str, share: float, method: str, keeps: bool
) -> None:
    model = ModelConfig.model_validate(TINY)
    done = hardware_flops_per_token(
        model, length, method=method, recompute=recompute, recompute_share=share, keeps_scores=keeps
    )
    assert done >= model_flops_per_token(model, length, method=method)


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
