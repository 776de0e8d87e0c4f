"""The part of a divided weight that this device computes with."""

from __future__ import annotations

from torch import Tensor
from torch.distributed.tensor import DTensor, Partial, Placement, Shard


def local(weight: Tensor, *, is_partial: bool = True) -> Tensor:
    """Return this device's part of a weight; a weight that is not divided is returned as it is.

    Args:
        weight: of a module.
        is_partial: whether the devices that hold a whole copy each see a part of what it is used for, so that their
            gradients have to be added up.
    """
    if not isinstance(weight, DTensor):
        return weight
    gradients: list[Placement] = [
        placement if isinstance(placement, Shard) or not is_partial else Partial() for placement in weight.placements
    ]
    return weight.to_local(grad_placements=gradients)
