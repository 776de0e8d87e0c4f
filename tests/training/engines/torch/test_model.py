"""The PyTorch model computes what transformers computes, for every option of the family."""

from __future__ import annotations

from typing import Any

import pytest
import torch
import transformers

from headway.recipe import ModelConfig, from_hf_config, resolve_recipe, to_hf_config
from headway.recipe.hf_config import hf_class
from headway.training.engines.torch.initial import initialize, weight_shapes
from headway.training.engines.torch.model import Llama

SHAPE = {
    "hidden_size": 96,
    "intermediate_size": 160,
    "num_hidden_layers": 3,
    "num_attention_heads": 6,
    "num_key_value_heads": 6,
    "head_dim": 16,
    "vocab_size": 320,
    "max_position_embeddings": 128,
}
LLAMA3_SCALING = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 32,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "plain": {},
    "grouped-query": {"num_key_value_heads": 2},
    "multi-query": {"num_key_value_heads": 1},
    "tied": {"tie_word_embeddings": True},
    "llama3-scaling": {"rope_scaling": LLAMA3_SCALING, "rope_theta": 500000.0},
    "qkv-bias": {"architecture": "qwen2", "attention_bias": True, "num_key_value_heads": 2},
    "all-biases": {"attention_bias": True, "attention_output_bias": True, "mlp_bias": True},
    "qk-norm": {"architecture": "qwen3", "qk_norm": True, "num_key_value_heads": 2},
    "wide-heads": {"head_dim": 32, "num_key_value_heads": 3},
    "sliding-window": {"architecture": "mistral", "sliding_window": 16, "num_key_value_heads": 2},
    "epsilon": {"rms_norm_eps": 1e-2},
}


def make_pair(**changes: Any) -> tuple[Llama, torch.nn.Module]:
    """Return our model and the transformers model of the same shape and weights."""
    config = ModelConfig.model_validate({**SHAPE, **changes})
    hf_config = to_hf_config(config)
    kind = getattr(transformers, hf_class(config))
    theirs = kind(kind.config_class(**hf_config, attn_implementation="eager")).float().eval()
    with torch.no_grad():
        generator = torch.Generator().manual_seed(0)
        for parameter in theirs.parameters():
            mean = 1.0 if parameter.dim() == 1 else 0.0
            parameter.normal_(mean, 0.1, generator=generator)
    ours = Llama(config).eval()
    weights = theirs.state_dict()
    ours.load_state_dict(weights)
    return ours, theirs


def random_tokens(rows: int = 2, length: int = 65) -> torch.Tensor:
    return torch.randint(0, SHAPE["vocab_size"], (rows, length), generator=torch.Generator().manual_seed(1))


@pytest.mark.parametrize("preset", ["llama-3.2-1b", "qwen3-0.6b", "qwen2.5-0.5b"])
def test_plans_know_the_shapes_of_all_weights(preset: str) -> None:
    """In the order of the model, by which initial weights are drawn."""
    config = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    with torch.device("meta"):
        model = Llama(config)
    assert list(weight_shapes(config).items()) == [(name, value.shape) for name, value in model.named_parameters()]


@pytest.mark.parametrize("variant", VARIANTS)
def test_logits_equal_those_of_transformers(variant: str) -> None:
    ours, theirs = make_pair(**VARIANTS[variant])
    tokens = random_tokens()
    with torch.no_grad():
        expected = theirs(tokens).logits
        assert expected.std() > 0.1, "a comparison of zeros would prove nothing"
        torch.testing.assert_close(ours(tokens), expected, atol=1e-5, rtol=1e-5)


@pytest.mark.parametrize("variant", VARIANTS)
def test_loss_and_gradients_equal_those_of_transformers(variant: str) -> None:
    ours, theirs = make_pair(**VARIANTS[variant])
    tokens = random_tokens()
    loss = ours.loss(tokens[:, :-1], tokens[:, 1:])
    expected = torch.nn.functional.cross_entropy(theirs(tokens[:, :-1]).logits.flatten(0, 1), tokens[:, 1:].flatten())
    torch.testing.assert_close(loss, expected, atol=1e-5, rtol=1e-5)
    loss.backward()
    expected.backward()
    gradients = {name: parameter.grad for name, parameter in theirs.named_parameters()}
    for name, parameter in ours.named_parameters():
        scale = gradients[name].abs().max()
        torch.testing.assert_close(parameter.grad / scale, gradients[name] / scale, atol=2e-5, rtol=0)


@pytest.mark.parametrize("variant", VARIANTS)
def test_config_goes_to_hugging_face_and_back(variant: str) -> None:
    config = ModelConfig.model_validate({**SHAPE, **VARIANTS[variant]})
    kind = getattr(transformers, hf_class(config))
    there = kind.config_class(**to_hf_config(config)).to_dict()
    back = ModelConfig.model_validate({**from_hf_config({**there, "architectures": [hf_class(config)]})})
    assert back.model_copy(update={"architecture": config.architecture}) == config


def test_attention_stays_inside_documents() -> None:
    ours, _ = make_pair(num_key_value_heads=2)
    first, second = random_tokens(1, 20), random_tokens(1, 31).flip(1)
    packed = torch.cat((first, second), dim=1)
    documents = torch.tensor([[0] * 20 + [1] * 31])
    with torch.no_grad():
        together = ours(packed, documents)
        torch.testing.assert_close(together[:, :20], ours(first), atol=1e-5, rtol=1e-5)
        # Rotary positions are relative, so that a document need not start at position 0.
        torch.testing.assert_close(together[:, 20:], ours(second), atol=1e-4, rtol=1e-4)
        assert not torch.allclose(ours(packed)[:, 20:], ours(second), atol=1e-2)


def test_bf16_is_close_to_fp32_and_not_equal() -> None:
    ours, _ = make_pair()
    rounded = Llama(ours.config, torch.bfloat16)
    rounded.load_state_dict(ours.state_dict())
    tokens = random_tokens()
    with torch.no_grad():
        exact = ours.loss(tokens[:, :-1], tokens[:, 1:])
        rough = rounded.loss(tokens[:, :-1], tokens[:, 1:])
    assert rough != exact
    assert abs(rough - exact) < 0.02 * exact


def test_initial_weights_depend_on_the_seed_alone() -> None:
    config = ModelConfig.model_validate(SHAPE)
    first, again, other = Llama(config), Llama(config), Llama(config)
    initialize(first, 1)
    initialize(again, 1)
    initialize(other, 2)
    for name, parameter in first.named_parameters():
        assert torch.equal(parameter, again.get_parameter(name))
    weight = "model.layers.0.mlp.gate_proj.weight"
    assert not torch.equal(first.get_parameter(weight), other.get_parameter(weight))
    assert float(first.get_parameter(weight).detach().std()) == pytest.approx(config.initializer_range, rel=0.05)
    residual = first.get_parameter("model.layers.0.mlp.down_proj.weight")
    assert float(residual.detach().std()) == pytest.approx(config.initializer_range / 6**0.5, rel=0.05)
