"""What products of weights take on one device, were it to hold all layers: their time, and that of rounding for them.

Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1 (three products a matrix); Korthikanti et al. 2022
(arXiv:2205.05198), section 4.2 (which of them tensor parallelism divides); Hu et al. 2021
(arXiv:2106.09685), section 4.
Leaves out: that products of one input may run as one kernel.
"""

from __future__ import annotations

import numpy as np

from headway.planning.adapters import is_target
from headway.planning.analytic import kernels
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layouts import Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED
from headway.planning.analytic.shape import Matrix
from headway.planning.constants import constant

Passes = tuple[Floats, Floats]
"""Seconds forward and backward."""

EXPERTS_AT_A_TIME = constant("experts-at-a-time")
"""Products of experts run in so many streams."""

ROUNDING = {
    "int8": constant("rounding-bytes-8-bit"),
    "fp8": constant("rounding-bytes-8-bit"),
    "mxfp8": constant("rounding-bytes-mxfp8"),
    "nvfp4": constant("rounding-bytes-nvfp4"),
}
"""Bytes moved to scale and round one element."""

_ROUNDED_ELSEWHERE = ("k_proj", "v_proj", "up_proj")
"""Projections whose input is that of another one, and was rounded for it."""


def product_times(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of all products of weights, forward and backward.

    A matrix is multiplied once forward, and twice backward: for the gradient of its input and for its own.
    Few experts' products run at a time (`EXPERTS_AT_A_TIME`), so that many small ones leave cores idle.
    Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1; NVIDIA TransformerEngine, GroupedLinear.
    Leaves out: that some experts have more tokens than others.
    """
    forward, backward = np.zeros_like(tokens), np.zeros_like(tokens)
    for matrix in (*job.shape.dense, *job.shape.routed):
        rows, inputs, outputs, copies = local_product(job, split, matrix, tokens)
        together = np.minimum(copies, EXPERTS_AT_A_TIME)
        first, second = _one_matrix(job, hardware, matrix, (rows, inputs, outputs, together))
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


Product = tuple[Floats, Floats, Floats, Floats | float]
"""Rows, inputs, outputs and copies of a product."""


def _one_matrix(job: Job, hardware: Hardware, matrix: Matrix, size: Product) -> Passes:
    """Return the time of one matrix, forward and backward: with its gradient, or frozen and perhaps with an adapter.

    Fused kernels read the gradient of a weight that they add to, and write it; others write it.
    Source: Kaplan et al. 2020 (arXiv:2001.08361), section 2.1; NVIDIA apex, fused_weight_gradient_mlp_cuda.
    Leaves out: biases.
    """
    numbers = job.numerics
    product, value = numbers.product, numbers.value_bytes
    rows, inputs, outputs, copies = size
    first = kernels.product_seconds(hardware, product, rows, inputs, outputs, copies=copies, result_bytes=value)
    by_input = kernels.product_seconds(hardware, product, rows, outputs, inputs, copies=copies, result_bytes=value)
    if job.adapter is not None:
        return _frozen(job, job.adapter, hardware, matrix, size, (first, by_input))
    gradient_bytes = numbers.gradient_bytes * (2.0 if job.kernels == "fused" else 1.0)
    by_weight = kernels.product_seconds(
        hardware, product, inputs, rows, outputs, copies=copies, result_bytes=gradient_bytes
    )
    return first, by_input + by_weight


def _frozen(job: Job, adapter: Adapter, hardware: Hardware, matrix: Matrix, size: Product, passes: Passes) -> Passes:
    """Return the time of a frozen matrix: expanded where its weights are packed, and with its adapter where it has one.

    An adapter multiplies by two narrow matrices, W x + B A x, and its gradients take two products for each of these.
    Source: Hu et al. 2021 (arXiv:2106.09685), section 4.1; Dettmers et al. 2023 (arXiv:2305.14314), section 3 (weights
    are expanded for each pass).
    Leaves out: the adapter's dropout, which its three readings of the input stand for.
    """
    product, value = job.numerics.product, job.numerics.value_bytes
    rows, inputs, outputs, copies = size
    first, by_input = passes
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


def rounding_times(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Passes:
    """Return the time of scaling and rounding the factors of 8- and 4-bit products, forward and backward.

    Inputs are rounded once for all projections that read them; trained weights anew in every step, frozen ones once
    and for all; backward, the gradients of results.
    Source: NVIDIA TransformerEngine, ``common/cast``, ``pytorch/module/linear.py``.
    Leaves out: the search for the largest value where it is a kernel of its own.
    """
    product = job.numerics.product
    forward, backward = np.zeros_like(tokens), np.zeros_like(tokens)
    if product not in BLOCK_SCALED:
        return forward, backward
    each = ROUNDING[product]
    for matrix in (*job.shape.dense, *job.shape.routed):
        rows, inputs, outputs, copies = local_product(job, split, matrix, tokens)
        weight = inputs * outputs * copies / np.maximum(split.micro_batches, 1.0) * (job.adapter is None)
        shared = 0.0 if matrix.name.rsplit(".", 1)[-1] in _ROUNDED_ELSEWHERE else 1.0
        moved = each * (shared * rows * inputs * copies + weight)
        forward += matrix.layers * kernels.traffic_seconds(hardware, moved, 2.0)
        backward += matrix.layers * kernels.traffic_seconds(hardware, each * rows * outputs * copies, 1.0)
    return forward, backward
