"""Where a process stands among those of its training, as its launcher says it in the environment."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from headway.errors import TrainingError

RENDEZVOUS = "HEADWAY_RENDEZVOUS"
"""Environment variable: where processes meet, as PyTorch's ``init_method``; ``env://`` where it is not set."""


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a process stands.

    Attributes:
        rank: its number among all.
        size: how many there are.
        local_rank: its number on this machine, which is that of its device.
        local_size: how many share this machine.
    """

    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1

    def to_environment(self) -> dict[str, str]:
        """Return the variables that say so, as torchrun names them."""
        values = (self.rank, self.size, self.local_rank, self.local_size)
        return {name: str(value) for name, value in zip(_VARIABLES, values, strict=True)}


_VARIABLES = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
"""Source: PyTorch documentation, "torchrun", environment variables."""


def place_of(environment: Mapping[str, str]) -> Place:
    """Return the place that a launcher gave; one process of one where there was none.

    Raises:
        TrainingError: a variable is not a number, or a rank lies outside its world.
    """
    if _VARIABLES[0] not in environment:
        return Place()
    rank, size, local_rank, local_size = (
        _number(environment, name, default) for name, default in zip(_VARIABLES, (0, 1, 0, 1), strict=True)
    )
    if rank >= size:
        raise TrainingError("training-rank", variable=_VARIABLES[0], value=str(rank))
    return Place(rank=rank, size=size, local_rank=local_rank, local_size=max(local_size, 1))


def _number(environment: Mapping[str, str], name: str, default: int) -> int:
    text = environment.get(name, str(default))
    if not text.isdecimal():
        raise TrainingError("training-rank", variable=name, value=text)
    return int(text)
