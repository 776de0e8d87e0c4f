"""The gradients that an optimizer takes: completed over devices, and clipped by a norm that is summed in fp64."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor

from headway.training.engines.torch.parallel.local import here, is_divided
from headway.training.engines.torch.parallel.ranks import Ranks


@torch.no_grad()
def complete_gradients(parameters: Iterable[Tensor]) -> None:
    """Add up gradients of which each device has a part, so that they are divided as their weights are."""
    for parameter in parameters:
        gradient = parameter.grad
        if is_divided(parameter) and is_divided(gradient):
            parameter.grad = gradient.redistribute(placements=parameter.placements)


@torch.no_grad()
def clip_gradients(
    own: Iterable[Tensor], parameters: Iterable[Tensor], limit: float | None, ranks: Ranks, *, scale: float = 1.0
) -> float:
    """Scale all gradients so that their norm over all devices is at most the limit; return the norm before.

    The squares are summed in fp64: PyTorch's own fp32 norm is wrong by up to a percent on large CPU tensors.

    Args:
        own: the weights that count.
        parameters: all weights of this process, copies of those of another included.
        limit: of the norm.
        ranks: the processes.
        scale: what the loss was multiplied by; the gradients are divided by it before anything else.

    Returns:
        The norm, the same in all processes: where a gradient of one of them is not finite, it is not finite in any.
    """
    gradients = [parameter.grad for parameter in own if parameter.grad is not None]
    norms = [torch.linalg.vector_norm(here(gradient), dtype=torch.float64) for gradient in gradients]
    if ranks.mesh is None:
        norm = float(torch.linalg.vector_norm(torch.stack(norms)))
    else:
        # A gradient that several devices hold counts once.
        squares = [value.square() / _copies(gradient, ranks) for value, gradient in zip(norms, gradients, strict=True)]
        norm = float(ranks.sum(torch.stack(squares).sum()).sqrt())
    norm /= scale
    factor = limit / norm if limit is not None and norm > limit else 1.0
    if factor != 1 or scale != 1:
        clipped = [here(parameter.grad) for parameter in parameters if parameter.grad is not None]
        torch._foreach_mul_(clipped, factor / scale)
    return norm


def _copies(gradient: Tensor, ranks: Ranks) -> int:
    """Return how many processes of a stage hold the same part of a gradient."""
    assert ranks.mesh is not None
    holders = ranks.mesh.size() // ranks.layout.pipeline_parallel_degree
    if not is_divided(gradient):
        return holders
    from torch.distributed.tensor import Replicate

    mesh = gradient.device_mesh
    copies = 1
    for axis, placement in enumerate(gradient.placements):
        copies *= mesh.size(axis) if isinstance(placement, Replicate) else 1
    return copies * holders // mesh.size()
