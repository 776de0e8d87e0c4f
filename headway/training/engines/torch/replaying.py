"""Doing a step twice from the same state, and digests by which states are compared bit for bit."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from headway.training.engines.torch.parallel.local import here

_WHOLE = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
"""Bytes of a number -> the type of whole numbers that has its bits."""

_FACTOR, _MODULUS = 1_000_003, 2**63


@torch.no_grad()
def digest(tensors: Iterable[Tensor]) -> int:
    """Return a digest of this device's parts of some tensors, from 0 to 2^63 - 1.

    Bits are added up as whole numbers, which has one result in whatever order it is done; a single bit that differs
    always changes it.
    """
    total = 0
    for tensor in tensors:
        part = here(tensor).detach().reshape(-1)
        bits = part.view(_WHOLE[part.element_size()])
        total = (total * _FACTOR + int(bits.sum(dtype=torch.int64))) % _MODULUS
    return total
