"""How long one step takes under each layout: computation, exposed communication, bubble, update, host.

Source: Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2 and 3 (schedules, bubble, communication); Korthikanti et
al. 2022 (arXiv:2205.05198), section 4.2 (sequence parallelism); Zhao et al. 2023 (arXiv:2304.11277), section 3 (FSDP);
Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (ring attention).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headway.planning.analytic import collectives, kernels
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings, holdings
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes, pass_times, tokens_of
from headway.planning.analytic.layouts import Floats, Layouts

TENSOR_OVERLAP = 0.6
"""Share of tensor-parallel communication that products hide where they are cut into pieces for it.

Source: Chang et al. 2024, "FLUX" (arXiv:2406.06858), figure 10 reads 0.4 to 0.9."""

BUCKETS = 12.0
"""Gradients leave in about so many pieces; the last has nothing to hide behind."""

NEIGHBOUR_OVERLAP = 0.5
"""Share of the sends between stages that computation hides."""

CONTENTION = 0.12
"""Communication that runs beside computation takes cores and memory bandwidth from it: it slows the computation by this
share of its own time."""

JITTER_PER_DOUBLING = 0.005
"""Every doubling of the devices costs so much: all wait for the slowest."""


@dataclass(frozen=True, kw_only=True)
class StepTimes:
    """Seconds of a step, arrays of shape [layouts]; `parts` sum to `seconds`.

    Attributes:
        parts: by name.
        forward_seconds: one micro-batch through the whole model, alone.
        data_seconds: all data-parallel communication, hidden or not.
        hiding_seconds: the computation that it can hide behind.
        sent_up_bytes: that one device sends over the fast link.
        sent_out_bytes: that one device sends over the network.
    """

    parts: dict[str, Floats]
    forward_seconds: Floats
    data_seconds: Floats
    hiding_seconds: Floats
    sent_up_bytes: Floats
    sent_out_bytes: Floats

    @property
    def seconds(self) -> Floats:
        """The whole step."""
        return np.asarray(sum(self.parts.values()))


def step_times(job: Job, hardware: Hardware, split: Layouts) -> StepTimes:
    """Return the times of a step for every layout."""
    held = holdings(job, split)
    passes = pass_times(job, hardware, split)
    tokens = tokens_of(job, split)
    tensor_forward, tensor_backward = _tensor(job, hardware, split, tokens)
    expert = _expert(job, hardware, split, tokens)
    context_forward, context_backward = _context(job, hardware, split, tokens, passes)
    slot_forward = passes.layers_forward + tensor_forward + 2 * expert + context_forward
    slot_backward = passes.layers_backward + tensor_backward + 2 * expert + context_backward
    again_full = (split.recompute == 3) * split.recompute_share
    slot_backward = slot_backward + again_full * (tensor_forward + 2 * expert)
    stage = _stages(job, split, slot_forward + slot_backward, passes)
    communication = _data(job, hardware, split, held, slot_forward, slot_backward, passes)
    host = _host(split, passes, stage)
    compute_share = (passes.layers_forward + passes.layers_backward) / (slot_forward + slot_backward)
    layers_seconds = split.micro_batches * (slot_forward + slot_backward) / split.pipeline
    head_seconds = split.micro_batches * stage.head
    parts = {
        "compute_seconds": layers_seconds * compute_share - split.micro_batches * passes.again / split.pipeline,
        "recompute_seconds": split.micro_batches * passes.again / split.pipeline,
        "tensor_communication_seconds": layers_seconds
        * (tensor_forward * (1 + again_full) + tensor_backward)
        / (slot_forward + slot_backward),
        "expert_communication_seconds": layers_seconds * expert * (4 + 2 * again_full) / (slot_forward + slot_backward),
        "context_communication_seconds": layers_seconds
        * (context_forward + context_backward)
        / (slot_forward + slot_backward),
        "head_seconds": head_seconds,
        "bubble_seconds": stage.bubble,
        "pipeline_communication_seconds": _neighbours(job, hardware, split, tokens),
        "data_communication_seconds": communication.exposed,
        "optimizer_seconds": _update(job, hardware, split, held),
        "host_seconds": host,
    }
    busy = sum(parts.values())
    parts["waiting_seconds"] = busy * JITTER_PER_DOUBLING * np.log2(np.maximum(hardware.devices, 1))
    return StepTimes(
        parts=parts,
        forward_seconds=slot_forward + passes.head_forward,
        data_seconds=communication.total,
        hiding_seconds=communication.hiding,
        sent_up_bytes=communication.sent_up_bytes,
        sent_out_bytes=communication.sent_out_bytes,
    )


@dataclass(frozen=True, kw_only=True)
class _Stages:
    head: Floats
    """Of the head in a micro-batch, as far as the slowest stage waits for it."""
    bubble: Floats


def _stages(job: Job, split: Layouts, slot: Floats, passes: PassTimes) -> _Stages:
    """Return what an uneven division and the schedule add.

    A stage waits (pipeline - 1) / virtual micro-batches of its own at the ends of a step. The last stage has the head
    besides; where the layers do not divide evenly, it is given fewer of them.
    """
    layers = float(job.shape.layers)
    chunks = split.pipeline * split.virtual
    most = np.ceil(layers / chunks) * split.virtual
    head = passes.head_forward + passes.head_backward
    per_layer = slot / layers
    is_even = np.isclose(layers % chunks, 0)
    even = layers / split.pipeline
    last = np.where(is_even, even, np.maximum(layers - most * (split.pipeline - 1), 0.0))
    slowest = np.maximum(np.where(is_even, even, most) * per_layer, last * per_layer + head)
    slowest = np.where(split.pipeline == 1, slot + head, slowest)
    own = slot / split.pipeline
    bubble = (split.pipeline - 1) / split.virtual * (own + head / split.pipeline)
    return _Stages(head=slowest - own, bubble=bubble)


def _host(split: Layouts, passes: PassTimes, stage: _Stages) -> Floats:
    """Return the time by which the host's starting of operations exceeds the device's computing."""
    device = (passes.layers_forward + passes.layers_backward) / split.pipeline + stage.head
    full = np.where(split.recompute == 3, split.recompute_share, 0.0)
    host = (passes.host_forward * (1 + full) + passes.host_backward) / split.pipeline
    excess: Floats = split.micro_batches * np.maximum(host - device, 0.0)
    return excess


def _tensor(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    """Return the exposed time of tensor-parallel collectives of all layers, forward and backward.

    Attention and the MLP each gather their input and scatter the sum of their outputs (or all-reduce it, which is both
    at once). Where sequences are divided too, the backward pass gathers the inputs a second time.
    """
    layers = float(job.shape.layers)
    buffer = tokens * job.shape.hidden * job.numerics.value_bytes
    # Experts that are not divided by the tensor group need no collectives of it.
    blocks = 1 + (job.shape.dense_layers + job.shape.sparse_layers * (split.expert_tensor > 1)) / layers
    if job.shape.shared_inner:
        blocks = np.full_like(tokens, 2.0)
    calls = 2 * blocks * layers
    one_way = collectives.ring_seconds(hardware, calls * buffer, split.tensor, 1.0, calls)
    exposed = np.where(split.tensor > 1, one_way * (1 - TENSOR_OVERLAP * job.overlaps_tensor_communication), 0.0)
    return exposed, exposed


def _expert(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the time of one exchange of tokens between the experts of all layers."""
    if not job.shape.experts:
        return np.zeros_like(tokens)
    sent = tokens / split.tensor * job.shape.chosen_experts * job.shape.hidden * job.numerics.value_bytes
    layers = float(job.shape.sparse_layers)
    # A token goes to several experts of one device only once where the exchange knows of devices; taken as it is.
    stride = np.where(split.expert_tensor > 1, split.expert_tensor, 1.0)
    seconds = collectives.exchange_seconds(hardware, sent * layers, split.expert, stride, layers)
    return np.where(split.expert > 1, seconds, 0.0)


def _context(job: Job, hardware: Hardware, split: Layouts, tokens: Floats, passes: PassTimes) -> tuple[Floats, Floats]:
    """Return the time of passing keys and values around that attention does not hide, forward and backward."""
    shape = job.shape
    width = (shape.key_width + shape.value_width) * shape.key_value_heads / split.tensor
    sent = tokens * width * job.numerics.value_bytes * (split.context - 1) * shape.layers
    calls = (split.context - 1) * shape.layers
    seconds = collectives.neighbour_seconds(hardware, sent, split.tensor * (split.context > 1), calls)
    steps = np.maximum(split.context, 1.0)
    forward = np.maximum(seconds - passes.forward["attention"] * (1 - 1 / steps), 0.0)
    backward = np.maximum(2 * seconds - passes.backward["attention"] * (1 - 1 / steps), 0.0)
    return np.where(split.context > 1, forward, 0.0), np.where(split.context > 1, backward, 0.0)


def _neighbours(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the exposed time of sends between stages."""
    buffer = tokens * job.shape.hidden * job.numerics.value_bytes
    buffer = buffer / np.where(split.sequence_parallel > 0, split.tensor, 1.0)
    stride = split.tensor * split.context * split.data
    calls = 2 * split.virtual * split.micro_batches
    seconds = collectives.neighbour_seconds(hardware, calls * buffer, stride, calls)
    hidden = NEIGHBOUR_OVERLAP if job.overlaps_communication else 0.0
    return np.where(split.pipeline > 1, (1 - hidden) * seconds, 0.0)


def _update(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> Floats:
    """Return the time of adding up gradients, their norm and the optimizer."""
    numbers = job.numerics
    states = numbers.optimizer_bytes + (numbers.weight_bytes if numbers.master_bytes == 0 else 0.0)
    moved = held.updated * (2 * states + 3 * numbers.gradient_bytes + numbers.weight_bytes)
    on_device = kernels.traffic_seconds(hardware, moved, 100.0)
    each = 0.0 if job.kernels == "fused" else 3 * numbers.gradient_bytes
    added = held.trained_local / np.where(split.shard == 3, split.shard_group, 1.0) * each
    added = added * np.maximum(split.micro_batches - 1, 0)
    # Moments on the host: gradients go there and weights come back, and the host's memory does the update.
    bus = held.updated * (numbers.gradient_bytes + numbers.weight_bytes) / HOST_LINK_BYTES_PER_SECOND
    on_host = bus + moved / HOST_MEMORY_BYTES_PER_SECOND
    seconds: Floats = np.where(split.offload_optimizer > 0, on_host, on_device)
    return seconds + kernels.traffic_seconds(hardware, added, 0.0)


HOST_LINK_BYTES_PER_SECOND = 25e9
HOST_MEMORY_BYTES_PER_SECOND = 20e9
"""Of one device's share of its server: what a PCIe 4 link and one eighth of two sockets' memory give."""


@dataclass(frozen=True, kw_only=True)
class _Data:
    exposed: Floats
    total: Floats
    hiding: Floats
    sent_up_bytes: Floats
    sent_out_bytes: Floats


def _data(
    job: Job,
    hardware: Hardware,
    split: Layouts,
    held: Holdings,
    slot_forward: Floats,
    slot_backward: Floats,
    passes: PassTimes,
) -> _Data:
    """Return the exposed time of gradients and weights that travel between data-parallel devices."""
    numbers = job.numerics
    stride = split.tensor
    group, replicas = split.shard_group, split.replicas
    gathers = split.shard == 3
    dense, experts = held.trained_shared, held.trained_experts
    calls = np.full_like(group, 4.0 * job.shape.layers) / split.pipeline
    # Outside its group a device averages its own part of the gradients with its copies elsewhere.
    outer = np.maximum(replicas / group, 1.0)
    reduce_out = 2 * collectives.ring_seconds(
        hardware, dense * numbers.reduced_bytes / group, outer, stride * group, np.minimum(calls, BUCKETS)
    )
    inner_group = np.where(split.shard > 0, group, replicas)
    outer_seconds = np.where((split.shard > 0) & (outer > 1), reduce_out, 0.0)
    reduce = collectives.ring_seconds(
        hardware, dense * numbers.reduced_bytes, inner_group, stride, np.where(gathers, calls / 4, BUCKETS)
    )
    reduce = reduce + collectives.ring_seconds(
        hardware,
        experts * numbers.reduced_bytes,
        split.expert_replicas,
        split.expert * split.expert_tensor,
        np.minimum(calls, BUCKETS),
    )
    # An all-reduce is a scatter of sums and a gathering of them; frozen weights travel only where they are divided.
    frozen_bytes = numbers.gathered_bytes if job.adapter is None else job.adapter.base_bytes
    returned_bytes = np.where(split.shard > 0, numbers.gathered_bytes, numbers.reduced_bytes)
    gather_bytes = np.where(gathers, held.shared * frozen_bytes, dense * returned_bytes)
    expert_bytes = np.where(gathers, held.experts * frozen_bytes, experts * returned_bytes)
    gather = collectives.ring_seconds(
        hardware, gather_bytes, inner_group, stride, np.where(gathers, calls / 4, BUCKETS)
    ) + collectives.ring_seconds(
        hardware,
        expert_bytes,
        split.expert_replicas,
        split.expert * split.expert_tensor,
        np.minimum(calls, BUCKETS),
    )
    m = split.micro_batches
    forward = (slot_forward / split.pipeline) + passes.head_forward / split.pipeline
    backward = (slot_backward / split.pipeline) + passes.head_backward / split.pipeline
    # Weights gathered for every pass of every micro-batch, gradients scattered after every backward pass.
    again = np.where(split.reshards > 0, 1.0, 0.0)
    sharded_total = m * (gather * (1 + again) + reduce) + outer_seconds
    edge = (gather + reduce) / np.maximum(job.shape.layers / split.pipeline, 1.0)
    sharded_exposed = (
        m * np.maximum(gather - forward, 0.0)
        + m * np.maximum(gather * again + reduce - backward, 0.0)
        + np.maximum(outer_seconds - backward, outer_seconds / BUCKETS)
        + edge
    )
    plain_total = reduce + gather + outer_seconds
    late = (reduce + outer_seconds + gather) / BUCKETS
    hidden_exposed = np.maximum(reduce + outer_seconds - backward, 0.0) + np.maximum(gather - forward, 0.0) + late
    plain_exposed = hidden_exposed if job.overlaps_communication else plain_total
    exposed = np.where(gathers, sharded_exposed if job.overlaps_communication else sharded_total, plain_exposed)
    total = np.where(gathers, sharded_total, plain_total)
    exposed = np.where(replicas > 1, exposed + CONTENTION * np.maximum(total - exposed, 0.0), 0.0)
    hiding = np.where(gathers, m * (forward + backward), forward + backward)
    sent = np.where(gathers, m * (1 + again), 1.0) * gather_bytes + np.where(gathers, m, 1.0) * dense * (
        numbers.reduced_bytes
    )
    inside = collectives.members_in_domain(hardware, inner_group, stride)
    up = sent * (inside - 1) / inside
    out = np.where(inner_group > inside, sent / inside * (inner_group / inside - 1) / (inner_group / inside), 0.0)
    return _Data(
        exposed=exposed, total=np.where(replicas > 1, total, 0.0), hiding=hiding, sent_up_bytes=up, sent_out_bytes=out
    )
