"""In which number formats a training computes, and in which it keeps its states.

Leaves out: scales of blocks in 8 and 4 bits, and layers that a program keeps in 16.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Weights = Literal["fp32", "master", "pure"]
"""Where the precise weights are: ``fp32``: the weights themselves are fp32 and rounded on use (autocast, FSDP's mixed
precision); ``master``: rounded weights, and an fp32 copy beside the moments (Megatron's and DeepSpeed's mixed
precision); ``pure``: rounded weights, gradients and moments, and no fp32 anywhere."""

Optimizer = Literal["adamw", "adamw16bit", "adamw8bit", "adamw-in-backward", "adamw8bit-in-backward", "muon"]
"""AdamW; with moments of 16 or 8 bits; each applied to a weight as soon as its gradient exists; Muon."""

HALF_BYTES = 2.0
FP32_BYTES = 4.0

PRODUCT_BYTES = {
    "fp32": 4.0, "tf32": 4.0, "fp16": 2.0, "bf16": 2.0, "int8": 1.0, "fp8": 1.0, "mxfp8": 1.0, "nvfp4": 0.5,
}  # fmt: skip
"""Bytes of one input element of a matrix product; the 4- and 8-bit formats are products' formats only."""

UNROUNDED = ("fp32", "tf32")
"""Formats whose inputs are fp32 values; TF32 rounds them inside the product, and nothing that lies in memory.

Source: PyTorch, notes/cuda, "TensorFloat-32 (TF32) on Ampere (and later) devices"."""

BLOCK_SCALED = ("int8", "fp8", "mxfp8", "nvfp4")
"""Formats whose inputs are scaled and rounded before each product."""


@dataclass(frozen=True, kw_only=True)
class Numerics:
    """Bytes of everything that is kept, per element.

    Attributes:
        product: format of the inputs of the layers' matrix products.
        value_bytes: of an activation.
        weight_bytes: of a trained weight as it lies on the device.
        gradient_bytes: of a gradient that is kept over micro-batches.
        master_bytes: of the fp32 copy of a weight beside the optimizer; 0 where there is none.
        moment_bytes: of all of the optimizer's moments for one weight.
        update_bytes: of the fp32 copy of a gradient that the update needs; 0 where gradients are fp32 or there is no
            master copy.
        gathered_bytes: of a weight on its way to other devices.
        reduced_bytes: of a gradient on its way to other devices.
        frees_gradients: whether gradients go as soon as they are applied, so that few exist at a time.
    """

    product: str
    value_bytes: float
    weight_bytes: float
    gradient_bytes: float
    master_bytes: float
    moment_bytes: float
    update_bytes: float
    gathered_bytes: float
    reduced_bytes: float
    frees_gradients: bool = False

    @property
    def optimizer_bytes(self) -> float:
        """Master copy and moments of one weight."""
        return self.master_bytes + self.moment_bytes


def numerics(
    precision: str,
    weights: Weights,
    optimizer: Optimizer = "adamw",
    *,
    half_gradients: bool = False,
    low_precision_gather: bool = False,
) -> Numerics:
    """Return the formats of a training.

    Args:
        precision: of the products: fp32, tf32, fp16, bf16, int8, fp8, mxfp8 or nvfp4.
        weights: where the precise weights are.
        optimizer: which moments there are.
        half_gradients: whether gradients are kept and reduced in 16 bits although an fp32 copy of the weights exists.
        low_precision_gather: whether weights travel in 8 bits.

    Source: Micikevicius et al. 2018 (arXiv:1710.03740), section 3.1; Rajbhandari et al. 2020 (arXiv:1910.02054),
    section 3.1 (2 + 2 + 12 bytes); Zhao et al. 2023 (arXiv:2304.11277), section 4.4 (FSDP).
    """
    value = FP32_BYTES if precision in UNROUNDED else HALF_BYTES
    weight = {"fp32": FP32_BYTES, "master": value, "pure": value}[weights]
    gradient = value if weights == "pure" or half_gradients else FP32_BYTES
    master = FP32_BYTES if weights == "master" and precision not in UNROUNDED else 0.0
    single_moment = value if weights == "pure" else FP32_BYTES
    moments = {"adamw8bit": 2.0, "adamw16bit": 2 * HALF_BYTES}.get(
        optimizer.removesuffix("-in-backward"), 2 * single_moment
    )
    gathered = 1.0 if low_precision_gather and precision in BLOCK_SCALED else value
    return Numerics(
        product=precision,
        value_bytes=value,
        weight_bytes=weight,
        gradient_bytes=gradient,
        master_bytes=master,
        moment_bytes=moments,
        update_bytes=FP32_BYTES if master and gradient < FP32_BYTES else 0.0,
        gathered_bytes=gathered,
        reduced_bytes=gradient,
        frees_gradients=optimizer.endswith("in-backward"),
    )


QUANTIZED_BASE_BYTES = 4.127 / 8
"""Of a frozen weight in NF4 whose block constants are quantised too: 4 bits and 0.127 bits of constants.

Source: Dettmers et al. 2023 (arXiv:2305.14314), section 3, "Double Quantization"."""
