"""A fixed piece of work, by which processes compare their devices."""

from __future__ import annotations

import time

import torch

_SIZES = {"cpu": 192, "cuda": 2048}
"""Of square matrices, so that the products take a few milliseconds at most."""

_PRODUCTS = 8


@torch.no_grad()
def probe_seconds(device: torch.device) -> float:
    """Return the seconds that a few products of matrices take on a device; the first one does not count."""
    size = _SIZES.get(device.type, 512)
    matrix = torch.ones((size, size), device=device)
    matrix @ matrix
    _finish(device)
    started = time.perf_counter()
    for _ in range(_PRODUCTS):
        matrix @ matrix
    _finish(device)
    return time.perf_counter() - started


def _finish(device: torch.device) -> None:
    if device.type == "cuda":
        torch.cuda.synchronize(device)
