"""What runs over elements between products on one device, were it to hold all layers; and the head with its loss.

Source: the operations of a Llama, a GPT-2 and their mixtures of experts as ``planning/operations.py`` lists them.
Leaves out: rotary tables, masks, and the router's sorting.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic import kernels
from headway.planning.analytic.attention import DROPOUT, attention_product
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.numerics import FP32_BYTES
from headway.planning.analytic.products import Passes, local_key_value_heads
from headway.planning.constants import constant
from headway.planning.operations import EAGER, FUSED, Traffic

LAYER_NORM = (Traffic(plain=2), Traffic(plain=4))
"""PyTorch has one kernel for it, compiled or not. Source: PyTorch, aten/src/ATen/native/cuda/layer_norm_kernel.cu."""

GELU = (Traffic(plain=2), Traffic(plain=3))
"""The same. Source: PyTorch, aten/src/ATen/native/cuda/ActivationGeluKernel.cu."""

RESIDUAL = Traffic(plain=3)
"""Two read, one written. Residual additions are kernels of their own; a compiler that folds them into the norms saves
one pass of five. Source: counted from ``x + attention(norm(x))``."""

DISPATCH = Traffic(plain=constant("expert-dispatch-passes"))
"""Passes over the tokens that experts are sent."""

DISPATCH_KERNELS = constant("expert-dispatch-kernels")
"""Kernels of a layer that sort tokens by expert and put them back."""

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


def elementwise_times(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of norms, residual additions, dropout, rotary positions and gates, forward and backward.

    What lies between the products of a tensor group is divided among its devices only with sequence parallelism.
    Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2; ``planning/operations.py`` for passes and kernels.
    Leaves out: what a kernel finds in a cache.
    """
    forward, backward = (
        _between(job, hardware, split, tokens, index) + _gates(job, hardware, split, tokens, index) for index in (0, 1)
    )
    return forward, backward


def _value(job: Job) -> str:
    return "fp32" if job.numerics.value_bytes == FP32_BYTES else "bf16"


def _between(job: Job, hardware: Hardware, split: Layouts, tokens: Floats, index: int) -> Floats:
    """Return the time of two norms and two additions a layer, dropout, positions and norms of heads, in one pass.

    Source: as `elementwise_times`. Leaves out: as there.
    """
    shape, value = job.shape, _value(job)
    table = FUSED if job.kernels == "fused" else EAGER
    norm = LAYER_NORM if not shape.gated else table["norm"]
    outside = tokens / np.where(split.sequence_parallel > 0, split.tensor, 1.0) * shape.hidden
    heads = tokens * (shape.heads / split.tensor + local_key_value_heads(job, split)) * shape.key_width
    moved = 2 * outside * (norm[index].bytes_per_element(value) + RESIDUAL.bytes_per_element(value))
    count = 2.0 * (norm[index].launches + RESIDUAL.launches)
    if job.dropout:
        moved = moved + 2 * outside * DROPOUT[index].bytes_per_element(value)
        count += 2
    if not shape.has_positions:
        moved = moved + heads * table["rotary"][index].bytes_per_element(value)
        count += table["rotary"][index].launches
    if shape.has_head_norms:
        moved = moved + heads * table["norm"][index].bytes_per_element(value)
        count += 2 * table["norm"][index].launches
    return shape.layers * kernels.traffic_seconds(hardware, moved, count)


def _gates(job: Job, hardware: Hardware, split: Layouts, tokens: Floats, index: int) -> Floats:
    """Return the time of the MLPs' activation functions, and of sorting tokens by expert, in one pass.

    A device handles, for its experts, as many rows as its own tokens choose.
    Source: Shazeer 2020 (arXiv:2002.05202), eq. 5 (gates); Gale et al. 2022 (arXiv:2211.15841), section 5 (sorting).
    Leaves out: rows that pad each expert's tokens.
    """
    shape, value = job.shape, _value(job)
    table = FUSED if job.kernels == "fused" else EAGER
    traffic = (table["gated"] if shape.gated else GELU)[index]
    everyone = tokens / split.tensor * (shape.dense_layers * shape.inner + shape.sparse_layers * shape.shared_inner)
    chosen = tokens * shape.chosen_experts / split.tensor * shape.sparse_layers
    moved = (everyone + chosen * shape.expert_inner) * traffic.bytes_per_element(value)
    moved = moved + chosen * shape.hidden * DISPATCH.bytes_per_element(value)
    count = traffic.launches * shape.layers + DISPATCH_KERNELS * shape.sparse_layers
    return kernels.traffic_seconds(hardware, moved, count)


def head_times(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of the output projection and the loss, forward and backward.

    It is as precise as attention is. Each pass over the logits counts half to either side.
    Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1 (three products); `LOGITS` for the passes.
    Leaves out: the embedding, which only copies.
    """
    shape, product = job.shape, attention_product(job)
    width = shape.vocabulary / split.tensor
    hidden = np.full_like(tokens, float(shape.hidden))
    traffic = LOGITS[job.loss]
    moved = tokens * width * traffic.bytes_per_element(_value(job))
    first = kernels.product_seconds(hardware, product, tokens, hidden, width)
    backward = kernels.product_seconds(hardware, product, tokens, width, hidden)
    if job.adapter is None or job.adapter.trains_embeddings:
        backward = backward + kernels.product_seconds(hardware, product, hidden, tokens, width, result_bytes=FP32_BYTES)
    half = kernels.traffic_seconds(hardware, moved / 2, traffic.launches / 2)
    return first + half, backward + half
