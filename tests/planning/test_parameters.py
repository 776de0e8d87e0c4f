import pytest

from headway import catalog
from headway.planning.parameters import (
    count_active_parameters,
    count_parameters,
    parameters_by_part,
    tensor_groups,
    weight_shapes,
)
from headway.recipe import ModelConfig, resolve_recipe
from tests.planning.conftest import TINY

PUBLISHED = catalog.names("model")


def model_of(preset: str) -> ModelConfig:
    return resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model


@pytest.mark.parametrize("preset", PUBLISHED)
def test_every_preset_has_its_published_parameters(preset: str) -> None:
    assert count_parameters(model_of(preset)) == catalog.model_preset(preset).parameters


@pytest.mark.parametrize("preset", ["mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3"])
def test_active_parameters_are_near_the_published_round_figure(preset: str) -> None:
    published = catalog.model_preset(preset).active_parameters
    assert published is not None
    assert count_active_parameters(model_of(preset)) == pytest.approx(published, rel=0.035)


def test_a_model_counted_by_hand(tiny: ModelConfig) -> None:
    # Layer: q 4x4, k 2x4, v 2x4, o 4x4 = 48; gate, up, down 3 x 24 = 72; two norms of 4.
    assert parameters_by_part(tiny) == {
        "embedding": 40,
        "attention": 2 * 48,
        "mlp": 2 * 72,
        "norm": 2 * 8 + 4,
        "head": 40,
    }
    assert count_parameters(tiny) == count_active_parameters(tiny) == 340


def test_a_tied_head_has_no_weights_of_its_own() -> None:
    tied = ModelConfig.model_validate({**TINY, "tie_word_embeddings": True})
    assert count_parameters(tied) == 300


def test_biases_and_norms_of_queries_and_keys() -> None:
    every = {"attention_bias": True, "attention_output_bias": True, "mlp_bias": True, "qk_norm": True}
    model = ModelConfig.model_validate({**TINY, **every})
    # Layer: biases q 4, k 2, v 2, o 4, gate 6, up 6, down 4; norms of q and k 2 each.
    assert count_parameters(model) == 340 + 2 * (12 + 16 + 4)


def test_gpt2_untied_has_a_head() -> None:
    model = ModelConfig.model_validate({**TINY, "architecture": "gpt2"})
    assert [group.name for group in tensor_groups(model)][-1] == "lm_head.weight"


def test_latent_attention_without_compressed_queries() -> None:
    shape = {"architecture": "deepseek_v3", "kv_lora_rank": 3, "qk_rope_head_dim": 2, "qk_nope_head_dim": 2}
    model = ModelConfig.model_validate({**TINY, **shape, "v_head_dim": 2})
    attention = {group.name.rpartition("self_attn.")[2]: group.shape for group in tensor_groups(model)}
    assert attention["q_proj.weight"] == (8, 4)
    assert attention["kv_a_proj_with_mqa.weight"] == (5, 4)
    assert attention["kv_b_proj.weight"] == (8, 3)


def test_experts_that_rest_are_not_active() -> None:
    shape = {"num_experts": 4, "num_experts_per_tok": 1, "moe_intermediate_size": 3, "num_shared_experts": 1}
    model = ModelConfig.model_validate({**TINY, **shape, "first_k_dense_replace": 1})
    parts = parameters_by_part(model)
    # One dense layer of 72, one sparse layer of 4 + 1 experts with 3 x 12 weights.
    assert parts["mlp"] == 72 + 5 * 36
    assert parts["router"] == 16
    assert count_parameters(model) - count_active_parameters(model) == 3 * 36


@pytest.mark.parametrize("preset", ["llama-3.2-1b", "qwen3-0.6b", "qwen2.5-0.5b"])
def test_shapes_come_in_the_order_of_the_model(preset: str) -> None:
    """Initial weights are drawn in that order."""
    names = list(weight_shapes(resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model))
    assert names[0] == "model.embed_tokens.weight"
    assert names[-1] in ("model.norm.weight", "lm_head.weight")
    layers = [int(name.split(".")[2]) for name in names if name.startswith("model.layers.")]
    assert layers == sorted(layers)
