"""What the forward pass keeps for the backward pass, and what lives only for a moment.

The counts mirror ``headway/training/engines/torch``: a norm keeps its input and one fp32 number a row, a projection its
input, attention its queries, keys, values, result and one fp32 number a row and head, SwiGLU its two inputs.
Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4, for the method; the kernels named above for the terms.
Leaves out: rotary angles, token ids and masks, which are small; and copies that a framework makes on its own.
"""

from __future__ import annotations

from math import prod

from headway.planning.adapters import projections
from headway.planning.operations import FP32_BYTES, VALUE_BYTES, Workload
from headway.planning.parameters import tensor_groups
from headway.recipe.model import ModelConfig

HEAD_CHUNK_TOKENS = 512
"""Rows whose logits exist at one time; ``kernels.CROSS_ENTROPY_CHUNK_TOKENS``, and a test compares the two."""


def kept_elements_per_token(work: Workload) -> tuple[int, int]:
    """Return what one token leaves in all layers: elements in the activations' dtype, and fp32 numbers.

    With recomputation, a layer keeps its input; where it is selective, also what products and attention return.
    """
    model = work.model
    layers, hidden, width = model.num_hidden_layers, model.hidden_size, model.query_size
    if work.recompute == "full":
        return layers * hidden, 0
    if work.recompute == "none":
        return _all_elements(work)
    # Of the products q k v o, gate up down: all, or every second.
    inner = _mlp_width(model)
    products = width + 2 * model.key_value_size + 2 * hidden + 2 * inner
    if work.recompute == "products":
        products = model.key_value_size + hidden + inner
    return layers * (hidden + products + width), layers * model.num_attention_heads


def _all_elements(work: Workload) -> tuple[int, int]:
    model = work.model
    layers, hidden = model.num_hidden_layers, model.hidden_size
    plain, single = _attention_elements(model)
    # Both norms keep their input (the residual stream) and give a result that the projections keep.
    plain += 4 * hidden
    single += 2
    elements = layers * plain + _mlp_elements(model)
    if work.adapters is not None:
        elements += sum(work.adapters.rank * group.active_copies for group in work.adapters.groups(model))
        if work.adapters.targets != "all":
            # Frozen products need no input: not the MLP's, nor its last product's.
            elements -= layers * (hidden + _mlp_width(model))
    return elements, layers * single


def _attention_elements(model: ModelConfig) -> tuple[int, int]:
    heads = model.num_attention_heads
    if model.kv_lora_rank is None:
        inputs = model.query_size + 2 * model.key_value_size
        norms = (model.query_size + model.key_value_size) if model.qk_norm else 0
        return inputs + model.query_size + norms, heads + (heads + model.num_key_value_heads if norms else 0)
    key_dim = (model.qk_nope_head_dim or model.head_dim) + (model.qk_rope_head_dim or 0)
    value_dim = model.v_head_dim or model.head_dim
    latents = 2 * ((model.q_lora_rank or 0) + model.kv_lora_rank)
    return latents + heads * (2 * key_dim + 2 * value_dim), heads + 2


def _mlp_elements(model: ModelConfig) -> int:
    """Return the elements that the MLPs of all layers keep: both inputs of the gate and the input of the last product.

    A routed expert also keeps its own copy of its tokens.
    """
    elements = 0
    for group in tensor_groups(model):
        name = group.name.removesuffix(".weight")
        if len(group.shape) != 2 or group.part != "mlp":
            continue
        if name.endswith("up_proj"):
            elements += 3 * group.shape[0] * group.active_copies
            elements += group.shape[1] * group.active_copies if "experts.{expert}" in name else 0
        elif name.endswith("c_fc"):
            elements += 2 * group.shape[1] * group.active_copies
    return elements


def kept_bytes(work: Workload) -> float:
    """Return what one micro-batch keeps of all layers."""
    plain, single = kept_elements_per_token(work)
    last_norm = work.model.hidden_size
    return float(work.tokens * ((plain + last_norm) * VALUE_BYTES[work.dtype] + (single + 1) * FP32_BYTES))


def mask_bytes(work: Workload, *, within_documents: bool) -> float:
    """Return what attention masks take: each layer turns the boolean mask into one of its own dtype and keeps it."""
    window = work.model.sliding_window
    needs_window = window is not None and window < work.sequence_length
    if not within_documents and not needs_window:
        return 0.0
    squares = work.sequences if within_documents else 1
    per_layer = VALUE_BYTES[work.dtype] * work.model.num_hidden_layers
    return float(squares * work.sequence_length**2 * (1 + per_layer))


def weight_copy_parameters(model: ModelConfig) -> int:
    """Return the weights of which autograd keeps a rounded copy for the backward pass, where precision is not fp32."""
    return sum(
        group.parameters for group in tensor_groups(model) if len(group.shape) == 2 and group.part in _ROUNDED_PARTS
    )


_ROUNDED_PARTS = ("attention", "mlp", "router")


def head_bytes(work: Workload) -> float:
    """Return what the output projection and the loss hold at their peak, gradients of the hidden states included."""
    value_bytes = VALUE_BYTES[work.dtype]
    hidden, vocabulary = work.model.hidden_size, work.model.vocab_size
    rows = min(work.tokens, HEAD_CHUNK_TOKENS)
    chunks = -(-work.tokens // HEAD_CHUNK_TOKENS)
    logits, weight = float(rows * vocabulary), float(vocabulary * hidden)
    rounded = 0.0 if work.dtype == "fp32" else value_bytes * weight
    gradients = work.tokens * hidden * 2.0 * value_bytes
    if work.adapters is None:
        gradients += FP32_BYTES * weight + rounded
    # The last chunk's arrays are dropped only when the next chunk's replace them.
    one_chunk = logits * 2 * FP32_BYTES
    replaced = logits * 3 * FP32_BYTES if chunks > 1 else one_chunk
    return gradients + max(replaced, one_chunk + value_bytes * weight)


def backward_transient_bytes(work: Workload) -> float:
    """Return what the backward pass of the last layer holds beside what was kept, at its peak: in its MLP."""
    value_bytes = VALUE_BYTES[work.dtype]
    mlp = 4.0 * _mlp_width(work.model) * value_bytes + 2 * work.model.hidden_size * value_bytes
    norm = work.model.hidden_size * (2 * value_bytes + 3 * FP32_BYTES)
    head_gradient = FP32_BYTES * work.model.vocab_size * work.model.hidden_size if work.adapters is None else 0
    expanded = 0.0
    if work.adapters is not None and work.adapters.packed:
        # One projection at a time is expanded from 4 bits.
        expanded = float(value_bytes * max(prod(group.shape) for group in projections(work.model)))
    return expanded + work.tokens * (max(mlp, norm) + _repeated_elements(work) * value_bytes) + head_gradient


def _repeated_elements(work: Workload) -> float:
    """Return what a token leaves in the one layer whose forward pass was just repeated, beside what was kept of it."""
    if work.recompute == "none":
        return 0.0
    whole, kept = _all_elements(work)[0], kept_elements_per_token(work)[0]
    return (whole - kept) / max(work.model.num_hidden_layers, 1)


def _mlp_width(model: ModelConfig) -> int:
    return max(
        (group.shape[0] for group in tensor_groups(model) if group.name.endswith("up_proj.weight")),
        default=model.intermediate_size,
    )
