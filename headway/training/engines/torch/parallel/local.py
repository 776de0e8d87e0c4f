"""The part of a divided tensor that this device holds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeGuard

import torch
from torch import Tensor

if TYPE_CHECKING:
    from torch.distributed.tensor import DTensor, Placement


def is_divided(tensor: object) -> TypeGuard[DTensor]:
    """Return whether a tensor is divided over devices.

    Whoever divides tensors has imported what they are; it is not imported here, since that is a fifth of what a process
    of one device needs to start.
    """
    module = sys.modules.get("torch.distributed.tensor")
    return module is not None and isinstance(tensor, module.DTensor)


def local(weight: Tensor, *, is_partial: bool = True) -> Tensor:
    """Return this device's part of a weight; a weight that is not divided is returned as it is.

    Args:
        weight: of a module.
        is_partial: whether the devices that hold a whole copy each see a part of what it is used for, so that their
            gradients have to be added up.
    """
    if not is_divided(weight):
        return weight
    from torch.distributed.tensor import Partial, Shard

    gradients: list[Placement] = [
        placement if isinstance(placement, Shard) or not is_partial else Partial() for placement in weight.placements
    ]
    return weight.to_local(grad_placements=gradients)


def here(tensor: Tensor) -> Tensor:
    """Return this device's part of a weight, a gradient or a state, outside of autograd."""
    return tensor.to_local() if is_divided(tensor) else tensor


def placed_like(tensor: Tensor, part: Tensor) -> Tensor:
    """Return this device's part of a new tensor that is divided as another is: each of its axes may be scaled.

    Args:
        tensor: whole, or divided over devices.
        part: of the new one.
    """
    if not is_divided(tensor):
        return part
    from torch.distributed.tensor import DTensor

    own = tensor.to_local().shape
    shape = [
        whole if new == old else whole * new // old
        for whole, old, new in zip(tensor.shape, own, part.shape, strict=True)
    ]
    stride = torch.empty(shape, device="meta").stride()
    return DTensor.from_local(
        part, tensor.device_mesh, tensor.placements, run_check=False, shape=torch.Size(shape), stride=stride
    )
