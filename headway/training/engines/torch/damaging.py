"""Weights that change as a fault of the memory would change them: for drills."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

from headway.training.engines.torch.parallel.local import here


@torch.no_grad()
def damage(weights: Iterable[Tensor], change: Callable[[NDArray[Any]], object]) -> None:
    """Let a function change what this process holds of each weight.

    Args:
        weights: whole, or divided over processes.
        change: is given fp32 numbers, and changes them in place.
    """
    for weight in weights:
        part = here(weight)
        numbers = part.detach().float().cpu().numpy().copy()
        change(numbers)
        part.copy_(torch.from_numpy(numbers))
