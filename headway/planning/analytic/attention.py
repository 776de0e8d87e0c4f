"""What attention takes on one device, were it to hold all layers: with fused kernels, and without.

Source: Dao 2023 (arXiv:2307.08691); Vaswani et al. 2017 (arXiv:1706.03762), section 3.2.1.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic import kernels
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED, FP32_BYTES
from headway.planning.analytic.products import Passes
from headway.planning.flops import attended_keys
from headway.planning.operations import ATTENTION_BACKWARD_FACTOR, Traffic

SCORES = (Traffic(plain=4, launches=3), Traffic(plain=7, launches=4))
"""Scaling, masking and softmax of unfused attention, and the gradient: passes over the scores.

Source: counted from Megatron-LM, ``megatron/core/fusions/fused_softmax.py`` and its caller."""

DROPOUT = (Traffic(plain=2.5), Traffic(plain=2.5))
"""Read, written, and a mask of one byte. Source: PyTorch, aten/src/ATen/native/cuda/Dropout.cu."""


def attention_times(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of attention between all positions, forward and backward; its projections are products."""
    return (
        _fused(job, hardware, split, tokens) if job.attention != "unfused" else _unfused(job, hardware, split, tokens)
    )


def attention_product(job: Job) -> str:
    """Return the format of attention's products, which are in 16 bits where those of weights are in 8 or 4."""
    return "bf16" if job.numerics.product in BLOCK_SCALED else job.numerics.product


def _fused(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of fused attention: 4 n k w FLOPs for n tokens, k keys and heads of width w; 2.5 times backward.

    Passed around in a ring, keys and values meet the queries in blocks of half a device's share.
    Source: Dao 2023 (arXiv:2307.08691), section 4.1 (FLOPs, and five products backward for two forward); Liu, Zaharia
    and Abbeel 2023 (arXiv:2310.01889), section 3.
    Leaves out: dropout, which fused kernels draw as they go.
    """
    shape, product = job.shape, attention_product(job)
    length = job.document_length or job.sequence_length
    width = (shape.key_width + shape.value_width) / 2
    block = np.where(split.context > 1, length / (2 * split.context), float(length))
    tuned = job.attention == "tuned"
    keys = attended_keys(job.model, length, causal=job.is_causal)
    flops = 4.0 * tokens * (shape.heads / split.tensor) * width * keys * shape.layers
    forward = kernels.attention_seconds(
        hardware, product, flops, tokens=block, width=width, backward=False, tuned=tuned
    )
    backward = kernels.attention_seconds(
        hardware, product, ATTENTION_BACKWARD_FACTOR * flops, tokens=block, width=width, backward=True, tuned=tuned
    )
    return forward, backward


def _unfused(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of attention that writes its scores out: two products, and passes over all scores.

    Each product has two gradients, so that backward they take twice as long.
    Source: Vaswani et al. 2017 (arXiv:1706.03762), eq. 1; Dao et al. 2022 (arXiv:2205.14135), algorithm 0.
    Leaves out: that half of the scores are masked, and computed all the same.
    """
    shape, product = job.shape, attention_product(job)
    length = job.document_length or job.sequence_length
    width = (shape.key_width + shape.value_width) / 2
    rows = np.full_like(tokens, length) / split.context
    batch = tokens / rows * (shape.heads / split.tensor)
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
