"""``[model]``: the shape of the network, in the field names of Hugging Face configs."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from headway.recipe.quantities import (
    Experts,
    Heads,
    Layers,
    NonNegativeFloat,
    Positions,
    PositiveFloat,
    Vocabulary,
    Width,
)

Architecture = Literal["llama", "mistral", "qwen2", "qwen3", "gpt2", "mixtral", "qwen3_moe", "deepseek_v3"]


class Section(BaseModel):
    """Base of every section: frozen, and strict about names."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class RopeScaling(Section):
    """Llama 3.1's stretching of the rotary frequencies.

    Source: Llama 3.1 model card and Dubey et al. 2024 (arXiv:2407.21783), section 3.4.2; the field names are those of
    ``rope_scaling`` in the published config.json.
    """

    rope_type: Literal["llama3"] = "llama3"
    factor: PositiveFloat
    low_freq_factor: PositiveFloat
    high_freq_factor: PositiveFloat
    original_max_position_embeddings: Positions


class ModelConfig(Section):
    """The resolved shape of a decoder-only transformer; a preset or a config file fills what is not written."""

    preset: str | None = None
    config: str | None = None
    architecture: Architecture = "llama"
    hidden_size: Width
    intermediate_size: Width
    num_hidden_layers: Layers
    num_attention_heads: Heads
    num_key_value_heads: Heads
    head_dim: Width
    vocab_size: Vocabulary
    max_position_embeddings: Positions
    rope_theta: PositiveFloat = 10000.0
    rope_scaling: RopeScaling | None = None
    rms_norm_eps: PositiveFloat = 1e-5
    tie_word_embeddings: bool = False
    attention_bias: bool = False
    attention_output_bias: bool = False
    mlp_bias: bool = False
    qk_norm: bool = False
    sliding_window: Positions | None = None
    initializer_range: NonNegativeFloat = 0.02
    # Mixture of experts.
    num_experts: Experts | None = None
    num_experts_per_tok: Experts | None = None
    moe_intermediate_size: Width | None = None
    num_shared_experts: Experts | None = None
    first_k_dense_replace: Annotated[int, Field(ge=0, le=10**5)] = 0
    n_group: Experts = 1
    topk_group: Experts = 1
    # Multi-head latent attention (DeepSeek).
    q_lora_rank: Width | None = None
    kv_lora_rank: Width | None = None
    qk_nope_head_dim: Width | None = None
    qk_rope_head_dim: Width | None = None
    v_head_dim: Width | None = None

    @property
    def query_size(self) -> int:
        """Width of all query heads together."""
        return self.num_attention_heads * self.head_dim

    @property
    def key_value_size(self) -> int:
        """Width of all key (or value) heads together."""
        return self.num_key_value_heads * self.head_dim
