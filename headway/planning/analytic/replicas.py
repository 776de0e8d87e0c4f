"""What devices that hold the same weights send each other: gradients, and weights where they are divided.

Source: Rajbhandari et al. 2020 (arXiv:1910.02054), sections 5 and 7 (volumes of the stages); Zhao et al. 2023
(arXiv:2304.11277), section 3 (gathering of weights, layer by layer, ahead of their use).
Leaves out: in-network reduction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from headway.planning.analytic.collectives import Collective, seconds
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import GRADIENTS, PARAMETERS, Floats, Layouts
from headway.planning.analytic.splits import Repeated


@dataclass(frozen=True, kw_only=True)
class StagePasses:
    """One micro-batch on one stage, in seconds: of the device, or of its host where that is slower.

    Attributes:
        forward: pass.
        backward: pass.
        spare: by how much both are shorter than those of the slowest stage, for which this one waits.
    """

    forward: Floats
    backward: Floats
    spare: Floats | float = 0.0


@dataclass(frozen=True, kw_only=True)
class ReplicaSeconds:
    """Seconds of each kind of collective, once: of gradients, of weights, and of gradients between shard groups."""

    reduce: Floats
    gather: Floats
    outer: Floats


@dataclass(frozen=True, kw_only=True)
class ReplicaCollectives:
    """The same kinds, each the collectives of shared weights and of experts."""

    reduce: tuple[Collective, ...]
    gather: tuple[Collective, ...]
    outer: tuple[Collective, ...]


def exposed_seconds(
    job: Job, hardware: Hardware, split: Layouts, held: Holdings, stages: Sequence[StagePasses]
) -> Floats:
    """Return the seconds of a step that data-parallel communication adds to it.

    That is what no computation hides, and by how much the rest slows what hides it. Each stage has its own, and is over
    when it is; one that is not the slowest has time to spare.
    """
    kinds = replica_collectives(job, hardware, split, held)
    once = ReplicaSeconds(
        reduce=_all_seconds(hardware, kinds.reduce),
        gather=_all_seconds(hardware, kinds.gather),
        outer=_all_seconds(hardware, kinds.outer),
    )
    rounds = replica_rounds(job, split)
    total = rounds.reduce * once.reduce + rounds.gather * once.gather + rounds.outer * once.outer
    if not job.overlaps_communication:
        return total
    found = [_beside(job, hardware, split, once, one, rounds, total) for one in stages]
    if len(stages) == 1:
        return found[0]
    later = [shown - split.micro_batches * one.spare for shown, one in zip(found, stages, strict=True)]
    return reduce(np.maximum, later)


def _beside(
    job: Job,
    hardware: Hardware,
    split: Layouts,
    once: ReplicaSeconds,
    passes: StagePasses,
    rounds: ReplicaSeconds,
    total: Floats,
) -> Floats:
    """Return what communication beside the passes of one stage adds to them."""
    buckets = hardware.losses.buckets
    exposed = np.where(
        split.shard == PARAMETERS,
        _divided(job, split, once, rounds, passes, buckets),
        _whole(once, rounds.reduce, passes, buckets),
    )
    exposed = exposed + hardware.losses.contention * np.maximum(total - exposed, 0.0)
    return np.where(total > 0, np.minimum(exposed, total), 0.0)


def replica_rounds(job: Job, split: Layouts) -> ReplicaSeconds:
    """Return how often each kind happens in a step.

    Divided weights are gathered for every micro-batch, and again for its backward pass where they were dropped. In a
    pipeline several micro-batches are under way, so that weights which are not dropped stay until the last of them.
    Divided gradients leave in every micro-batch, since a device has no room for the sums of others (ZeRO's stages 2
    and 3); otherwise they add up first. In a pipeline the second stage adds up first too, and the third in programs
    that say so (`states` holds the sums).
    Source: Rajbhandari et al. 2020, section 5.2; Llama Team 2024 (arXiv:2407.21783), section 3.3.2 (sums in fp32 over
    micro-batches, then scattered); DeepSpeed, pipe/engine.py (refuses the second stage); PyTorch,
    torch/distributed/pipelining/stage.py, ``backward_maybe_with_nosync`` (FSDP's weights stay, and gradients leave,
    with the last micro-batch).
    """
    divided, in_stages = split.shard == PARAMETERS, split.pipeline > 1
    adds_up = in_stages & ((split.shard == GRADIENTS) | (divided & job.keeps.holds_unsharded_gradients))
    leaves = (divided | (split.shard == GRADIENTS)) & ~adds_up
    gathers = np.where(in_stages & (split.reshards == 0), 1.0, split.micro_batches * (1 + split.reshards))
    return ReplicaSeconds(
        reduce=np.where(leaves, split.micro_batches, 1.0),
        gather=np.where(divided, gathers, 1.0),
        outer=np.ones_like(split.data),
    )


def repeated(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> tuple[Repeated, ...]:
    """Return all data-parallel collectives, and how often a device does each in a step."""
    kinds, rounds = replica_collectives(job, hardware, split, held), replica_rounds(job, split)
    return tuple(
        Repeated(part="data_communication_seconds", collective=one, times=getattr(rounds, name))
        for name in ("reduce", "gather", "outer")
        for one in getattr(kinds, name)
    )


def replica_collectives(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> ReplicaCollectives:
    """Return the collectives of gradients and weights, each once.

    An all-reduce is a scatter of sums and a gathering of them; frozen weights travel only where they are divided.
    Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 7; Zhao et al. 2023 (arXiv:2304.11277), section 3.2.
    Leaves out: padding of buckets.
    """
    numbers = job.numerics
    divided = split.shard == PARAMETERS
    weight_bytes = numbers.gathered_bytes if job.adapter is None else job.adapter.base_bytes
    returned_bytes = np.where(split.shard > 0, numbers.gathered_bytes, numbers.reduced_bytes)
    reduced = (held.trained_shared * numbers.reduced_bytes, held.trained_experts * numbers.reduced_bytes)
    gathered = (
        np.where(divided, held.shared * weight_bytes, held.trained_shared * returned_bytes),
        np.where(divided, held.experts * weight_bytes, held.trained_experts * returned_bytes),
    )
    return ReplicaCollectives(
        reduce=_rings(job, hardware, split, reduced),
        gather=_rings(job, hardware, split, gathered),
        outer=_outer(job, hardware, split, held),
    )


def _rings(job: Job, hardware: Hardware, split: Layouts, sent_bytes: tuple[Floats, Floats]) -> tuple[Collective, ...]:
    """Return a scatter or a gathering of what all devices share and, where there are any, of experts.

    Divided weights go layer by layer, all else in buckets; sums that nobody divides may take a tree.
    """
    buckets, sums = hardware.losses.buckets, (split.shard == 0).astype(np.float64)
    shared = Collective(
        kind="ring",
        sent_bytes=sent_bytes[0],
        group=np.where(split.shard > 0, split.shard_group, split.replicas),
        stride=split.tensor,
        calls=np.where(split.shard == PARAMETERS, job.shape.layers / split.pipeline, buckets),
        in_tree=sums,
    )
    if not job.shape.experts:
        return (shared,)
    experts = Collective(
        kind="ring",
        sent_bytes=sent_bytes[1],
        group=split.expert_replicas,
        stride=split.expert * split.expert_tensor,
        calls=buckets,
        in_tree=sums,
    )
    return shared, experts


def _outer(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> tuple[Collective, ...]:
    """Return the averaging of a device's own part of the gradients with its copies in other groups.

    It is an all-reduce: the part is scattered and gathered.
    """
    group = split.shard_group
    outer = np.where(split.shard > 0, np.maximum(split.replicas / group, 1.0), 1.0)
    if not np.any(outer > 1):
        return ()
    part = 2 * held.trained_shared * job.numerics.reduced_bytes / group
    buckets = 2 * hardware.losses.buckets
    stride = split.tensor * group
    return (Collective(kind="ring", sent_bytes=part, group=outer, stride=stride, calls=buckets, in_tree=1.0),)


def _all_seconds(hardware: Hardware, found: tuple[Collective, ...]) -> Floats:
    return np.asarray(reduce(np.add, (seconds(hardware, one) for one in found), np.zeros(1)))


def _whole(once: ReplicaSeconds, reductions: Floats, passes: StagePasses, buckets: float) -> Floats:
    """Return exposed seconds where every device computes with weights of its own.

    Gradients leave during a backward pass: the last, or each of them; weights come back during the first forward pass.
    The last bucket has nothing to hide behind.
    """
    earlier = (reductions - 1) * np.maximum(once.reduce - passes.backward, 0.0)
    last = np.maximum(once.reduce + once.outer - passes.backward, 0.0)
    returned = np.maximum(once.gather - passes.forward, 0.0)
    exposed: Floats = earlier + last + returned + (once.reduce + once.gather + once.outer) / buckets
    return exposed


def _divided(
    job: Job, split: Layouts, once: ReplicaSeconds, rounds: ReplicaSeconds, passes: StagePasses, buckets: float
) -> Floats:
    """Return exposed seconds where weights are gathered for the passes of micro-batches.

    Sums of other groups are added up during the last backward pass, after its own gatherings and scatters.
    """
    again = once.gather * split.reshards
    first_and_last = (once.gather + once.reduce) / np.maximum(job.shape.layers / split.pipeline, 1.0)
    leaving = np.where(rounds.reduce > 1, once.reduce, 0.0)
    earlier = (split.micro_batches - 1) * np.maximum(again + leaving - passes.backward, 0.0)
    last = np.maximum(again + once.reduce + once.outer - passes.backward, once.outer / buckets)
    gathered = rounds.gather / (1 + split.reshards) * np.maximum(once.gather - passes.forward, 0.0)
    exposed: Floats = gathered + earlier + last + first_and_last
    return exposed
