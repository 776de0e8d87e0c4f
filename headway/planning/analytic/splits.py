"""What splitting a model over devices costs in communication: tensor, expert, context and pipeline parallelism.

Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2 (tensor and sequence parallelism); Lepikhin et al. 2020
(arXiv:2006.16668), section 3 (experts); Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (ring attention);
Narayanan et al. 2021 (arXiv:2104.04473), section 3.2 (pipelines).
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic import collectives
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes
from headway.planning.analytic.layouts import Floats, Layouts


def tensor_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
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
    exposed = np.where(
        split.tensor > 1, one_way * (1 - hardware.losses.tensor_overlap * job.overlaps_tensor_communication), 0.0
    )
    return exposed, exposed


def expert_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the time of one exchange of tokens between the experts of all layers."""
    if not job.shape.experts:
        return np.zeros_like(tokens)
    # A token that several experts of one device want goes there once: of k choices among e devices, e (1 - (1 - 1/e)^k)
    # are distinct.
    chosen = float(job.shape.chosen_experts)
    distinct = split.expert * (1 - (1 - 1 / split.expert) ** chosen)
    sent = tokens / split.tensor * distinct * job.shape.hidden * job.numerics.value_bytes
    layers = float(job.shape.sparse_layers)
    stride = np.where(split.expert_tensor > 1, split.expert_tensor, 1.0)
    seconds = collectives.exchange_seconds(hardware, sent * layers, split.expert, stride, layers)
    shown = 1 - hardware.losses.expert_overlap * job.overlaps_tensor_communication
    return np.where(split.expert > 1, shown * seconds, 0.0)


def context_seconds(
    job: Job, hardware: Hardware, split: Layouts, tokens: Floats, passes: PassTimes
) -> tuple[Floats, Floats]:
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


def neighbour_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the exposed time of sends between stages."""
    buffer = tokens * job.shape.hidden * job.numerics.value_bytes
    buffer = buffer / np.where(split.sequence_parallel > 0, split.tensor, 1.0)
    stride = split.tensor * split.context * split.data
    calls = 2 * split.virtual * split.micro_batches
    seconds = collectives.neighbour_seconds(hardware, calls * buffer, stride, calls)
    hidden = hardware.losses.neighbour_overlap if job.overlaps_communication else 0.0
    return np.where(split.pipeline > 1, (1 - hidden) * seconds, 0.0)
