"""The whole state of a training, gathered from the processes that hold its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor

from headway.recipe import ModelConfig
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.optimizers.updates import Updates, state_array
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import names_of, parameters_of
from headway.training.engines.torch.weights import read_whole, to_numpy


@dataclass(kw_only=True)
class Gathered:
    """Whole arrays by name: complete in the first process, empty in the others."""

    parameters: dict[str, NDArray[Any]] = field(default_factory=dict)
    states: dict[str, NDArray[Any]] = field(default_factory=dict)


def gather(parts: Sequence[Llama], shapes: Mapping[str, torch.Size], updates: Updates, ranks: Ranks) -> Gathered:
    """Gather weights and the optimizer's states in the first process; all processes take part.

    Args:
        parts: of this process.
        shapes: of the weights that are trained, whole, by name.
        updates: of this process's weights.
        ranks: the processes.
    """
    found = Gathered()
    parameters = parameters_of(list(parts))
    owners = _owners(parts[0].config, list(shapes), ranks)
    for name in shapes:
        tensors = {"": parameters[name], **updates.state_of(name)} if name in parameters else None
        wholes = _to_first(tensors, owners[name], ranks)
        for what, whole in ({} if wholes is None else wholes).items():
            if what:
                found.states[f"{name}.{what}"] = state_array(whole)
            else:
                found.parameters[name] = to_numpy(whole)
    return found


def _to_first(tensors: Mapping[str, Tensor] | None, owner: int, ranks: Ranks) -> dict[str, Tensor] | None:
    """Return the whole of some tensors in the first process, and None in the others.

    Args:
        tensors: this process's parts; None where it has none.
        owner: the first of the processes that have parts.
        ranks: the processes.
    """
    wholes = None if tensors is None else {what: read_whole(tensor) for what, tensor in tensors.items()}
    rank = ranks.place.rank
    if rank == owner == 0:
        return wholes
    host = torch.device("cpu")
    if rank == owner and wholes is not None:
        # What there is of a weight depends on the optimizer and on how the owner's part is divided.
        kinds: list[Any] = [(what, tuple(whole.shape), whole.dtype) for what, whole in wholes.items()]
        dist.send_object_list([kinds], dst=0, device=host)
        for whole in wholes.values():
            dist.send(whole.cpu().contiguous(), dst=0)
    elif rank == 0:
        told: list[Any] = [None]
        dist.recv_object_list(told, src=owner, device=host)
        received = {what: torch.empty(shape, dtype=dtype) for what, shape, dtype in told[0]}
        for whole in received.values():
            dist.recv(whole, src=owner)
        return received
    return None


def _owners(config: ModelConfig, names: Sequence[str], ranks: Ranks) -> dict[str, int]:
    """Return the first of the processes that hold the stage of each weight."""
    layout = ranks.layout
    if ranks.mesh is None or layout.pipeline_parallel_degree == 1:
        return dict.fromkeys(names, 0)
    from headway.training.engines.torch.parallel.stages import parts_of, rank_of

    firsts = ranks.mesh.mesh.flatten(1)[:, 0].tolist()
    pieces = parts_of(config, layout.pipeline_parallel_degree * layout.virtual_pipeline_stages)
    return {
        name: firsts[rank_of(stage, layout)] for stage, piece in enumerate(pieces) for name in names_of(names, piece)
    }
