"""Weights that change as a fault of the memory would change them: for drills."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.distributed.tensor import DTensor


@torch.no_grad()
def damage(weights: Iterable[Tensor], change: Callable[[NDArray[Any]], object]) -> None:
    """Let a function change what this process holds of each weight.

    Args:
        weights: whole, or divided over processes.
        change: is given fp32 numbers, and changes them in place.
    """
    for weight in weights:
        here = weight.to_local() if isinstance(weight, DTensor) else weight
        numbers = here.detach().float().cpu().numpy().copy()
        change(numbers)
        here.copy_(torch.from_numpy(numbers))
