"""Model presets: the shapes of published models, one file each, in the field names of Hugging Face configs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from headway.catalog.closest import normal_form
from headway.catalog.schema import Entry, build, plain
from headway.catalog.store import MODELS_FOLDER, check_names, find, read_toml


@dataclass(frozen=True, kw_only=True)
class RopeScaling:
    """How rotary frequencies are stretched: the parameters of ``llama3`` or of ``yarn``."""

    rope_type: Literal["llama3", "yarn"]
    factor: float
    original_max_position_embeddings: int
    low_freq_factor: float | None = None
    high_freq_factor: float | None = None
    beta_fast: float | None = None
    beta_slow: float | None = None
    mscale: float | None = None
    mscale_all_dim: float | None = None


@dataclass(frozen=True, kw_only=True)
class ModelPreset(Entry):
    """The shape of one published model.

    The names are those of Hugging Face configs, with one name where families differ: ``num_experts`` for
    ``num_local_experts`` and ``n_routed_experts``, ``num_shared_experts`` for ``n_shared_experts``, and the neutral
    names for GPT-2's ``n_embd``, ``n_layer``, ``n_head``, ``n_positions``. None means that the model has no such part.

    Attributes:
        parameters: all distinct weights; tied embeddings count once. `basis` says what is left out.
        active_parameters: weights that one token passes, as published and rounded; only for mixtures of experts.
    """

    architecture: Literal["llama", "mistral", "qwen2", "qwen3", "gpt2", "mixtral", "qwen3_moe", "deepseek_v3"]
    parameters: int
    active_parameters: int | None = None
    hidden_size: int
    intermediate_size: int
    num_hidden_layers: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int | None = None
    vocab_size: int
    max_position_embeddings: int
    rope_theta: float | None = None
    rope_scaling: RopeScaling | None = None
    rms_norm_eps: float | None = None
    layer_norm_epsilon: float | None = None
    tie_word_embeddings: bool
    attention_bias: bool = False
    attention_output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    sliding_window: int | None = None
    num_experts: int | None = None
    num_experts_per_tok: int | None = None
    moe_intermediate_size: int | None = None
    num_shared_experts: int | None = None
    first_k_dense_replace: int | None = None
    n_group: int | None = None
    topk_group: int | None = None
    routed_scaling_factor: float | None = None
    num_nextn_predict_layers: int | None = None
    q_lora_rank: int | None = None
    kv_lora_rank: int | None = None
    qk_nope_head_dim: int | None = None
    qk_rope_head_dim: int | None = None
    v_head_dim: int | None = None

    @property
    def config(self) -> dict[str, Any]:
        """The shape as fields of a recipe's ``[model]``; what the model does not have is left out.

        YaRN and the multi-token head change no tensor that a recipe describes: they stay here.
        """
        shape = {name: value for name, value in plain(self).items() if name not in _NOT_IN_A_RECIPE}
        if self.rope_scaling is not None and self.rope_scaling.rope_type != "llama3":
            del shape["rope_scaling"]
        return shape


_NOT_IN_A_RECIPE = frozenset(
    (
        *("id", "aliases", "basis", "source", "read_on", "note", "parameters", "active_parameters"),
        *("layer_norm_epsilon", "routed_scaling_factor", "num_nextn_predict_layers"),
    )
)


def ids() -> tuple[str, ...]:
    """Return the ids of all presets, sorted."""
    return tuple(sorted(file.name.removesuffix(".toml") for file in MODELS_FOLDER.glob("*.toml")))


@cache
def _read(preset_id: str) -> ModelPreset:
    file = MODELS_FOLDER / f"{preset_id}.toml"
    return build(ModelPreset, read_toml(file), file, preset_id)


@cache
def entries() -> Mapping[str, ModelPreset]:
    """Return all presets by id; it reads every file, which `model_preset` avoids."""
    presets = {preset_id: _read(preset_id) for preset_id in ids()}
    check_names(presets, MODELS_FOLDER)
    return presets


@cache
def model_preset(name: str) -> ModelPreset:
    """Return a preset by id, by alias, or by the name of its Hugging Face repository.

    Args:
        name: ``llama-3.1-8b``, ``meta-llama/Llama-3.1-8B``, ...; case, blanks and underscores do not count.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    wanted = normal_form(name.rsplit("/", 1)[-1])
    if wanted in ids():
        return _read(wanted)
    return find("model", name.rsplit("/", 1)[-1], entries())
