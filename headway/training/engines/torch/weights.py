"""Weights and moments as whole arrays: read from, and written to, the parts that devices hold of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, LazyArrays
from headway.training.engines.torch.parallel.local import here, is_divided


@torch.no_grad()
def write_part(tensor: Tensor, whole: Tensor) -> None:
    """Copy into a tensor what it holds of a whole one.

    Args:
        tensor: whole, or divided over devices.
        whole: of the full shape, anywhere.
    """
    here(tensor).copy_(part_of(tensor, whole))


def part_of(tensor: Tensor, whole: Tensor) -> Tensor:
    """Return, of a whole tensor, what a tensor that is divided over devices has here."""
    return whole[slices_of(tensor)] if is_divided(tensor) else whole


def slices_of(tensor: Tensor) -> tuple[slice, ...]:
    """Return which part of a tensor this device has."""
    if not is_divided(tensor):
        return tuple(slice(0, size) for size in tensor.shape)
    from torch.distributed.tensor._utils import compute_local_shape_and_global_offset

    shape, offset = compute_local_shape_and_global_offset(tensor.shape, tensor.device_mesh, tensor.placements)
    return tuple(slice(start, start + size) for start, size in zip(offset, shape, strict=True))


@torch.no_grad()
def read_whole(tensor: Tensor) -> Tensor:
    """Return the whole of a tensor; where it is divided, every device that holds a part must ask at the same time."""
    return tensor.full_tensor() if is_divided(tensor) else tensor.detach()


def to_numpy(tensor: Tensor) -> NDArray[Any]:
    """Return a tensor as an array, sharing memory where it is on the CPU already."""
    return tensor.detach().cpu().numpy()


def to_tensor(array: NDArray[Any]) -> Tensor:
    """Return an array as an fp32 tensor, sharing memory where it can."""
    return torch.from_numpy(np.require(array, requirements=["C", "W"])).float()


def shapes_of(arrays: Arrays) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array, without reading any that lies in a file."""
    if isinstance(arrays, LazyArrays):
        return dict(arrays.shapes)
    return {name: array.shape for name, array in arrays.items()}


def require_finite(name: str, whole: Tensor) -> None:
    """Refuse a weight with numbers that are none: everything that it touches would become so.

    Raises:
        CheckpointError: its name, and how many there are.
    """
    # A sum is one pass without a copy, and finite only where all is.
    lost = 0 if bool(torch.isfinite(whole.sum())) else whole.numel() - int(torch.isfinite(whole).sum())
    if lost:
        raise CheckpointError("training-weights-not-finite", name=name, count=lost)


def require_match(shapes: Mapping[str, tuple[int, ...]], expected: Mapping[str, torch.Size]) -> None:
    """Refuse arrays whose names or shapes are not those of the model.

    Raises:
        CheckpointError: the first name that differs.
    """
    for name in sorted(set(shapes) | set(expected)):
        found = str(tuple(shapes[name])) if name in shapes else "missing"
        wanted = str(tuple(expected[name])) if name in expected else "unknown"
        if found != wanted:
            raise CheckpointError("checkpoint-mismatch", name=name, found=found, expected=wanted)
