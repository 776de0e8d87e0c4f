"""The few shares by which real trainings fall short that belong to no kernel: what hides, what disturbs, what waits."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from headway.planning.constants import constant


@dataclass(frozen=True, kw_only=True)
class Losses:
    """Shares from the catalogue.

    Attributes:
        tensor_overlap: of tensor-parallel communication that products hide where they are cut into pieces for it.
        expert_overlap: of the exchange of tokens between experts that computation hides where it is scheduled for it.
        neighbour_overlap: of the sends between stages that computation hides.
        contention: communication beside computation slows it by this share of its own time.
        waiting_per_doubling: every doubling of the devices costs this share of a step, since all wait for the slowest.
        dispatch_stall_seconds: forward and backward pass of one layer wait so long for the host to learn how many
            tokens each expert has.
        buckets: pieces in which gradients leave; the last has nothing to hide behind.
        expansion_efficiency: share of the reachable memory bandwidth at which quantised weights are expanded.
        expert_host_factor: by which a layer of experts has more operations to start than a dense one, its experts'
            own apart.
        host_link_bytes_per_second: between a device and its host, as copies reach it.
        host_memory_bytes_per_second: one device's share of its server's memory bandwidth.
    """

    tensor_overlap: float
    expert_overlap: float
    neighbour_overlap: float
    contention: float
    waiting_per_doubling: float
    buckets: float
    dispatch_stall_seconds: float
    expansion_efficiency: float
    expert_host_factor: float
    host_link_bytes_per_second: float
    host_memory_bytes_per_second: float


@cache
def losses() -> Losses:
    """Return the shares."""
    return Losses(
        tensor_overlap=constant("tensor-communication-overlap"),
        expert_overlap=constant("expert-communication-overlap"),
        neighbour_overlap=constant("stage-communication-overlap"),
        contention=constant("communication-contention"),
        waiting_per_doubling=constant("waiting-per-doubling"),
        buckets=constant("gradient-buckets"),
        dispatch_stall_seconds=constant("expert-dispatch-stall"),
        expansion_efficiency=constant("expansion-efficiency"),
        expert_host_factor=constant("expert-host-factor"),
        host_link_bytes_per_second=constant("host-link-rate"),
        host_memory_bytes_per_second=constant("host-memory-rate-per-device"),
    )
