"""The whole state of a training, gathered from the processes that hold its parts, one array at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Any, Self, final

import numpy as np
import torch
import torch.distributed as dist
from numpy.typing import NDArray
from torch import Tensor

from headway.recipe import ModelConfig
from headway.resilience.checkpoint.division import KINDS, Division, shared_out
from headway.resilience.checkpoint.snapshot import LazyArrays, described
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.optimizers.updates import Updates, state_array
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import names_of, parameters_of
from headway.training.engines.torch.weights import read_whole

Kind = tuple[tuple[int, ...], torch.dtype]
"""Whole shape and type of a tensor."""
Kinds = dict[str, Kind]
"""By the tensor's name in a checkpoint."""


@final
class Arriving(LazyArrays):
    """Arrays of the first process, each gathered when it is asked for; in their order.

    Args:
        kinds: of each.
        fetch: gathers one.
    """

    def __init__(self, kinds: Kinds, fetch: Callable[[str], Tensor]) -> None:
        self.shapes = {name: shape for name, (shape, _) in kinds.items()}
        self._dtypes = {name: state_array(torch.empty(0, dtype=dtype)).dtype for name, (_, dtype) in kinds.items()}
        self._fetch = fetch

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of an array's numbers; see `LazyArrays.dtype_of`."""
        return self._dtypes[name]

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Gather an array."""
        return state_array(self._fetch(name))


@dataclass(frozen=True, kw_only=True)
class _Source:
    """Where a tensor comes from: this process's part, if it has one, and the first of those that have."""

    part: Callable[[], Tensor] | None
    owner: int


@final
class Stream:
    """Weights and the optimizer's states, on their way to the first process; all processes take part, in one order.

    The first process reads the arrays; the others give them when the context ends. Whatever the first process has not
    read until then is gathered and dropped, so that nobody waits in vain.

    Args:
        parts: of this process.
        shapes: of the weights that are trained, whole, by name.
        updates: of this process's weights.
        ranks: the processes.
    """

    def __init__(
        self, parts: Sequence[Llama], shapes: Mapping[str, torch.Size], updates: Updates, ranks: Ranks
    ) -> None:
        self._ranks = ranks
        own = parameters_of(list(parts))
        owners = _owners(parts[0].config, list(shapes), ranks)
        weights: dict[str, Tensor] = {name: own[name] for name in shapes if name in own}
        # A state may lodge elsewhere until it is its turn.
        states = {
            f"{name}.{what}": (partial(_state, updates, name, what), _kind_of(value))
            for name in weights
            for what, value in updates.state_of(name).items()
        }
        weight_kinds, state_kinds = self._told(
            {name: _kind_of(weight) for name, weight in weights.items()},
            {key: kind for key, (_, kind) in states.items()},
        )
        # In the order of the model, whoever has a part.
        names = [name for name in shapes if name in weight_kinds]
        keys = sorted(state_kinds, key=lambda key: (names.index(key.rpartition(".")[0]), key))
        self._sources = {
            name: _Source(part=partial(_itself, weights[name]) if name in weights else None, owner=owners[name])
            for name in names
        }
        self._sources |= {
            key: _Source(part=states[key][0] if key in states else None, owner=owners[key.rpartition(".")[0]])
            for key in keys
        }
        self._kinds = weight_kinds | state_kinds
        self._waiting = list(self._sources)
        self.parameters = Arriving({name: weight_kinds[name] for name in names}, self._fetch)
        self.states = Arriving({key: state_kinds[key] for key in keys}, self._fetch)

    @property
    def both(self) -> tuple[Arriving, Arriving]:
        """Weights and states, in the order in which they have to be read."""
        return self.parameters, self.states

    def division(self) -> Division:
        """Share out whole arrays among the processes that have them anyway while they are gathered."""
        both = {
            kind: {name: described(arrays, name) for name in arrays}
            for kind, arrays in zip(KINDS, self.both, strict=True)
        }
        sizes = {name: one.nbytes for each in both.values() for name, one in each.items()}
        mesh = self._ranks.mesh
        rows = [[self._ranks.place.rank]] if mesh is None else mesh.mesh.flatten(1).tolist()
        if self._ranks.layout.pipeline_parallel_degree == 1:
            rows = [[rank for row in rows for rank in row]]
        by_owner = {min(row): row for row in rows}
        candidates = {name: by_owner[self._sources[name].owner] for name in sizes}
        return Division(described=both, writers=shared_out(sizes, candidates))

    def own(self, division: Division) -> Iterator[tuple[str, NDArray[Any]]]:
        """Yield the arrays that this process writes, each whole; all processes must go through to the end.

        Args:
            division: of all arrays.
        """
        while self._waiting:
            name = self._waiting.pop(0)
            part = self._sources[name].part
            if part is None:
                continue
            whole = read_whole(part())
            if division.writers[name] == self._ranks.place.rank:
                yield name, state_array(whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Give what was not asked for."""
        while self._waiting:
            self._give(self._waiting.pop(0))

    def _told(self, *own: Kinds) -> list[Kinds]:
        """Return the kinds of all processes' tensors: what there is of a weight depends on how its owner divides it."""
        if self._ranks.layout.pipeline_parallel_degree == 1:
            return list(own)
        told: list[Any] = [None] * self._ranks.place.size
        dist.all_gather_object(told, own)
        return [{name: kind for each in told for name, kind in each[index].items()} for index in range(len(own))]

    def _fetch(self, name: str) -> Tensor:
        if self._ranks.mesh is not None:
            assert self._waiting, f"{name} was read twice"
            assert self._waiting[0] == name, f"{name} was read before {self._waiting[0]}"
            self._waiting.pop(0)
        whole = self._give(name)
        assert whole is not None, "asked in the first process"
        return whole

    def _give(self, name: str) -> Tensor | None:
        """Return the whole of a tensor in the first process, and None in the others."""
        source, rank = self._sources[name], self._ranks.place.rank
        whole = None if source.part is None else read_whole(source.part())
        if rank == source.owner:
            if rank == 0:
                return whole
            assert whole is not None, "its owner has it"
            dist.send(whole.cpu().contiguous(), dst=0)
        elif rank == 0:
            shape, dtype = self._kinds[name]
            received = torch.empty(shape, dtype=dtype)
            dist.recv(received, src=source.owner)
            return received
        return None


def _kind_of(tensor: Tensor) -> Kind:
    return tuple(tensor.shape), tensor.dtype


def _itself(tensor: Tensor) -> Tensor:
    return tensor


def _state(updates: Updates, name: str, what: str) -> Tensor:
    return updates.state_of(name)[what]


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
