"""What a recipe fixes of the layout, in the words of the search."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the recipe fixes; None leaves it to the search."""

    data: int | None = None
    tensor: int | None = None
    pipeline: int | None = None
    virtual: int | None = None
    context: int | None = None
    expert: int | None = None
    expert_tensor: int | None = None
    shard: str | None = None
    shard_group: int | None = None
    reshards: bool | None = None
    micro_batch: int | None = None
    recompute: str | None = None
    sequence_parallel: bool | None = None
    offload_optimizer: bool = False
    offload_activations: bool = False
