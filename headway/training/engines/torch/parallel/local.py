"""The part of a divided tensor that this device holds."""

from __future__ import annotations

import torch
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


def here(tensor: Tensor) -> Tensor:
    """Return this device's part of a weight, a gradient or a state, outside of autograd."""
    return tensor.to_local() if isinstance(tensor, DTensor) else tensor


def placed_like(tensor: Tensor, part: Tensor) -> Tensor:
    """Return this device's part of a new tensor that is divided as another is: each of its axes may be scaled.

    Args:
        tensor: whole, or divided over devices.
        part: of the new one.
    """
    if not isinstance(tensor, DTensor):
        return part
    own = tensor.to_local().shape
    shape = [
        whole if new == old else whole * new // old
        for whole, old, new in zip(tensor.shape, own, part.shape, strict=True)
    ]
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(
        part, tensor.device_mesh, tensor.placements, run_check=False, shape=torch.Size(shape), stride=stride
    )
