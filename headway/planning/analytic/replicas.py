"""What devices that hold the same weights send each other: gradients, and weights where they are divided.

Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 7 (volumes of the stages); Zhao et al. 2023
(arXiv:2304.11277), section 3 (gathering of weights, layer by layer, ahead of their use).
Leaves out: in-network reduction.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headway.planning.analytic import collectives
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings
from headway.planning.analytic.job import Job
from headway.planning.analytic.layouts import PARAMETERS, Floats, Layouts


@dataclass(frozen=True, kw_only=True)
class StagePasses:
    """One micro-batch on one stage, in seconds."""

    forward: Floats
    backward: Floats


@dataclass(frozen=True, kw_only=True)
class ReplicaTraffic:
    """Communication of data-parallel devices in a step.

    Attributes:
        exposed: seconds that no computation hides, and by which it slows what hides it.
        total: seconds of all collectives.
        hiding: seconds of the computation that they can hide behind.
        sent_up_bytes: that one device sends over the fast link.
        sent_out_bytes: that one device sends over the network.
    """

    exposed: Floats
    total: Floats
    hiding: Floats
    sent_up_bytes: Floats
    sent_out_bytes: Floats


@dataclass(frozen=True, kw_only=True)
class _Collectives:
    """Seconds of each kind of collective, once: of gradients, of weights, and of gradients between shard groups."""

    reduce: Floats
    gather: Floats
    outer: Floats


def replica_traffic(
    job: Job, hardware: Hardware, split: Layouts, held: Holdings, passes: StagePasses
) -> ReplicaTraffic:
    """Return the communication of data-parallel devices."""
    gathers = split.shard == PARAMETERS
    gather_bytes, expert_bytes = _gathered_bytes(job, split, held)
    once = _collectives(job, hardware, split, held, gather_bytes, expert_bytes)
    buckets = hardware.losses.buckets
    whole, divided = _whole(job, once, passes, buckets), _divided(job, split, once, passes, buckets)
    exposed, total = (np.where(gathers, divided[index], whole[index]) for index in (0, 1))
    several = split.replicas > 1
    exposed = np.where(several, exposed + hardware.losses.contention * np.maximum(total - exposed, 0.0), 0.0)
    rounds = np.where(gathers, split.micro_batches, 1.0)
    sent = rounds * (1 + np.where(gathers, split.reshards, 0.0)) * gather_bytes
    sent = sent + rounds * held.trained_shared * job.numerics.reduced_bytes
    inner = np.where(split.shard > 0, split.shard_group, split.replicas)
    inside = collectives.members_in_domain(hardware, inner, split.tensor)
    domains = inner / inside
    return ReplicaTraffic(
        exposed=exposed,
        total=np.where(several, total, 0.0),
        hiding=rounds * (passes.forward + passes.backward),
        sent_up_bytes=sent * (inside - 1) / inside,
        sent_out_bytes=np.where(domains > 1, sent / inside * (domains - 1) / domains, 0.0),
    )


def _gathered_bytes(job: Job, split: Layouts, held: Holdings) -> tuple[Floats, Floats]:
    """Return the bytes of weights that are gathered once, experts apart.

    An all-reduce is a scatter of sums and a gathering of them; frozen weights travel only where they are divided.
    """
    numbers = job.numerics
    gathers = split.shard == PARAMETERS
    weight_bytes = numbers.gathered_bytes if job.adapter is None else job.adapter.base_bytes
    returned_bytes = np.where(split.shard > 0, numbers.gathered_bytes, numbers.reduced_bytes)
    return (
        np.where(gathers, held.shared * weight_bytes, held.trained_shared * returned_bytes),
        np.where(gathers, held.experts * weight_bytes, held.trained_experts * returned_bytes),
    )


def _collectives(
    job: Job, hardware: Hardware, split: Layouts, held: Holdings, gather_bytes: Floats, expert_bytes: Floats
) -> _Collectives:
    stride, group, replicas = split.tensor, split.shard_group, split.replicas
    reduced_bytes = job.numerics.reduced_bytes
    inner = np.where(split.shard > 0, group, replicas)
    expert_stride = split.expert * split.expert_tensor
    layers = job.shape.layers / split.pipeline
    calls = np.where(split.shard == PARAMETERS, layers, hardware.losses.buckets)

    def ring(sent: Floats, sent_experts: Floats) -> Floats:
        shared = collectives.ring_seconds(hardware, sent, inner, stride, calls)
        if not job.shape.experts:
            return shared
        return shared + collectives.ring_seconds(
            hardware, sent_experts, split.expert_replicas, expert_stride, hardware.losses.buckets
        )

    # Outside its group a device averages its own part of the gradients with its copies elsewhere.
    outer = np.maximum(replicas / group, 1.0)
    part = held.trained_shared * reduced_bytes / group
    beyond = 2 * collectives.ring_seconds(hardware, part, outer, stride * group, hardware.losses.buckets)
    return _Collectives(
        reduce=ring(held.trained_shared * reduced_bytes, held.trained_experts * reduced_bytes),
        gather=ring(gather_bytes, expert_bytes),
        outer=np.where((split.shard > 0) & (outer > 1), beyond, 0.0),
    )


def _whole(job: Job, once: _Collectives, passes: StagePasses, buckets: float) -> tuple[Floats, Floats]:
    """Return exposed and total seconds where every device computes with weights of its own.

    Gradients leave during the last backward pass, and weights come back during the first forward pass.
    """
    total = once.reduce + once.gather + once.outer
    if not job.overlaps_communication:
        return total, total
    beyond = np.maximum(once.reduce + once.outer - passes.backward, 0.0)
    beyond = beyond + np.maximum(once.gather - passes.forward, 0.0)
    return beyond + total / buckets, total


def _divided(
    job: Job, split: Layouts, once: _Collectives, passes: StagePasses, buckets: float
) -> tuple[Floats, Floats]:
    """Return exposed and total seconds where weights are gathered for every pass of every micro-batch."""
    rounds = split.micro_batches
    again = once.gather * split.reshards
    total = rounds * (once.gather + again + once.reduce) + once.outer
    if not job.overlaps_communication:
        return total, total
    first_and_last = (once.gather + once.reduce) / np.maximum(job.shape.layers / split.pipeline, 1.0)
    exposed = rounds * np.maximum(once.gather - passes.forward, 0.0)
    exposed = exposed + rounds * np.maximum(again + once.reduce - passes.backward, 0.0)
    exposed = exposed + np.maximum(once.outer - passes.backward, once.outer / buckets)
    return exposed + first_and_last, total
