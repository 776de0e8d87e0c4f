"""What one micro-batch takes on one device, were it to hold all layers: forward, backward and again, by part.

Everything is an array over layouts. Stages of a pipeline take their share of these times in ``step.py``.
Source: the operations of a Llama, a GPT-2 and their mixtures of experts as ``planning/operations.py`` lists them for
Headway's own engine; Korthikanti et al. 2022 (arXiv:2205.05198), sections 3 and 4 (tensor and sequence parallelism).
Leaves out: rotary tables, masks, and the router's sorting.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from headway.planning.adapters import is_target
from headway.planning.analytic import kernels
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layouts import FULL, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED, FP32_BYTES
from headway.planning.analytic.shape import Matrix
from headway.planning.flops import attended_keys
from headway.planning.operations import ATTENTION_BACKWARD_FACTOR, EAGER, FUSED, Traffic

LAYER_NORM = (Traffic(plain=2), Traffic(plain=4))
"""PyTorch has one kernel for it, compiled or not."""
GELU = (Traffic(plain=2), Traffic(plain=3))
"""The same."""
SCORES = (Traffic(plain=4, launches=3), Traffic(plain=7, launches=4))
"""Scaling, masking and softmax of unfused attention, and the gradient: passes over the scores."""
DROPOUT = (Traffic(plain=2.5), Traffic(plain=2.5))
LOGITS = {
    "whole": Traffic(plain=1, fp32=7, casts=1, launches=8),
    "sharded": Traffic(plain=1, fp32=5, casts=1, launches=6),
    "chunked": Traffic(plain=1, fp32=5, casts=1, launches=8),
    "rounded": Traffic(plain=6, launches=6),
    "compiled": Traffic(plain=4, launches=3),
}
"""Passes over the logits, forward and backward together. Whole: the cast, the shifted copy (2), the logarithms (2),
their gradient (2), the copy of it (1), and the cast back. Sharded and chunked make no shifted copies. Rounded: the same
in 16 bits. Compiled: the largest and the sum in one pass each, the gradient read and written.

Source: counted from the code that `activations.LOGIT_BYTES` names."""
ROUNDING = {"int8": 4.0, "fp8": 4.0, "mxfp8": 6.0, "nvfp4": 7.0}
"""Bytes moved to scale and round one element: 2 read, and 1 written by rows and by columns. Blocks are scaled by rows
and by columns apart, so that mxfp8 reads twice; nvfp4 also writes and reads what it has transformed for one of the two,
and writes half bytes.

Source: Transformer Engine, ``common/cast``; for nvfp4, NVIDIA 2025 (arXiv:2509.25149), section 4."""

HOST_OPERATIONS = {"eager": (80.0, 120.0), "fused": (20.0, 32.0)}
"""Operations that the host starts for one layer, forward and backward.

Counted roughly on a Llama layer in PyTorch: eagerly under autocast, 32 kernels of `operations.EAGER` and its products,
14 casts of weights and results, and some 34 views, which start nothing but take as long; fused, 8 products and kernels
with 12 views. The backward pass has half as many again."""

ADAPTER_OPERATIONS = (6.0, 10.0)
"""The same for each projection with an adapter: a cast, dropout, two products, the scale and the sum; the gradients of
these, of which each product has two, and what joins those of the input.

Source: counted from huggingface/peft, ``tuners/lora/layer.py``, ``Linear.forward``."""


@dataclass(kw_only=True)
class PassTimes:
    """Seconds of one micro-batch, arrays of shape [layouts].

    Attributes:
        forward: of all layers, by part.
        backward: of all layers, by part.
        again: what recomputation adds for all layers.
        head_forward: of the output projection and the loss.
        head_backward: the same, backward.
        host_forward: that the host needs to start the operations of all layers.
        host_backward: the same, backward.
    """

    forward: dict[str, Floats] = field(default_factory=dict)
    backward: dict[str, Floats] = field(default_factory=dict)
    again: Floats
    head_forward: Floats
    head_backward: Floats
    host_forward: Floats
    host_backward: Floats

    def take(self, indices: Any) -> PassTimes:
        """Return the times of some of the layouts."""
        return PassTimes(
            forward={name: values[indices] for name, values in self.forward.items()},
            backward={name: values[indices] for name, values in self.backward.items()},
            again=self.again[indices],
            head_forward=self.head_forward[indices],
            head_backward=self.head_backward[indices],
            host_forward=self.host_forward[indices],
            host_backward=self.host_backward[indices],
        )

    @property
    def layers_forward(self) -> Floats:
        """All parts of the layers' forward pass."""
        return np.asarray(sum(self.forward.values()))

    @property
    def layers_backward(self) -> Floats:
        """All parts of the layers' backward pass, recomputation included."""
        return np.asarray(sum(self.backward.values())) + self.again


def tokens_of(job: Job, split: Layouts) -> Floats:
    """Return the tokens of one micro-batch that one device holds."""
    tokens: Floats = split.micro_batch * job.sequence_length / split.context
    return tokens


def pass_times(job: Job, hardware: Hardware, split: Layouts) -> PassTimes:
    """Return the times of one micro-batch."""
    tokens = tokens_of(job, split)
    linear = _linear(job, hardware, split, tokens)
    attention = _attention(job, hardware, split, tokens)
    elementwise = _elementwise(job, hardware, split, tokens)
    rounding = _rounding(job, hardware, split, tokens)
    head = _head(job, hardware, split, tokens)
    # The host must know how many tokens each expert has before it can go on, and the device waits for it; a captured
    # graph has room for any number of them.
    stall_seconds = 0.0 if job.captures_graphs else hardware.losses.dispatch_stall_seconds
    stall = np.full_like(tokens, 0.5 * stall_seconds * job.shape.sparse_layers)
    forward = {
        "projections": linear[0],
        "attention": attention[0],
        "elementwise": elementwise[0],
        "rounding": rounding[0],
        "dispatch": stall,
    }
    backward = {
        "projections": linear[1],
        "attention": attention[1],
        "elementwise": elementwise[1],
        "rounding": rounding[1],
        "dispatch": stall,
    }
    host = _host(job, hardware, split)
    return PassTimes(
        forward=forward,
        backward=backward,
        again=_again(job, split, forward),
        head_forward=head[0],
        head_backward=head[1],
        host_forward=host[0],
        host_backward=host[1],
    )


EXPERTS_AT_A_TIME = 4.0
"""Products of experts run in so many streams. Source: NVIDIA TransformerEngine, GroupedLinear."""

EXPERT_OPERATIONS = (6.0, 12.0)
"""Operations that the host starts for each expert of a device: three products, and the rounding of their inputs; twice
as many backward, where each product has two gradients.

Source: counted from Transformer Engine, ``GroupedLinear``."""


def _host(job: Job, hardware: Hardware, split: Layouts) -> tuple[Floats, Floats]:
    """Return the host's time to start the operations of all layers, forward and backward."""
    if job.captures_graphs:
        return np.zeros_like(split.tensor), np.zeros_like(split.tensor)
    factor = hardware.losses.expert_host_factor if job.shape.experts else 1.0
    local = job.shape.experts / split.expert * job.shape.sparse_layers
    adapted = 0.0
    if job.adapter is not None:
        adapted = sum(has_adapter(job.adapter, matrix) * matrix.layers for matrix in job.shape.dense)
    forward, backward = (
        hardware.efficiency.host_seconds * (factor * job.shape.layers * count + adapted * extra + local * each)
        for count, extra, each in zip(HOST_OPERATIONS[job.kernels], ADAPTER_OPERATIONS, EXPERT_OPERATIONS, strict=True)
    )
    return forward, backward


def _again(job: Job, split: Layouts, forward: dict[str, Floats]) -> Floats:
    """Return the time of what is computed again in the backward pass."""
    level = split.recompute.astype(np.intp)
    is_fused = job.attention != "unfused"
    products = np.asarray([0.0, 0.0, 0.5, 1.0])[level]
    scores = np.asarray([0.0, 0.0 if is_fused else 1.0, 0.0 if is_fused else 1.0, 1.0])[level]
    light = np.asarray([0.0, 1.0 if is_fused else 0.0, 1.0, 1.0])[level]
    again: Floats = split.recompute_share * (
        products * (forward["projections"] + forward["rounding"])
        + scores * forward["attention"]
        + light * forward["elementwise"]
        + (level == FULL) * forward["dispatch"]
    )
    return again


def _linear(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    forward, backward = np.zeros_like(tokens), np.zeros_like(tokens)
    for matrix in (*job.shape.dense, *job.shape.routed):
        rows, inputs, outputs, copies = local_product(job, split, matrix, tokens)
        # Few experts' products run at a time, so that many small ones leave cores idle.
        together = np.minimum(copies, EXPERTS_AT_A_TIME)
        first, second = _one_linear(job, hardware, matrix, rows, inputs, outputs, together)
        forward += matrix.layers * copies / together * first
        backward += matrix.layers * copies / together * second
    return forward, backward


def local_product(
    job: Job, split: Layouts, matrix: Matrix, tokens: Floats
) -> tuple[Floats, Floats, Floats, Floats | float]:
    """Return rows, inputs, outputs and copies of a matrix's product on one device."""
    if matrix.experts == 1:
        degree, rows = split.tensor, tokens
        copies: Floats | float = 1.0
    else:
        # Each device receives, for its experts, what it sends: tokens times the experts that each chooses.
        degree = split.expert_tensor
        copies = matrix.experts / split.expert
        rows = tokens * job.shape.chosen_experts / copies * (split.expert_tensor / split.tensor)
    ones = np.ones_like(tokens)
    if matrix.name.endswith(("k_proj", "v_proj")):
        degree = np.minimum(degree, job.shape.key_value_heads)
    inputs = matrix.inputs / degree if matrix.split == "inputs" else matrix.inputs * ones
    outputs = matrix.outputs / degree if matrix.split == "outputs" else matrix.outputs * ones
    return rows, inputs, outputs, copies


def local_key_value_heads(job: Job, split: Layouts) -> Floats:
    """Return the key and value heads of one device: a tensor group that is larger than their number holds copies.

    Source: NVIDIA Megatron-LM, attention.py (at least one query group on each device).
    """
    return np.maximum(job.shape.key_value_heads / split.tensor, 1.0)


def _one_linear(
    job: Job,
    hardware: Hardware,
    matrix: Matrix,
    rows: Floats,
    inputs: Floats,
    outputs: Floats,
    copies: Floats | float,
) -> tuple[Floats, Floats]:
    product, adapter = job.numerics.product, job.adapter
    value = job.numerics.value_bytes
    first = kernels.product_seconds(hardware, product, rows, inputs, outputs, copies=copies, result_bytes=value)
    by_input = kernels.product_seconds(hardware, product, rows, outputs, inputs, copies=copies, result_bytes=value)
    if adapter is None:
        # Fused kernels add to the gradient as they write it.
        gradient_bytes = job.numerics.gradient_bytes * (2.0 if job.kernels == "fused" else 1.0)
        by_weight = kernels.product_seconds(
            hardware, product, inputs, rows, outputs, copies=copies, result_bytes=gradient_bytes
        )
        return first, by_input + by_weight
    if adapter.expands:
        expanded = inputs * outputs * copies * (adapter.base_bytes + value)
        expand = kernels.traffic_seconds(hardware, expanded / hardware.losses.expansion_efficiency)
        first, by_input = first + expand, by_input + expand
    if not has_adapter(adapter, matrix):
        return first, by_input
    rank = float(adapter.rank)
    small = "bf16" if product in BLOCK_SCALED else product
    down = kernels.product_seconds(hardware, small, rows, inputs, rank, copies=copies)
    up = kernels.product_seconds(hardware, small, rows, rank, outputs, copies=copies)
    join = kernels.traffic_seconds(hardware, (2 * inputs + 3 * outputs) * rows * copies * value, kernels=3)
    return first + down + up + join, by_input + 2 * (down + up) + join


def has_adapter(adapter: Adapter, matrix: Matrix) -> bool:
    """Return whether a matrix is one of the adapter's targets."""
    return is_target(adapter.targets, matrix.name)


def attention_product(job: Job) -> str:
    """Return the format of attention's products, which are in 16 bits where those of weights are in 8 or 4."""
    return "bf16" if job.numerics.product in BLOCK_SCALED else job.numerics.product


def _attention(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    shape = job.shape
    length = job.document_length or job.sequence_length
    heads = shape.heads / split.tensor
    width = (shape.key_width + shape.value_width) / 2
    product = attention_product(job)
    if job.attention != "unfused":
        # Passed around in a ring, keys and values meet the queries in blocks of half a device's share.
        block = np.where(split.context > 1, length / (2 * split.context), float(length))
        tuned = job.attention == "tuned"
        keys = attended_keys(job.model, length, causal=job.is_causal)
        flops = 4.0 * tokens * heads * width * keys * shape.layers
        forward = kernels.attention_seconds(
            hardware, product, flops, tokens=block, width=width, backward=False, tuned=tuned
        )
        backward = kernels.attention_seconds(
            hardware, product, ATTENTION_BACKWARD_FACTOR * flops, tokens=block, width=width, backward=True, tuned=tuned
        )
        return forward, backward
    rows = np.full_like(tokens, length) / split.context
    batch = tokens / rows * heads
    scores = kernels.product_seconds(hardware, product, rows, width, length, copies=batch)
    values = kernels.product_seconds(hardware, product, rows, length, width, copies=batch)
    elements = batch * rows * length
    value = "fp32" if job.numerics.value_bytes == FP32_BYTES else "bf16"
    traffics = [SCORES, DROPOUT] if job.dropout else [SCORES]
    passes = [
        sum(
            kernels.traffic_seconds(hardware, elements * pair[index].bytes_per_element(value), pair[index].launches)
            for pair in traffics
        )
        for index in (0, 1)
    ]
    return shape.layers * (scores + values + passes[0]), shape.layers * (2 * (scores + values) + passes[1])


def _elementwise(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    shape = job.shape
    value = "fp32" if job.numerics.value_bytes == FP32_BYTES else "bf16"
    table = FUSED if job.kernels == "fused" else EAGER
    norm = LAYER_NORM if not shape.gated else table["norm"]
    # Residual additions are kernels of their own. A compiler that folds them into the norms saves one pass of five.
    residual = Traffic(plain=3)
    outside = tokens / np.where(split.sequence_parallel > 0, split.tensor, 1.0) * shape.hidden
    heads = tokens * (shape.heads / split.tensor + local_key_value_heads(job, split)) * shape.key_width
    results = []
    for index in (0, 1):
        moved = 2 * outside * (norm[index].bytes_per_element(value) + residual.bytes_per_element(value))
        count = 2.0 * (norm[index].launches + residual.launches)
        if job.dropout:
            moved = moved + 2 * outside * DROPOUT[index].bytes_per_element(value)
            count += 2
        if not shape.has_positions:
            moved = moved + heads * table["rotary"][index].bytes_per_element(value)
            count += table["rotary"][index].launches
        if shape.has_head_norms:
            moved = moved + heads * table["norm"][index].bytes_per_element(value)
            count += 2 * table["norm"][index].launches
        total = shape.layers * kernels.traffic_seconds(hardware, moved, count)
        results.append(total + _gates(job, hardware, split, tokens, index, value))
    return results[0], results[1]


def _gates(job: Job, hardware: Hardware, split: Layouts, tokens: Floats, index: int, value: str) -> Floats:
    """Return the time of the MLPs' activation functions, and of sorting tokens by expert."""
    shape = job.shape
    table = FUSED if job.kernels == "fused" else EAGER
    traffic = (table["gated"] if shape.gated else GELU)[index]
    per_element = traffic.bytes_per_element(value)
    everyone = tokens / split.tensor * (shape.dense_layers * shape.inner + shape.sparse_layers * shape.shared_inner)
    # A device handles, for its experts, as many rows as its own tokens choose.
    chosen = tokens * shape.chosen_experts / split.tensor * shape.sparse_layers
    moved = (everyone + chosen * shape.expert_inner) * per_element
    # Sent, received, sorted by expert and put back: twice read and written on either side, with the router's weights.
    moved = moved + chosen * shape.hidden * Traffic(plain=8).bytes_per_element(value)
    kernels_count = traffic.launches * shape.layers + 10.0 * shape.sparse_layers
    return kernels.traffic_seconds(hardware, moved, kernels_count)


def _rounding(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    """Return the time of scaling and rounding the factors of 8- and 4-bit products."""
    product = job.numerics.product
    zero = np.zeros_like(tokens)
    if product not in BLOCK_SCALED:
        return zero, zero
    forward, backward = zero.copy(), zero.copy()
    for matrix in (*job.shape.dense, *job.shape.routed):
        rows, inputs, outputs, copies = local_product(job, split, matrix, tokens)
        # Trained weights are rounded anew in every step, frozen ones once and for all.
        weight = inputs * outputs * copies / np.maximum(split.micro_batches, 1.0) * (job.adapter is None)
        # Projections of one input share its rounded copy.
        shared = {"k_proj": 0.0, "v_proj": 0.0, "up_proj": 0.0}.get(matrix.name.rsplit(".", 1)[-1], 1.0)
        each = ROUNDING[product]
        forward += matrix.layers * kernels.traffic_seconds(
            hardware, each * (shared * rows * inputs * copies + weight), 2.0
        )
        backward += matrix.layers * kernels.traffic_seconds(hardware, each * rows * outputs * copies, 1.0)
    return forward, backward


def _head(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    shape = job.shape
    # The head is as precise as attention is.
    product = attention_product(job)
    width = shape.vocabulary / split.tensor
    hidden = np.full_like(tokens, float(shape.hidden))
    value = "fp32" if job.numerics.value_bytes == FP32_BYTES else "bf16"
    traffic = LOGITS[job.loss]
    moved = tokens * width * traffic.bytes_per_element(value)
    first = kernels.product_seconds(hardware, product, tokens, hidden, width)
    backward = kernels.product_seconds(hardware, product, tokens, width, hidden)
    if job.adapter is None or job.adapter.trains_embeddings:
        backward = backward + kernels.product_seconds(hardware, product, hidden, tokens, width, result_bytes=4.0)
    half = kernels.traffic_seconds(hardware, moved / 2, traffic.launches / 2)
    return first + half, backward + half
