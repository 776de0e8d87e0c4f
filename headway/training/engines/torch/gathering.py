"""The whole state of a training, gathered from the processes that hold its parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor

from headway.recipe import ModelConfig
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.optimizer import MOMENTS
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import names_of, parameters_of
from headway.training.engines.torch.weights import read_whole, to_numpy


@dataclass(kw_only=True)
class Gathered:
    """Whole arrays by name: complete in the first process, empty in the others."""

    parameters: dict[str, NDArray[Any]] = field(default_factory=dict)
    moments: dict[str, NDArray[Any]] = field(default_factory=dict)


def gather(
    parts: Sequence[Llama], shapes: Mapping[str, torch.Size], optimizer: torch.optim.Optimizer, ranks: Ranks
) -> Gathered:
    """Gather weights and moments in the first process; all processes take part.

    Args:
        parts: of this process.
        shapes: of the weights that are trained, whole, by name.
        optimizer: of this process's weights.
        ranks: the processes.
    """
    found = Gathered()
    parameters = parameters_of(list(parts))
    owners = _owners(parts[0].config, list(shapes), ranks)
    for name, shape in shapes.items():
        tensors = [parameters[name], *_moments(parameters[name], optimizer)] if name in parameters else None
        wholes = _to_first(tensors, shape, owners[name], ranks)
        if wholes is None:
            continue
        found.parameters[name] = to_numpy(wholes[0])
        for moment, whole in zip(MOMENTS, wholes[1:], strict=True):
            found.moments[f"{name}.{moment}"] = to_numpy(whole)
    return found


def _moments(parameter: Tensor, optimizer: torch.optim.Optimizer) -> Iterator[Tensor]:
    state = optimizer.state.get(parameter, {})
    for moment in MOMENTS:
        yield state[moment] if moment in state else torch.zeros_like(parameter)


def _to_first(tensors: list[Tensor] | None, shape: torch.Size, owner: int, ranks: Ranks) -> list[Tensor] | None:
    """Return the whole of some tensors of one shape in the first process, and None in the others.

    Args:
        tensors: this process's parts; None where it has none.
        shape: of each whole.
        owner: the first of the processes that have parts.
        ranks: the processes.
    """
    wholes = None if tensors is None else [read_whole(tensor) for tensor in tensors]
    rank = ranks.place.rank
    if rank == owner == 0:
        return wholes
    if rank == owner and wholes is not None:
        for whole in wholes:
            dist.send(whole.cpu().contiguous(), dst=0)
    elif rank == 0:
        received = [torch.empty(shape) for _ in range(1 + len(MOMENTS))]
        for whole in received:
            dist.recv(whole, src=owner)
        return received
    return None


def _owners(config: ModelConfig, names: Sequence[str], ranks: Ranks) -> dict[str, int]:
    """Return the first of the processes that hold the stage of each weight."""
    layout = ranks.layout
    if ranks.mesh is None or layout.pipeline_parallel_degree == 1:
        return dict.fromkeys(names, 0)
    from headway.training.engines.torch.parallel.stages import parts_of

    firsts = ranks.mesh.mesh.flatten(1)[:, 0].tolist()
    pieces = parts_of(config, layout.pipeline_parallel_degree * layout.virtual_pipeline_stages)
    return {
        name: firsts[stage % layout.pipeline_parallel_degree]
        for stage, piece in enumerate(pieces)
        for name in names_of(names, piece)
    }
