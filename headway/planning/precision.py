"""Which format products have where the recipe leaves it to the plan (``training.precision = "auto"``).

Source: DeepSeek-AI 2024 (arXiv:2412.19437), section 3.3 (8-bit products beside a 16-bit head, attention and norms, as
planned here); Mishra et al. 2025 (arXiv:2506.08027) for mxfp8.
Leaves out: int8 and 4 bits, of which nobody published that the loss stays the same over a long training; they are
planned where a recipe asks for them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from headway import catalog
from headway.errors import PlanError
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.analytic.hardware import Hardware

AUTO = "auto"

USUAL = "bf16"
"""Where nothing is known that would speak for another format. It is a recipe's default too."""

NARROW = ("mxfp8", "fp8")
"""Formats that are tried besides, the one that is nearer to 16 bits first."""


def settled(recipe: Recipe, precision: str) -> Recipe:
    """Return the recipe with a format where it leaves that to the plan; what a recipe says is never changed."""
    if recipe.training.precision != AUTO:
        return recipe
    training = recipe.training.model_copy(update={"precision": precision})
    return recipe.model_copy(update={"training": training})


def formats(recipe: Recipe, machines: Hardware) -> tuple[str, ...]:
    """Return the formats to compare, the widest first: the recipe's own, or those of the device and the program.

    Adapters have frozen weights in a format of their own, so that only 16 bits are tried beside them.
    """
    training = recipe.training
    if training.precision != AUTO:
        return (training.precision,)
    wide = "fp16" if machines.entry.bf16_dense_flops_per_second is None else USUAL
    if training.method != "full":
        return (wide,)
    known = {one.format for one in catalog.program(training.software).formats}
    return (wide, *(each for each in NARROW if each in known and _multiplies(machines, each)))


def _multiplies(machines: Hardware, precision: str) -> bool:
    """Return whether a device multiplies a format at a rate that is known.

    Scales of blocks are applied by the device from the generation on that has 4-bit products too.
    Source: NVIDIA, Transformer Engine user guide, "MXFP8" (compute capability 10.0 and later); AMD, CDNA 4 white paper.
    """
    if precision == "mxfp8" and machines.entry.fp4_dense_flops_per_second is None:
        return False
    try:
        machines.product_flops_per_second(precision)
    except PlanError:
        return False
    return True
