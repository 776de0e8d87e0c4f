"""What the layers and the loss of one micro-batch hold for the backward pass, under each layout.

Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4 (activations by operation, tensor and sequence
parallelism, recomputation); `keeping` for what differs between programs.
Leaves out: rotary tables, masks of documents, and the router's indices.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layouts import FULL, RECOMPUTE, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED, FP32_BYTES, PRODUCT_BYTES

LOGIT_BYTES = {"whole": 14.0, "sharded": 7.0, "chunked": 14.0, "rounded": 8.0, "compiled": 4.0}
"""Of one logit at the peak: the rounded one, fp32 copies, their logarithms and their gradients. Where the vocabulary is
divided, the exponentials take the place of the copy, and one byte says which labels are a device's own. Without fp32:
the logit, its shifted copy, its logarithm and its gradient, of 2 bytes each; compiled: the logit and its gradient.

Source: ``ForCausalLMLoss`` of transformers (logits, shifted, logarithms: 3 fp32 arrays beside the rounded one);
``vocab_parallel_cross_entropy`` of Megatron-LM; ``chunked_cross_entropy`` of litgpt; ``build_cross_entropy_loss`` of
torchtitan under TorchInductor, which fuses what is between into the kernels that read and write."""

PRODUCTS = RECOMPUTE.index("products")

LOSS_CHUNKS = 8.0
"""Pieces in which a chunked loss computes its logits. Source: torchtune, ``CEWithChunkedOutputLoss``."""


def full_bytes_per_layer(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what one layer keeps of a micro-batch where nothing is recomputed, averaged over the layers.

    For GPT kernels with dropout and unfused attention that is s b h (10 + 24 / t) + 5 a s^2 b / t bytes (Korthikanti
    et al. 2022, equation 2), and s b h (34 / t) + 5 a s^2 b / t where sequences are divided too (equation 4).
    """
    value = job.numerics.value_bytes
    stream, gathered, inside, keys = _elements(job, _input_share(job))
    whole = _stream_degree(split)
    gathered_degree = np.ones_like(whole) if job.keeps.gathers_inputs else whole
    turned = job.keeps.turned_results * job.shape.heads * job.shape.value_width * (split.micro_batch > 1)
    divided = (inside + turned) / split.tensor + keys / _key_degree(job, split)
    kept = tokens * (stream / whole + gathered / gathered_degree + divided) * value
    full: Floats = kept + _scores_bytes(job, split, tokens)
    return full


def kept_bytes_per_layer(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what one layer keeps of a micro-batch under each layout's recomputation, averaged over the layers."""
    return layer_bytes(job, split, tokens)[1]


def layer_bytes(job: Job, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    """Return what one layer keeps of a micro-batch without recomputation, and with it."""
    shape, value = job.shape, job.numerics.value_bytes
    everything = full_bytes_per_layer(job, split, tokens)
    if not np.any(split.recompute):
        return everything, everything
    only_input = tokens * shape.hidden * value / _stream_degree(split)
    inner = tokens * inner_width(job) * value / split.tensor
    # Selective: the scores where they exist, else the results of norms and of activation functions.
    if job.attention == "unfused":
        selective = everything - _scores_bytes(job, split, tokens)
    else:
        light = inner + tokens * (2 * shape.hidden * value) / split.tensor
        selective = np.maximum(everything - light, only_input)
    queries, keys = shape.heads * shape.key_width, shape.key_value_heads * shape.key_width
    attention = 2 * queries / split.tensor + 2 * keys / _key_degree(job, split)
    # It makes again whatever the selective level does, and half of the products besides.
    products = np.minimum(only_input + tokens * attention * value + inner, selective)
    level = split.recompute
    chosen = np.where(level == PRODUCTS, products, np.where(level == FULL, only_input, selective))
    chosen = np.where(level == 0, everything, np.minimum(chosen, everything))
    kept: Floats = split.recompute_share * chosen + (1 - split.recompute_share) * everything
    return everything, kept


def inner_width(job: Job) -> float:
    """Return the width of what one token passes in the MLP, averaged over the layers."""
    shape = job.shape
    sparse = shape.sparse_layers * (shape.shared_inner + shape.chosen_experts * shape.expert_inner)
    return (shape.dense_layers * shape.inner + sparse) / shape.layers


def output_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what a stage sends to the next for one micro-batch."""
    sent: Floats = tokens * job.shape.hidden * job.numerics.value_bytes / _stream_degree(split)
    return sent


def transient_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what the backward pass of one layer holds for a moment: gradients of its widest arrays."""
    shape, value = job.shape, job.numerics.value_bytes
    inner = max(inner_width(job), float(shape.inner))
    widest = (2.0 if shape.gated else 1.0) * inner + shape.hidden
    expanded = 0.0
    if job.adapter is not None and job.adapter.expands:
        # Of a quantised weight, the product needs the rounded values.
        expanded = max(matrix.parameters for matrix in (*shape.dense, *shape.routed)) * value
    scores = np.zeros_like(tokens)
    if job.attention == "unfused":
        scores = 2 * tokens * (job.document_length or job.sequence_length) * shape.heads / split.tensor * value
    arrays = np.maximum(tokens * widest * value / split.tensor + tokens * shape.hidden * value, scores)
    return arrays + expanded / split.tensor


def logits_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return the logits of a micro-batch with the copies that the loss makes of them."""
    rows = tokens
    if job.loss == "chunked":
        chunk = job.keeps.chunk_tokens
        rows = tokens / LOSS_CHUNKS if chunk is None else np.minimum(tokens, chunk)
    held: Floats = rows * job.shape.vocabulary / split.tensor * LOGIT_BYTES[job.loss]
    return held


def _stream_degree(split: Layouts) -> Floats:
    """Return among how many devices what lies between products is divided."""
    return np.where(split.sequence_parallel > 0, split.tensor, 1.0)


def _key_degree(job: Job, split: Layouts) -> Floats:
    """Return among how many devices keys and values are divided: whole heads, so that beyond these they are copied.

    Source: Megatron-LM, ``transformer/attention.py``, ``num_query_groups_per_partition``; so does torchtitan.
    """
    heads = job.shape.heads if job.keeps.repeats_keys else job.shape.key_value_heads
    return np.minimum(split.tensor, float(heads))


def _input_share(job: Job) -> float:
    """Return how wide a kept input of a product is, of a 16-bit element."""
    if job.numerics.product in BLOCK_SCALED and job.keeps.rounds_once and job.adapter is None:
        return PRODUCT_BYTES[job.numerics.product] / job.numerics.value_bytes
    return 1.0


def _elements(job: Job, input_share: float) -> tuple[float, float, float, float]:
    """Return the elements of one token that a layer keeps: of the stream, inputs of products, inside products, and of
    keys and values.

    A norm keeps its input, and its result as the next product's input; attention keeps queries, keys, values and its
    result; the MLP what `keeping` says.

    Args:
        job: what is trained.
        input_share: width of a kept input of a product, of a 16-bit element.
    """
    shape, keeps, adapter = job.shape, job.keeps, job.adapter
    attention_input, mlp_input, product_input = _needed_inputs(job, adapter)
    inputs, products = (keeps.norm_inputs, keeps.norm_products) if shape.gated else (1.0, 0.0)
    if adapter is not None:
        # The gradient of a frozen weight is never computed.
        products = 0.0
    stream = 2 * (inputs + products) * shape.hidden
    gathered = (attention_input + mlp_input) * keeps.norm_results * input_share * shape.hidden
    if shape.is_latent:
        stream += 2 * shape.latent_width
    if job.dropout:
        # Two masks of one byte.
        stream += 2.0 / job.numerics.value_bytes * shape.hidden
    key_value_heads = shape.heads if keeps.repeats_keys else shape.key_value_heads
    both = shape.key_width + shape.value_width
    inside, keys = float(shape.heads * both), float(key_value_heads * both)
    # Queries, and keys, once more.
    again = keeps.holds_joint_projection + shape.has_head_norms * (inputs + products)
    inside += again * shape.heads * shape.key_width
    keys += again * shape.key_value_heads * shape.key_width
    if shape.gated:
        inside += inner_width(job) * (keeps.gated_inputs + product_input * keeps.gated_results * input_share)
    else:
        inside += inner_width(job) * (1.0 + product_input * input_share)
    if shape.experts:
        # Tokens as they were sent to their experts and sorted by them, and what these return before it is weighed.
        inside += 3.0 * shape.hidden * shape.chosen_experts * shape.sparse_layers / shape.layers
    if input_share < 1.0:
        # The result of attention is kept as it is for attention, and rounded for the product after it.
        inside += shape.heads * shape.value_width * input_share
    if job.attention != "unfused":
        inside += shape.heads * FP32_BYTES / job.numerics.value_bytes
    return stream, gathered, inside, keys


def _needed_inputs(job: Job, adapter: Adapter | None) -> tuple[float, float, float]:
    """Return which inputs are kept (1 or 0): of attention's projections, of the MLP's first, and of its last product.

    A frozen weight has no gradient, so that its product's input is kept for an adapter's sake only.
    """
    if adapter is None or job.keeps.keeps_frozen_inputs or adapter.targets == "all":
        return 1.0, 1.0, 1.0
    return 1.0, 0.0, 0.0


def _scores_bytes(job: Job, split: Layouts, tokens: Floats) -> Floats:
    """Return what unfused attention keeps of the scores: their softmax, and with dropout its mask and its result."""
    if job.attention != "unfused":
        return np.zeros_like(tokens)
    value = job.numerics.value_bytes
    each = 2 * value + 1 if job.dropout else job.keeps.score_bytes or value
    rows = job.document_length or job.sequence_length
    scores: Floats = tokens * rows * job.shape.heads / split.tensor * each
    return scores
