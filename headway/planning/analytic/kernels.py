"""What one kernel takes on an accelerator: a roofline with the losses of small and narrow work.

An operation takes as long as its arithmetic or its memory traffic, whichever is longer, and a constant time.
Source: Williams, Waterman and Patterson 2009, "Roofline: an insightful visual performance model".
Leaves out: the clock under load, which is part of the efficiencies; caches.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.layouts import Floats
from headway.planning.analytic.numerics import PRODUCT_BYTES

PIPELINE_FILL = 128.0
"""A product's inner loop reaches its rate only after it has filled the pipeline: with inner size k it runs at
k / (k + 128) of it. 128 is the tile depth (64) times two stages in flight.

Source: NVIDIA CUTLASS, efficient_gemm.md."""

TAIL_WAVES = 0.5
"""Of its last wave of tiles, a product leaves half idle on average: any part of it is as likely to be filled."""

SPLIT_DEPTH = 1024.0
"""A product with few results divides its inner size too, down to this, so that no core computes for long alone.

Source: split-K kernels of cuBLAS and CUTLASS (efficient_gemm.md, "Parallelized Reductions")."""

SMALLEST_TILE = 64.0
"""A narrower result costs as much as this width."""

ATTENTION_FILL_TOKENS = 256.0
ATTENTION_FILL_WIDTH = 16.0
"""Fused attention over s tokens of heads of width d reaches s / (s + 256) and d / (d + 16) of its rate: its diagonal
blocks are half idle, and the exponentials weigh more where heads are narrow.

Source: shape of the curves in Dao 2023 (arXiv:2307.08691), figures 4 to 6."""


def product_seconds(
    hardware: Hardware,
    product: str,
    rows: Floats,
    inputs: Floats | float,
    outputs: Floats | float,
    *,
    copies: Floats | float = 1.0,
    result_bytes: float = 2.0,
) -> Floats:
    """Return the time of [rows, inputs] x [inputs, outputs].

    Args:
        hardware: what computes.
        product: format of the factors.
        rows: of the left factor.
        inputs: inner size.
        outputs: columns of the right factor.
        copies: products of this shape that run together.
        result_bytes: of one element of the result.
    """
    wide = np.maximum(outputs, SMALLEST_TILE)
    waves = rows * wide * copies / hardware.efficiency.wave_outputs
    tail = TAIL_WAVES * np.clip(np.maximum(waves, SPLIT_DEPTH / inputs), 0.0, 1.0)
    depth = inputs + PIPELINE_FILL
    arithmetic = 2.0 * (waves + tail) * hardware.efficiency.wave_outputs * depth
    arithmetic = arithmetic / hardware.product_flops_per_second(product)
    factor_bytes = PRODUCT_BYTES[product]
    moved = copies * (factor_bytes * (rows * inputs + inputs * outputs) + result_bytes * rows * outputs)
    seconds: Floats = (
        np.maximum(arithmetic, moved / hardware.memory_bytes_per_second) + hardware.efficiency.kernel_seconds
    )
    return seconds


def attention_seconds(
    hardware: Hardware, product: str, flops: Floats, *, tokens: Floats, width: float, backward: bool, tuned: bool
) -> Floats:
    """Return the time of fused attention.

    Args:
        hardware: what computes.
        product: ``fp32``, ``tf32`` or a 16-bit format.
        flops: of the products, masked blocks left out.
        tokens: that attend to each other.
        width: of a head.
        backward: whether it is the backward pass.
        tuned: whether the kernel was tuned for the generation.
    """
    share = hardware.efficiency
    if tuned:
        held = share.tuned_attention_backward_efficiency if backward else share.tuned_attention_forward_efficiency
    else:
        held = share.attention_backward_efficiency if backward else share.attention_forward_efficiency
    efficiency = held * tokens / (tokens + ATTENTION_FILL_TOKENS) * width / (width + ATTENTION_FILL_WIDTH)
    seconds: Floats = flops / (efficiency * hardware.peak_flops_per_second(product)) + share.kernel_seconds
    return seconds


def traffic_seconds(hardware: Hardware, moved_bytes: Floats | float, kernels: Floats | float = 1.0) -> Floats:
    """Return the time of elementwise kernels."""
    seconds: Floats = (
        np.asarray(moved_bytes) / hardware.memory_bytes_per_second + kernels * hardware.efficiency.kernel_seconds
    )
    return seconds
