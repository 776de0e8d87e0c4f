"""How long one step takes under each layout: computation, exposed communication, bubble, update, host.

Source: Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2 and 3 (schedules, bubble, communication); Korthikanti et
al. 2022 (arXiv:2205.05198), section 4.2 (sequence parallelism); Zhao et al. 2023 (arXiv:2304.11277), section 3 (FSDP);
Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (ring attention).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headway.planning.analytic import kernels
from headway.planning.analytic.activations import kept_bytes_per_layer
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings, holdings, stage_layers
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes, pass_times, tokens_of
from headway.planning.analytic.layouts import FULL, PARAMETERS, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED
from headway.planning.analytic.replicas import StagePasses, replica_traffic
from headway.planning.analytic.splits import context_seconds, expert_seconds, neighbour_seconds, tensor_seconds

HOST_LINK_BYTES_PER_SECOND = 25e9
HOST_MEMORY_BYTES_PER_SECOND = 20e9
"""Of one device's share of its server: what a PCIe 4 link and one eighth of two sockets' memory give."""


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
    tokens = tokens_of(job, split)
    passes = _passes(job, hardware, split)
    again = (split.recompute == FULL) * split.recompute_share
    tensor_forward, tensor_backward = tensor_seconds(job, hardware, split, tokens)
    expert = expert_seconds(job, hardware, split, tokens)
    context_forward, context_backward = context_seconds(job, hardware, split, tokens, passes)
    tensor = tensor_forward * (1 + again) + tensor_backward
    exchanged = expert * (4 + 2 * again)
    forward = passes.layers_forward + tensor_forward + 2 * expert + context_forward
    backward = passes.layers_backward + again * (tensor_forward + 2 * expert)
    backward = backward + tensor_backward + 2 * expert + context_backward
    stage = _stages(job, split, forward + backward, passes)
    traffic = replica_traffic(job, hardware, split, held, _stage_passes(split, forward, backward, passes))
    rounds = split.micro_batches / split.pipeline
    parts = {
        "compute_seconds": rounds * (passes.layers_forward + passes.layers_backward - passes.again),
        "recompute_seconds": rounds * passes.again,
        "tensor_communication_seconds": rounds * tensor,
        "expert_communication_seconds": rounds * exchanged,
        "context_communication_seconds": rounds * (context_forward + context_backward),
        "head_seconds": split.micro_batches * stage.head,
        "bubble_seconds": stage.bubble,
        "pipeline_communication_seconds": neighbour_seconds(job, hardware, split, tokens),
        "data_communication_seconds": traffic.exposed,
        "optimizer_seconds": _update(job, hardware, split, held),
        "host_seconds": _host(split, passes, stage),
        "offload_seconds": _offload(job, split, tokens, (forward + backward) / split.pipeline),
    }
    busy = sum(parts.values())
    parts["waiting_seconds"] = busy * hardware.losses.waiting_per_doubling * np.log2(max(hardware.devices, 1))
    return StepTimes(
        parts=parts,
        forward_seconds=forward + passes.head_forward,
        data_seconds=traffic.total,
        hiding_seconds=traffic.hiding,
        sent_up_bytes=traffic.sent_up_bytes,
        sent_out_bytes=traffic.sent_out_bytes,
    )


_PASS_COLUMNS = (
    "tensor", "context", "expert", "expert_tensor", "sequence_parallel", "micro_batch", "recompute", "recompute_share",
)  # fmt: skip
"""All that the passes of a micro-batch depend on, but for rounded weights, of which each step rounds anew."""

_FEW = 512
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23)


def _passes(job: Job, hardware: Hardware, split: Layouts) -> PassTimes:
    """Return the passes of a micro-batch: worked out once for all layouts that share them."""
    names = (*_PASS_COLUMNS, "micro_batches") if job.numerics.product in BLOCK_SCALED else _PASS_COLUMNS
    if len(split) < _FEW:
        return pass_times(job, hardware, split)
    columns = [getattr(split, name) for name in names]
    # A sum with irrational weights tells rows apart; that it did is checked, since it only might.
    mixed = sum(column * np.sqrt(prime) for column, prime in zip(columns, _PRIMES, strict=False))
    _, first, inverse = np.unique(mixed, return_index=True, return_inverse=True)
    if not all(np.array_equal(column[first][inverse], column) for column in columns):
        return pass_times(job, hardware, split)
    return pass_times(job, hardware, split.take(first)).take(inverse)


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
    full = np.where(split.recompute == FULL, split.recompute_share, 0.0)
    host = (passes.host_forward * (1 + full) + passes.host_backward) / split.pipeline
    excess: Floats = split.micro_batches * np.maximum(host - device, 0.0)
    return excess


def _offload(job: Job, split: Layouts, tokens: Floats, stage_seconds: Floats) -> Floats:
    """Return by how much sending what layers keep to the host, and fetching it back, exceeds the computing."""
    if not np.any(split.offload_activations):
        return np.zeros_like(tokens)
    sent = 2 * kept_bytes_per_layer(job, split, tokens) * stage_layers(job, split)
    excess = np.maximum(sent / HOST_LINK_BYTES_PER_SECOND - stage_seconds, 0.0)
    return np.where(split.offload_activations > 0, split.micro_batches * excess, 0.0)


def _stage_passes(split: Layouts, slot_forward: Floats, slot_backward: Floats, passes: PassTimes) -> StagePasses:
    """Return the time of one micro-batch on one stage, the head spread over them."""
    return StagePasses(
        forward=(slot_forward + passes.head_forward) / split.pipeline,
        backward=(slot_backward + passes.head_backward) / split.pipeline,
    )


def _update(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> Floats:
    """Return the time of adding up gradients, their norm and the optimizer."""
    numbers = job.numerics
    states = numbers.optimizer_bytes + (numbers.weight_bytes if numbers.master_bytes == 0 else 0.0)
    moved = held.updated * (2 * states + 3 * numbers.gradient_bytes + numbers.weight_bytes)
    on_device = kernels.traffic_seconds(hardware, moved, 100.0)
    each = 0.0 if job.kernels == "fused" else 3 * numbers.gradient_bytes
    added = held.trained_local / np.where(split.shard == PARAMETERS, split.shard_group, 1.0) * each
    added = added * np.maximum(split.micro_batches - 1, 0)
    # Moments on the host: gradients go there and weights come back, and the host's memory does the update.
    bus = held.updated * (numbers.gradient_bytes + numbers.weight_bytes) / HOST_LINK_BYTES_PER_SECOND
    on_host = bus + moved / HOST_MEMORY_BYTES_PER_SECOND
    seconds: Floats = np.where(split.offload_optimizer > 0, on_host, on_device)
    return seconds + kernels.traffic_seconds(hardware, added, 0.0)
