"""Low-rank adapters on frozen weights: which projections have one, and how many weights that is.

Source: Hu et al. 2021 (arXiv:2106.09685), section 4.1.
Leaves out: biases that are trained beside adapters, and variants that train magnitudes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

from headway.planning.parameters import TensorGroup, count_parameters, tensor_groups
from headway.recipe.model import ModelConfig
from headway.recipe.sections import TrainingConfig

PACKED_BLOCK, LEAST_PACKED_BLOCK = 64, 16
"""Neighbours in a row that share a constant; where they do not go round by 16 at least, a whole row does."""


@dataclass(frozen=True, kw_only=True)
class Adapters:
    """The adapters of a model.

    Attributes:
        rank: channels between the two matrices of each.
        targets: the recipe's word for the projections that have one.
        packed: whether the layers' frozen projections are in 4 bits.
    """

    rank: int
    targets: str
    packed: bool = False

    def groups(self, model: ModelConfig) -> Iterator[TensorGroup]:
        """Yield the projections that have one."""
        for group in projections(model):
            if is_target(self.targets, _module(group.name)):
                yield group

    def parameters(self, model: ModelConfig) -> int:
        """Return the weights of all adapters: rank times (inputs + outputs) of each projection."""
        return sum(self.rank * sum(group.shape) * group.copies for group in self.groups(model))


def adapters_of(training: TrainingConfig) -> Adapters | None:
    """Return the adapters that are trained; None where all weights are."""
    if training.method == "full":
        return None
    return Adapters(rank=training.adapter_rank, targets=training.adapter_targets, packed=training.method == "qlora")


def projections(model: ModelConfig) -> Iterator[TensorGroup]:
    """Yield the matrices of the layers' projections, which a frozen base may have in 4 bits."""
    for group in tensor_groups(model):
        if len(group.shape) == 2 and group.part in ("attention", "mlp"):
            yield group


def packed_bytes(rows: int, columns: int) -> int:
    """Return what a matrix in 4 bits takes: two weights in a byte, a byte for each block, four for each row.

    Source: ``headway/training/engines/torch/nf4.py``, which a test compares with this.
    """
    block = math.gcd(columns, PACKED_BLOCK)
    block = block if block >= LEAST_PACKED_BLOCK else columns
    return rows * (-(-columns // 2) + columns // block + 4)


def count_trained(model: ModelConfig, adapters: Adapters | None) -> int:
    """Return the weights that a training changes."""
    return count_parameters(model) if adapters is None else adapters.parameters(model)


def is_target(targets: str, projection: str) -> bool:
    """Return whether a projection has an adapter; ``projection`` ends as in Hugging Face's names, without "weight"."""
    is_attention = "attn" in projection
    if targets == "all":
        return True
    if targets == "attention":
        return is_attention
    if targets == "fused-qkv":
        return is_attention and not projection.endswith("o_proj")
    return projection.endswith(("q_proj", "v_proj", "c_attn"))


def _module(name: str) -> str:
    return name.removesuffix(".weight")
