"""The matrices of a model by the way in which devices divide them.

Source: Shoeybi et al. 2019 (arXiv:1909.08053), section 3 (matrices by columns and by rows); `parameters` for what there
is.
Leaves out: biases, which count as small weights.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from math import prod
from typing import Literal

from headway.planning.parameters import tensor_groups
from headway.recipe.model import ModelConfig

Split = Literal["outputs", "inputs", "none"]


@dataclass(frozen=True, kw_only=True)
class Matrix:
    """One kind of weight matrix of a layer.

    Attributes:
        name: last parts of the Hugging Face name.
        inputs: columns of the product.
        outputs: rows of the weight.
        split: what tensor parallelism divides: its outputs, its inputs, or nothing.
        layers: that have it.
        experts: copies in each of these layers; 1 for what every token passes.
    """

    name: str
    inputs: int
    outputs: int
    split: Split
    layers: int
    experts: int = 1

    @property
    def parameters(self) -> float:
        """Weights of one copy."""
        return float(self.inputs) * self.outputs


@dataclass(frozen=True, kw_only=True)
class Shape:
    """A model in the numbers that time and memory need.

    Attributes:
        layers: in all.
        hidden: width of the residual stream.
        heads: query heads.
        key_value_heads: of keys and values.
        key_width: channels of one head's query and key.
        value_width: channels of one head's value.
        vocabulary: tokens.
        dense: matrices that every token passes.
        routed: matrices of the experts among which a router chooses.
        experts: of a layer; 0 for a dense model.
        chosen_experts: that one token passes.
        sparse_layers: layers with experts.
        inner: width of the MLP that every token passes in dense layers.
        shared_inner: width of the shared experts.
        expert_inner: width of one routed expert.
        gated: whether the MLP has two inputs (SwiGLU).
        is_latent: multi-head latent attention.
        latent_width: of its compressed queries, keys and values.
        window: of sliding attention, or None.
        has_head_norms: whether queries and keys are normalised.
        has_positions: learned positions instead of rotary ones.
        layer_parameters: of all layers, experts aside.
        expert_parameters: of all routed experts.
        table_parameters: of the embedding.
        head_parameters: of an untied head.
        small_parameters: norms, biases and routers, which no device divides; part of `layer_parameters`.
    """

    layers: int
    hidden: int
    heads: int
    key_value_heads: int
    key_width: int
    value_width: int
    vocabulary: int
    dense: tuple[Matrix, ...]
    routed: tuple[Matrix, ...]
    experts: int
    chosen_experts: int
    sparse_layers: int
    inner: int
    shared_inner: int
    expert_inner: int
    gated: bool
    is_latent: bool
    latent_width: int
    window: int | None
    has_head_norms: bool
    has_positions: bool
    layer_parameters: float
    expert_parameters: float
    table_parameters: float
    head_parameters: float
    small_parameters: float

    @property
    def parameters(self) -> float:
        """All distinct weights."""
        return self.layer_parameters + self.expert_parameters + self.table_parameters + self.head_parameters

    @property
    def dense_layers(self) -> int:
        """Layers without experts."""
        return self.layers - self.sparse_layers

    @property
    def head_matrix_parameters(self) -> float:
        """Weights of the output projection, its own or the embedding's."""
        return float(self.vocabulary) * self.hidden


_BY_INPUTS = ("o_proj", "down_proj", "c_proj")
_WHOLE = ("q_a_proj", "kv_a_proj_with_mqa")


@dataclass(kw_only=True)
class _Weights:
    """The tensors of a model, sorted by what devices do with them; numbers of weights but for the matrices."""

    dense: list[Matrix] = field(default_factory=list)
    routed: list[Matrix] = field(default_factory=list)
    layers: float = 0.0
    experts: float = 0.0
    table: float = 0.0
    head: float = 0.0
    small: float = 0.0


def _weights(model: ModelConfig) -> _Weights:
    found, sparse_layers = _Weights(), _sparse_layers(model)
    for group in tensor_groups(model):
        name = group.name.removesuffix(".weight")
        if group.part == "embedding":
            found.table += group.parameters
        elif group.part == "head":
            found.head += group.parameters
        elif "experts.{expert}" in name:
            each = group.copies // max(sparse_layers, 1)
            found.routed.append(_matrix(name, group.shape, sparse_layers, each, model))
            found.experts += group.parameters
        else:
            found.layers += group.parameters
            if len(group.shape) == 2 and group.part != "router":
                found.dense.append(_matrix(name, group.shape, group.copies, 1, model))
            else:
                found.small += group.parameters
    return found


@lru_cache(maxsize=512)
def shape_of(model: ModelConfig) -> Shape:
    """Return the numbers of a model."""
    weights, sparse_layers = _weights(model), _sparse_layers(model)
    latent = model.kv_lora_rank is not None
    key = model.head_dim if not latent else (model.qk_nope_head_dim or model.head_dim) + (model.qk_rope_head_dim or 0)
    inner = model.moe_intermediate_size or model.intermediate_size
    return Shape(
        layers=model.num_hidden_layers,
        hidden=model.hidden_size,
        heads=model.num_attention_heads,
        key_value_heads=model.num_attention_heads if latent else model.num_key_value_heads,
        key_width=key,
        value_width=(model.v_head_dim or model.head_dim) if latent else model.head_dim,
        vocabulary=model.vocab_size,
        dense=tuple(weights.dense),
        routed=tuple(weights.routed),
        experts=model.num_experts or 0,
        chosen_experts=(model.num_experts_per_tok or 0) if model.num_experts else 0,
        sparse_layers=sparse_layers,
        inner=model.intermediate_size if sparse_layers < model.num_hidden_layers else 0,
        shared_inner=inner * (model.num_shared_experts or 0),
        expert_inner=inner if sparse_layers else 0,
        gated=model.architecture != "gpt2",
        is_latent=latent,
        latent_width=(model.q_lora_rank or 0) + (model.kv_lora_rank or 0) + (model.qk_rope_head_dim or 0),
        window=model.sliding_window,
        has_head_norms=model.qk_norm,
        has_positions=model.architecture == "gpt2",
        layer_parameters=weights.layers,
        expert_parameters=weights.experts,
        table_parameters=weights.table,
        head_parameters=weights.head,
        small_parameters=weights.small,
    )


def _sparse_layers(model: ModelConfig) -> int:
    if model.num_experts is None:
        return 0
    return model.num_hidden_layers - min(model.first_k_dense_replace, model.num_hidden_layers)


def _matrix(name: str, shape: tuple[int, ...], layers: int, experts: int, model: ModelConfig) -> Matrix:
    outputs, inputs = shape[::-1] if model.architecture == "gpt2" else shape
    assert prod(shape) == outputs * inputs
    return Matrix(
        name=name.rsplit("{layer}.", 1)[-1],
        inputs=inputs,
        outputs=outputs,
        split="none" if name.endswith(_WHOLE) else "inputs" if name.endswith(_BY_INPUTS) else "outputs",
        layers=layers,
        experts=experts,
    )
