from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headway import catalog
from headway.errors import RecipeError
from headway.recipe import from_hf_config, load_recipe, read_config, resolve_recipe, to_hf_config
from headway.recipe.model import ModelConfig

LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 64}  # fmt: skip # noqa: E501
SHAPE: dict[str, Any] = {
    "hidden_size": 64,
    "intermediate_size": 128,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 256,
    "max_position_embeddings": 128,
    "rms_norm_eps": 1e-5,
}


def model_of(config: dict[str, Any]) -> ModelConfig:
    return resolve_recipe({"model": from_hf_config(config), "training": {"steps": 1}}).model


def config_of(kind: str, **fields: Any) -> dict[str, Any]:
    return {"architectures": [kind], **SHAPE, **fields}


@pytest.mark.parametrize(
    "rope",
    [
        {"rope_theta": 5e5, "rope_scaling": LLAMA_3},
        {"rope_parameters": {"rope_theta": 5e5, **LLAMA_3}},
        {"rope_theta": 1.0, "rope_scaling": None, "rope_parameters": {"rope_theta": 5e5, **LLAMA_3}},
        {"rope_theta": 500000, "rope_scaling": {**LLAMA_3, "type": "llama3"}},
    ],
)
def test_the_old_and_the_new_style_of_rotary_parameters(rope: dict[str, Any]) -> None:
    model = model_of(config_of("LlamaForCausalLM", **rope))
    assert model.rope_theta == 5e5
    assert model.rope_scaling is not None
    assert model.rope_scaling.model_dump() == LLAMA_3


@pytest.mark.parametrize("rope", [{}, {"rope_scaling": None}, {"rope_parameters": {"rope_type": "default"}}])
def test_no_rotary_scaling(rope: dict[str, Any]) -> None:
    model = model_of(config_of("LlamaForCausalLM", rope_theta=1234, **rope))
    assert (model.rope_theta, model.rope_scaling) == (1234.0, None)


def test_what_a_file_does_not_say_is_the_class_default() -> None:
    config = config_of("LlamaForCausalLM")
    del config["rms_norm_eps"], config["num_key_value_heads"]
    model = model_of(config)
    assert (model.rms_norm_eps, model.num_key_value_heads, model.head_dim) == (1e-6, 4, 16)
    config["architectures"] = ["MixtralForCausalLM"]
    assert model_of(config).rms_norm_eps == 1e-5


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("LlamaForCausalLM", {}, {"architecture": "llama", "attention_bias": False, "qk_norm": False}),
        ("LlamaForCausalLM", {"attention_bias": True}, {"attention_bias": True, "attention_output_bias": True}),
        ("MistralForCausalLM", {"sliding_window": 32}, {"architecture": "mistral", "sliding_window": 32}),
        ("MistralForCausalLM", {"sliding_window": None}, {"sliding_window": None}),
        ("Qwen2ForCausalLM", {}, {"architecture": "qwen2", "attention_bias": True, "attention_output_bias": False}),
        ("Qwen2ForCausalLM", {"sliding_window": 32, "use_sliding_window": False}, {"sliding_window": None}),
        ("Qwen3ForCausalLM", {"head_dim": 32}, {"architecture": "qwen3", "qk_norm": True, "head_dim": 32}),
        (
            "Qwen3MoeForCausalLM",
            {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16},
            {"num_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 16, "qk_norm": True},
        ),
        ("MixtralForCausalLM", {"num_local_experts": 8, "num_experts_per_tok": 2}, {"num_experts": 8}),
        (
            "DeepseekV3ForCausalLM",
            {"n_routed_experts": 8, "n_shared_experts": 1, "num_experts_per_tok": 2, "rope_scaling": {"type": "yarn"}},
            {"num_experts": 8, "num_shared_experts": 1, "rope_scaling": None, "n_group": 1, "topk_group": 1},
        ),
        (
            "DeepseekV3ForCausalLM",
            {"n_routed_experts": 8, "num_experts_per_tok": 2, "n_group": 4, "topk_group": 2},
            {"n_group": 4, "topk_group": 2},
        ),
    ],
)
def test_families(kind: str, fields: dict[str, Any], expected: dict[str, Any]) -> None:
    model = model_of(config_of(kind, **fields))
    assert {name: getattr(model, name) for name in expected} == expected


@pytest.mark.parametrize(
    ("message_id", "config"),
    [
        ("recipe-config-architecture", {}),
        ("recipe-config-architecture", {"architectures": None, "model_type": "t5"}),
        ("recipe-config-architecture", {"architectures": ["BertModel"]}),
        ("recipe-config-architecture", {"architectures": [["LlamaForCausalLM"]]}),
        ("recipe-config-architecture", {"architectures": 3}),
        ("recipe-config-rope", config_of("LlamaForCausalLM", rope_scaling={"rope_type": "linear", "factor": 2.0})),
        ("recipe-config-rope", config_of("Qwen2ForCausalLM", rope_scaling={"type": "yarn", "factor": 4.0})),
        ("recipe-config-rope", config_of("LlamaForCausalLM", rope_parameters=[1])),
        ("recipe-config-number", config_of("LlamaForCausalLM", rope_theta="fast")),
        ("recipe-config-number", config_of("LlamaForCausalLM", rope_theta=True)),
        ("recipe-config-number", config_of("LlamaForCausalLM", rope_scaling={"rope_type": "llama3"})),
    ],
)
def test_what_cannot_be_read_is_refused(message_id: str, config: dict[str, Any]) -> None:
    with pytest.raises(RecipeError) as caught:
        from_hf_config(config)
    assert caught.value.message_id == message_id


def test_an_incomplete_scaling_is_refused() -> None:
    scaling = {name: value for name, value in LLAMA_3.items() if name != "original_max_position_embeddings"}
    with pytest.raises(RecipeError, match="recipe-field-type"):
        model_of(config_of("LlamaForCausalLM", rope_scaling=scaling))


@pytest.mark.parametrize("content", [b"", b"[1]", b"{", b"\xff", b"[" * 100_000])
def test_a_file_that_is_not_a_json_object(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "config.json").write_bytes(content)
    with pytest.raises(RecipeError, match="recipe-config-not-json"):
        read_config(tmp_path)


def test_a_file_that_is_missing_or_too_large(tmp_path: Path) -> None:
    with pytest.raises(RecipeError, match="recipe-config-unreadable"):
        read_config(tmp_path / "absent.json")
    with pytest.raises(RecipeError, match="recipe-config-unreadable"):
        read_config(tmp_path)
    with pytest.raises(RecipeError, match="recipe-config-too-large"):
        read_config(Path("/dev/zero"))


def test_a_recipe_may_point_to_a_config(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "config.json").write_text(json.dumps(config_of("LlamaForCausalLM", rope_theta=7.0)))
    (tmp_path / "my.toml").write_text('[model]\nconfig = "model"\nvocab_size = 300\n[training]\nsteps = 1\n')
    recipe = load_recipe(tmp_path / "my.toml")
    assert (recipe.model.hidden_size, recipe.model.rope_theta, recipe.model.vocab_size) == (64, 7.0, 300)
    # The run's own copy of the recipe loads where the config is not.
    (tmp_path / "model" / "config.json").unlink()
    (tmp_path / "run.toml").write_text(recipe.to_toml())
    assert load_recipe(tmp_path / "run.toml") == recipe


TRAINABLE = [name for name in catalog.models.ids() if catalog.model_preset(name).architecture in ("llama", "mistral", "qwen2", "qwen3")]  # fmt: skip # noqa: E501


@pytest.mark.parametrize("preset", TRAINABLE)
def test_a_config_survives_the_way_out_and_in(preset: str) -> None:
    model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    again = model_of(to_hf_config(model))
    named = ("preset", "config", "architecture")
    assert {name: value for name, value in again.model_dump().items() if name not in named} == {
        name: value for name, value in model.model_dump().items() if name not in named
    }


@pytest.mark.parametrize("preset", ["llama-3.1-8b", "mistral-7b-v0.1", "qwen2.5-0.5b", "qwen3-0.6b", "smollm2-135m"])
def test_transformers_reads_what_is_written_and_writes_what_is_read(tmp_path: Path, preset: str) -> None:
    transformers = pytest.importorskip("transformers")
    model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    (tmp_path / "config.json").write_text(json.dumps(to_hf_config(model)))
    config = transformers.AutoConfig.from_pretrained(tmp_path)
    assert config.architectures == to_hf_config(model)["architectures"]
    assert config.rope_parameters["rope_theta"] == model.rope_theta
    assert config.rope_parameters["rope_type"] == ("default" if model.rope_scaling is None else "llama3")
    assert config.head_dim == model.head_dim
    config.save_pretrained(tmp_path)
    again = resolve_recipe({"model": read_config(tmp_path), "training": {"steps": 1}}).model
    assert again.model_dump(exclude={"preset", "architecture"}) == model.model_dump(exclude={"preset", "architecture"})
