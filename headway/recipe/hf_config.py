"""Hugging Face ``config.json`` files: read into the fields of ``[model]``, and written back.

Transformers 5 writes ``rope_parameters`` where earlier versions wrote ``rope_theta`` and ``rope_scaling``; both are
read, and the later form is written together with the earlier one, so that every version can load the result.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from headway.errors import RecipeError
from headway.recipe.model import ModelConfig

_ARCHITECTURES = {
    "LlamaForCausalLM": "llama",
    "MistralForCausalLM": "mistral",
    "Qwen2ForCausalLM": "qwen2",
    "Qwen3ForCausalLM": "qwen3",
    "MixtralForCausalLM": "mixtral",
    "Qwen3MoeForCausalLM": "qwen3_moe",
    "DeepseekV3ForCausalLM": "deepseek_v3",
}
_COPIED = (
    "hidden_size", "intermediate_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim",
    "vocab_size", "max_position_embeddings", "rms_norm_eps", "tie_word_embeddings", "attention_bias", "mlp_bias",
    "initializer_range", "num_experts_per_tok", "moe_intermediate_size", "first_k_dense_replace",
    "n_group", "topk_group",
    "q_lora_rank", "kv_lora_rank", "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim",
)  # fmt: skip
_EXPERT_COUNTS = ("num_experts", "num_local_experts", "n_routed_experts")
_MAX_CONFIG_BYTES = 16 * 2**20


def read_config(path: Path) -> dict[str, Any]:
    """Read a ``config.json`` (or a folder that holds one) into fields of ``[model]``.

    Args:
        path: the file or the folder.

    Returns:
        Fields by name; fields that the file does not state are left out.

    Raises:
        RecipeError: the file is missing, is not a JSON object, or is of an architecture that Headway does not know.
    """
    file = path / "config.json" if path.is_dir() else path
    try:
        with file.open("rb") as opened:
            content = opened.read(_MAX_CONFIG_BYTES + 1)
    except OSError as error:
        raise RecipeError("recipe-config-unreadable", path=str(file), reason=error.strerror or str(error)) from error
    if len(content) > _MAX_CONFIG_BYTES:
        raise RecipeError("recipe-config-too-large", path=str(file), limit_bytes=_MAX_CONFIG_BYTES)
    try:
        config = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise RecipeError("recipe-config-not-json", path=str(file), reason=str(error)) from error
    if not isinstance(config, dict):
        raise RecipeError("recipe-config-not-json", path=str(file), reason=type(config).__name__)
    return from_hf_config(config, str(file))


def from_hf_config(config: dict[str, Any], path: str = "config.json") -> dict[str, Any]:
    """Turn the content of a ``config.json`` into fields of ``[model]``; see `read_config`."""
    stated = config.get("architectures")
    names = [str(name) for name in stated] if isinstance(stated, list) else []
    architecture = next((_ARCHITECTURES[name] for name in names if name in _ARCHITECTURES), None)
    if architecture is None:
        raise RecipeError(
            "recipe-config-architecture",
            path=path,
            architecture=", ".join(names) or str(config.get("model_type")),
            known=", ".join(sorted(_ARCHITECTURES)),
        )
    fields: dict[str, Any] = {"architecture": architecture}
    if architecture != "mixtral":
        # What the configuration classes of transformers take where a file does not say; Mixtral's is ours too.
        fields["rms_norm_eps"] = 1e-6
    fields.update({name: config[name] for name in _COPIED if config.get(name) is not None})
    for name in _EXPERT_COUNTS:
        if config.get(name):
            fields["num_experts"] = config[name]
    if config.get("n_shared_experts"):
        fields["num_shared_experts"] = config["n_shared_experts"]
    if config.get("sliding_window") and config.get("use_sliding_window", True):
        fields["sliding_window"] = config["sliding_window"]
    fields.update(_rope_fields(config, path, architecture))
    if architecture == "qwen2":
        fields["attention_bias"] = True
    elif architecture in ("llama", "mistral") and fields.get("attention_bias"):
        # Llama's attention_bias puts a bias on all four projections, Qwen2's on query, key and value only.
        fields["attention_output_bias"] = True
    if architecture in ("qwen3", "qwen3_moe"):
        fields["qk_norm"] = True
    return fields


def _rope_fields(config: dict[str, Any], path: str, architecture: str) -> dict[str, Any]:
    parameters = config.get("rope_parameters") or config.get("rope_scaling") or {}
    if not isinstance(parameters, dict):
        raise RecipeError("recipe-config-rope", path=path, kind=type(parameters).__name__)
    fields: dict[str, Any] = {}
    if parameters.get("rope_theta", config.get("rope_theta")) is not None:
        fields["rope_theta"] = _number({**config, **parameters}, "rope_theta", path)
    kind = parameters.get("rope_type", parameters.get("type", "default"))
    if kind == "llama3":
        names = ("factor", "low_freq_factor", "high_freq_factor")
        fields["rope_scaling"] = {
            "rope_type": "llama3",
            **{name: _number(parameters, name, path) for name in names},
            "original_max_position_embeddings": parameters.get("original_max_position_embeddings"),
        }
    elif kind != "default" and not (kind == "yarn" and architecture == "deepseek_v3"):
        # DeepSeek's YaRN changes no tensor, and no engine trains that family yet: it counts for plans only.
        raise RecipeError("recipe-config-rope", path=path, kind=str(kind))
    return fields


def _number(table: dict[str, Any], name: str, path: str) -> float:
    value = table.get(name)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise RecipeError("recipe-config-number", path=path, field=name, value=repr(value)[:80])
    return float(value)


def to_hf_config(model: ModelConfig) -> dict[str, Any]:
    """Return the ``config.json`` of a Llama-family model, as transformers writes it.

    Llama options that need another class pick it: a QK norm is Qwen3, a bias on query, key and value alone is Qwen2.
    """
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": model.rope_theta}
    if model.rope_scaling is not None:
        rope.update(model.rope_scaling.model_dump())
    kind = hf_class(model)
    config: dict[str, Any] = {
        "architectures": [kind],
        "model_type": _ARCHITECTURES[kind],
        "hidden_act": "silu",
        "torch_dtype": "float32",
        "rope_parameters": rope,
        "rope_theta": model.rope_theta,
        "rope_scaling": model.rope_scaling.model_dump() if model.rope_scaling else None,
        "use_cache": True,
        "attention_dropout": 0.0,
    }
    names = _COPIED[: _COPIED.index("initializer_range") + 1]
    config.update({name: getattr(model, name) for name in names})
    if kind == "MistralForCausalLM":
        config["sliding_window"] = model.sliding_window
    return config


def hf_class(model: ModelConfig) -> str:
    """Return the transformers class that computes what this model computes."""
    if model.qk_norm:
        return "Qwen3ForCausalLM"
    if model.attention_bias and not model.attention_output_bias:
        return "Qwen2ForCausalLM"
    if model.sliding_window is not None:
        return "MistralForCausalLM"
    return "LlamaForCausalLM"
