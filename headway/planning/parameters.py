"""How many weights a model has: every kind of tensor, its shape, how often it occurs, and how often a token uses it.

This list is the single description of a model's shape: counts, FLOPs, memory and checkpoint sizes all follow from it.

Source: Hugging Face transformers, the ``modeling_*.py`` of each architecture; `tests/planning/test_parameters.py` holds
the counts of published models.
Leaves out: buffers that are not trained, such as rotary tables.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod
from typing import Literal

from headway.recipe.model import ModelConfig

Part = Literal["embedding", "attention", "mlp", "router", "norm", "head"]


@dataclass(frozen=True, kw_only=True)
class TensorGroup:
    """All tensors of one kind.

    Attributes:
        name: the Hugging Face name, with ``{layer}`` and ``{expert}`` where numbers stand.
        part: the part of the model that it belongs to.
        shape: of one tensor; a matrix is [outputs, inputs], except GPT-2's, which are stored the other way round.
        copies: how many such tensors the model has.
        active_copies: how many of them one token passes; fewer than ``copies`` for routed experts.
    """

    name: str
    part: Part
    shape: tuple[int, ...]
    copies: int = 1
    active_copies: int

    @property
    def parameters(self) -> int:
        """Weights of all copies."""
        return prod(self.shape) * self.copies

    @property
    def active_parameters(self) -> int:
        """Weights that one token passes."""
        return prod(self.shape) * self.active_copies


def tensor_groups(model: ModelConfig) -> tuple[TensorGroup, ...]:
    """Return every kind of tensor of a model; a tied head is not listed, since it has no weights of its own.

    Source: the modelling files of Hugging Face transformers for each architecture (names and shapes of state
    dictionaries). Leaves out: DeepSeek-V3's multi-token module, which its own reports count apart.
    """
    return tuple(_gpt2(model) if model.architecture == "gpt2" else _llama_like(model))


def weight_shapes(model: ModelConfig) -> dict[str, tuple[int, ...]]:
    """Return the shape of every tensor of a dense model of the Llama family, by its Hugging Face name.

    They come as a token meets them: the embedding, one layer after the other, the last norm and the head.
    """
    groups = tensor_groups(model)
    of_layers = [group for group in groups if "{layer}" in group.name]
    first, *last = [group for group in groups if "{layer}" not in group.name]
    found = {first.name: first.shape}
    for layer in range(model.num_hidden_layers):
        found |= {group.name.format(layer=layer): group.shape for group in of_layers}
    return found | {group.name: group.shape for group in last}


def count_parameters(model: ModelConfig) -> int:
    """Return all distinct weights; tied embeddings count once."""
    return sum(group.parameters for group in tensor_groups(model))


def count_active_parameters(model: ModelConfig) -> int:
    """Return the weights that one token passes: all of a dense model, the chosen experts' of a mixture."""
    return sum(group.active_parameters for group in tensor_groups(model))


def parameters_by_part(model: ModelConfig) -> dict[Part, int]:
    """Return the weights of each part of the model."""
    counts: dict[Part, int] = {}
    for group in tensor_groups(model):
        counts[group.part] = counts.get(group.part, 0) + group.parameters
    return counts


def _group(name: str, part: Part, shape: tuple[int, ...], copies: int, active: int | None = None) -> TensorGroup:
    return TensorGroup(
        name=name, part=part, shape=shape, copies=copies, active_copies=copies if active is None else active
    )


def _gpt2(model: ModelConfig) -> Iterator[TensorGroup]:
    hidden, inner, layers = model.hidden_size, model.intermediate_size, model.num_hidden_layers
    yield _group("transformer.wte.weight", "embedding", (model.vocab_size, hidden), 1)
    yield _group("transformer.wpe.weight", "embedding", (model.max_position_embeddings, hidden), 1)
    prefix = "transformer.h.{layer}."
    for norm in ("ln_1", "ln_2"):
        yield _group(f"{prefix}{norm}.weight", "norm", (hidden,), layers)
        yield _group(f"{prefix}{norm}.bias", "norm", (hidden,), layers)
    for name, part, inputs, outputs in (
        ("attn.c_attn", "attention", hidden, model.query_size + 2 * model.key_value_size),
        ("attn.c_proj", "attention", model.query_size, hidden),
        ("mlp.c_fc", "mlp", hidden, inner),
        ("mlp.c_proj", "mlp", inner, hidden),
    ):
        yield _group(f"{prefix}{name}.weight", part, (inputs, outputs), layers)  # type: ignore[arg-type]
        yield _group(f"{prefix}{name}.bias", part, (outputs,), layers)  # type: ignore[arg-type]
    yield _group("transformer.ln_f.weight", "norm", (hidden,), 1)
    yield _group("transformer.ln_f.bias", "norm", (hidden,), 1)
    if not model.tie_word_embeddings:
        yield _group("lm_head.weight", "head", (model.vocab_size, hidden), 1)


def _llama_like(model: ModelConfig) -> Iterator[TensorGroup]:
    hidden, layers = model.hidden_size, model.num_hidden_layers
    yield _group("model.embed_tokens.weight", "embedding", (model.vocab_size, hidden), 1)
    yield from _latent_attention(model) if model.kv_lora_rank is not None else _attention(model)
    yield from _feed_forward(model)
    for norm in ("input_layernorm", "post_attention_layernorm"):
        yield _group("model.layers.{layer}." + norm + ".weight", "norm", (hidden,), layers)
    yield _group("model.norm.weight", "norm", (hidden,), 1)
    if not model.tie_word_embeddings:
        yield _group("lm_head.weight", "head", (model.vocab_size, hidden), 1)


def _attention(model: ModelConfig) -> Iterator[TensorGroup]:
    hidden, layers = model.hidden_size, model.num_hidden_layers
    prefix = "model.layers.{layer}.self_attn."
    for name, outputs in (("q", model.query_size), ("k", model.key_value_size), ("v", model.key_value_size)):
        yield _group(f"{prefix}{name}_proj.weight", "attention", (outputs, hidden), layers)
        if model.attention_bias:
            yield _group(f"{prefix}{name}_proj.bias", "attention", (outputs,), layers)
    yield _group(f"{prefix}o_proj.weight", "attention", (hidden, model.query_size), layers)
    if model.attention_output_bias:
        yield _group(f"{prefix}o_proj.bias", "attention", (hidden,), layers)
    if model.qk_norm:
        yield _group(f"{prefix}q_norm.weight", "norm", (model.head_dim,), layers)
        yield _group(f"{prefix}k_norm.weight", "norm", (model.head_dim,), layers)


def _latent_attention(model: ModelConfig) -> Iterator[TensorGroup]:
    """Multi-head latent attention. Source: DeepSeek-V2 (arXiv:2405.04434), section 2.1."""
    hidden, layers, heads = model.hidden_size, model.num_hidden_layers, model.num_attention_heads
    rank, rotary = model.kv_lora_rank or 0, model.qk_rope_head_dim or 0
    plain, value = model.qk_nope_head_dim or model.head_dim, model.v_head_dim or model.head_dim
    prefix = "model.layers.{layer}.self_attn."
    query_size = heads * (plain + rotary)
    if model.q_lora_rank is None:
        yield _group(f"{prefix}q_proj.weight", "attention", (query_size, hidden), layers)
    else:
        yield _group(f"{prefix}q_a_proj.weight", "attention", (model.q_lora_rank, hidden), layers)
        yield _group(f"{prefix}q_a_layernorm.weight", "norm", (model.q_lora_rank,), layers)
        yield _group(f"{prefix}q_b_proj.weight", "attention", (query_size, model.q_lora_rank), layers)
    yield _group(f"{prefix}kv_a_proj_with_mqa.weight", "attention", (rank + rotary, hidden), layers)
    yield _group(f"{prefix}kv_a_layernorm.weight", "norm", (rank,), layers)
    yield _group(f"{prefix}kv_b_proj.weight", "attention", (heads * (plain + value), rank), layers)
    yield _group(f"{prefix}o_proj.weight", "attention", (hidden, heads * value), layers)


def _feed_forward(model: ModelConfig) -> Iterator[TensorGroup]:
    layers = model.num_hidden_layers
    if model.num_experts is None:
        yield from _gated(model, "mlp.", model.intermediate_size, layers, layers)
        return
    dense = min(model.first_k_dense_replace, layers)
    sparse = layers - dense
    if dense:
        yield from _gated(model, "mlp.", model.intermediate_size, dense, dense)
    inner = model.moe_intermediate_size or model.intermediate_size
    active = sparse * (model.num_experts_per_tok or 0)
    yield from _gated(model, "mlp.experts.{expert}.", inner, sparse * model.num_experts, active)
    if model.num_shared_experts:
        yield from _gated(model, "mlp.shared_experts.", inner * model.num_shared_experts, sparse, sparse)
    yield _group("model.layers.{layer}.mlp.gate.weight", "router", (model.num_experts, model.hidden_size), sparse)
    if model.architecture == "deepseek_v3":
        # The bias that balances the experts without a loss; it is no parameter of the optimizer, but it is stored.
        name = "model.layers.{layer}.mlp.gate.e_score_correction_bias"
        yield _group(name, "router", (model.num_experts,), sparse)


def _gated(model: ModelConfig, where: str, inner: int, copies: int, active: int) -> Iterator[TensorGroup]:
    hidden = model.hidden_size
    for name, shape in (("gate", (inner, hidden)), ("up", (inner, hidden)), ("down", (hidden, inner))):
        full = "model.layers.{layer}." + where + name + "_proj"
        yield _group(f"{full}.weight", "mlp", shape, copies, active)
        if model.mlp_bias:
            yield _group(f"{full}.bias", "mlp", shape[:1], copies, active)
