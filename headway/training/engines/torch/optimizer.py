"""The optimizer and the gradients that it takes: AdamW, clipped by a norm that is summed in fp64."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import torch
from torch import Tensor
from torch.distributed.tensor import DTensor, Replicate

from headway.recipe import Recipe
from headway.resilience.checkpoint.snapshot import Arrays
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import canonical_name
from headway.training.engines.torch.weights import to_tensor, write_part

MOMENTS = ("exp_avg", "exp_avg_sq")


def build_optimizer(recipe: Recipe, parameters: Mapping[str, Tensor]) -> torch.optim.AdamW:
    """Build AdamW with weight decay on matrices only: on norms and biases it would pull towards a wrong point."""
    training = recipe.training
    matrices = [parameter for parameter in parameters.values() if parameter.dim() >= 2]
    vectors = [parameter for parameter in parameters.values() if parameter.dim() < 2]
    groups = [
        {"params": matrices, "weight_decay": training.weight_decay},
        {"params": vectors, "weight_decay": 0.0},
    ]
    return torch.optim.AdamW(
        [group for group in groups if group["params"]],
        lr=training.learning_rate,
        betas=(training.beta1, training.beta2),
        eps=training.epsilon,
        fused=True,
    )


@torch.no_grad()
def complete_gradients(parameters: Iterable[Tensor]) -> None:
    """Add up gradients of which each device has a part, so that they are divided as their weights are."""
    for parameter in parameters:
        gradient = parameter.grad
        if isinstance(parameter, DTensor) and isinstance(gradient, DTensor):
            parameter.grad = gradient.redistribute(placements=parameter.placements)


@torch.no_grad()
def clip_gradients(own: Iterable[Tensor], parameters: Iterable[Tensor], limit: float | None, ranks: Ranks) -> float:
    """Scale all gradients so that their norm over all devices is at most the limit; return the norm before.

    The squares are summed in fp64: PyTorch's own fp32 norm is wrong by up to a percent on large CPU tensors.

    Args:
        own: the weights that count.
        parameters: all weights of this process, copies of those of another included.
        limit: of the norm.
        ranks: the processes.
    """
    gradients = [parameter.grad for parameter in own if parameter.grad is not None]
    norms = [torch.linalg.vector_norm(_here(gradient), dtype=torch.float64) for gradient in gradients]
    if ranks.mesh is None:
        norm = float(torch.linalg.vector_norm(torch.stack(norms)))
    else:
        # A gradient that several devices hold counts once.
        squares = [value.square() / _copies(gradient, ranks) for value, gradient in zip(norms, gradients, strict=True)]
        norm = float(ranks.sum(torch.stack(squares).sum()).sqrt())
    if limit is not None and norm > limit:
        clipped = [_here(parameter.grad) for parameter in parameters if parameter.grad is not None]
        torch._foreach_mul_(clipped, limit / norm)
    return norm


@torch.no_grad()
def load_moments(
    optimizer: torch.optim.Optimizer, parameters: Mapping[str, Tensor], moments: Arrays, steps: float
) -> None:
    """Give each weight its moments, and the optimizer the number of its steps.

    Args:
        optimizer: AdamW, without a state.
        parameters: this process's weights.
        moments: whole arrays by ``<parameter name>.<moment>``.
        steps: that the moments have seen; with none, nothing is to be given.
    """
    if not steps:
        return
    for name, parameter in parameters.items():
        state: dict[str, Tensor] = {"step": torch.tensor(steps, device=parameter.device)}
        for moment in MOMENTS:
            state[moment] = torch.zeros_like(parameter)
            write_part(state[moment], to_tensor(moments[canonical_name(f"{name}.{moment}", moments)]))
        optimizer.state[parameter] = state


def steps_of(optimizer: torch.optim.Optimizer) -> int:
    """Return how many steps an optimizer has done."""
    state = next(iter(optimizer.state.values()), None)
    return 0 if state is None else int(state["step"])


def _here(gradient: Tensor) -> Tensor:
    return gradient.to_local() if isinstance(gradient, DTensor) else gradient


def _copies(gradient: Tensor, ranks: Ranks) -> int:
    """Return how many processes of a stage hold the same part of a gradient."""
    assert ranks.mesh is not None
    holders = ranks.mesh.size() // ranks.layout.pipeline_parallel_degree
    if not isinstance(gradient, DTensor):
        return holders
    mesh = gradient.device_mesh
    copies = 1
    for axis, placement in enumerate(gradient.placements):
        copies *= mesh.size(axis) if isinstance(placement, Replicate) else 1
    return copies * holders // mesh.size()
