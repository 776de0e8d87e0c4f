"""What splitting a model over devices costs in communication: tensor, expert, context and pipeline parallelism.

Source: Korthikanti et al. 2022 (arXiv:2205.05198), section 4.2 (tensor and sequence parallelism); Lepikhin et al. 2020
(arXiv:2006.16668), section 3 (experts); Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (ring attention);
Narayanan et al. 2021 (arXiv:2104.04473), section 3.2 (pipelines).
Leaves out: contention between the groups that communicate at the same time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from headway.planning.analytic.collectives import Collective, members_in_domain, seconds
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes
from headway.planning.analytic.layouts import FULL, Floats, Layouts
from headway.planning.analytic.products import local_key_value_heads


@dataclass(frozen=True, kw_only=True)
class Repeated:
    """A collective, how often one device does it in a step, and the part of the step's time that it belongs to."""

    part: str
    collective: Collective
    times: Floats | float


def tensor_collective(job: Job, split: Layouts, tokens: Floats) -> Collective:
    """Return the tensor-parallel collectives of one pass through all layers.

    Attention and the MLP each gather their input and scatter the sum of their outputs (or all-reduce it, which is both
    at once); the backward pass does the same, the other way round.
    """
    layers = float(job.shape.layers)
    # Experts that are not divided by the tensor group need no collectives of it.
    blocks = 1 + (job.shape.dense_layers + job.shape.sparse_layers * (split.expert_tensor > 1)) / layers
    if job.shape.shared_inner:
        blocks = np.full_like(tokens, 2.0)
    calls = 2 * blocks * layers
    buffer = tokens * job.shape.hidden * job.numerics.value_bytes
    return Collective(
        kind="ring",
        sent_bytes=calls * buffer,
        group=split.tensor,
        stride=1.0,
        calls=calls,
        in_tree=1 - split.sequence_parallel,
    )


def gathers_again(job: Job, split: Layouts) -> Floats:
    """Return the share of a pass's collectives that the backward pass does besides, for gradients of weights.

    Where sequences are divided and the gathered input was not kept, it is gathered once more: half of a pass's
    collectives. The product for the gradient of the input hides it (Korthikanti et al. 2022, section 4.2.2).
    """
    again = (split.sequence_parallel > 0) & (split.tensor > 1)
    return np.where(again & (job.adapter is None) & (not job.keeps.gathers_inputs), 0.5, 0.0)


def tensor_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Floats, Floats]:
    """Return the exposed time of tensor-parallel collectives of all layers, forward and backward.

    What the products hide still takes cores from them (`losses.contention`).
    """
    one_way = seconds(hardware, tensor_collective(job, split, tokens))
    exposed = one_way * (1 - hardware.losses.tensor_overlap * job.overlaps_tensor_communication)
    shown = hardware.losses.contention if job.overlaps_communication else 1.0
    return exposed, exposed + shown * gathers_again(job, split) * one_way


def expert_collective(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Collective:
    """Return one exchange of tokens between the experts of all layers.

    Each token goes to as many experts as it chooses, a copy for each. Where the exchange is scheduled beside
    computation, its kernels send a token once to each domain and there once to each device, however many experts want
    it.
    Source: NVIDIA Megatron-LM, token_dispatcher.py (all-to-all: copies); DeepSeek-AI 2024 (arXiv:2412.19437), section
    3.2.2 (DeepEP: over the network, then forwarded over NVLink).
    Leaves out: dispatch in 8 bits.
    """
    chosen, layers = float(job.shape.chosen_experts), float(job.shape.sparse_layers)
    stride = np.where(split.expert_tensor > 1, split.expert_tensor, 1.0)
    each = tokens / split.tensor * job.shape.hidden * job.numerics.value_bytes * layers
    if not job.overlaps_expert_communication:
        return Collective(kind="exchange", sent_bytes=chosen * each, group=split.expert, stride=stride, calls=layers)
    domains = split.expert / members_in_domain(hardware, split.expert, stride)
    return Collective(
        kind="exchange",
        sent_bytes=_distinct(_reached(job, split.expert), chosen) * each,
        group=split.expert,
        stride=stride,
        calls=layers,
        crossing_bytes=_distinct(_reached(job, domains), chosen) * each,
    )


def _reached(job: Job, places: Floats) -> Floats:
    """Return on how many of some places, each with as many experts, those that a token may choose are.

    A router that limits a token to t of n groups of experts, which follow each other, limits it to t / n of the places,
    or to t of them where a place has more than a group.
    Source: DeepSeek-AI 2024 (arXiv:2412.19437), section 2.1.2 (node-limited routing).
    """
    groups, most = float(job.model.n_group), float(job.model.topk_group)
    return np.minimum(places, most * np.maximum(places / groups, 1.0))


def _distinct(places: Floats, choices: float) -> Floats:
    """Return how many of some places k choices at random fall on: n (1 - (1 - 1/n)^k)."""
    found: Floats = places * (1 - (1 - 1 / places) ** choices)
    return found


def expert_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the exposed time of one exchange of tokens between the experts of all layers."""
    if not job.shape.experts:
        return np.zeros_like(tokens)
    shown = 1 - hardware.losses.expert_overlap * job.overlaps_expert_communication
    return shown * seconds(hardware, expert_collective(job, hardware, split, tokens))


def context_collective(job: Job, split: Layouts, tokens: Floats) -> Collective:
    """Return how keys and values of all layers go around once, each device sending its own and what it was sent."""
    shape = job.shape
    width = (shape.key_width + shape.value_width) * local_key_value_heads(job, split)
    steps = (split.context - 1) * shape.layers
    return Collective(
        kind="neighbours",
        sent_bytes=tokens * width * job.numerics.value_bytes * steps,
        group=split.context,
        stride=split.tensor,
        calls=steps,
    )


def context_seconds(
    job: Job, hardware: Hardware, split: Layouts, tokens: Floats, passes: PassTimes
) -> tuple[Floats, Floats]:
    """Return the time of passing keys and values around that attention does not hide, forward and backward.

    The backward pass sends their gradients around too.
    """
    once = seconds(hardware, context_collective(job, split, tokens))
    hiding = 1 - 1 / split.context
    forward = np.maximum(once - passes.forward["attention"] * hiding, 0.0)
    backward = np.maximum(2 * once - passes.backward["attention"] * hiding, 0.0)
    return forward, backward


def stage_collective(job: Job, split: Layouts, tokens: Floats) -> Collective:
    """Return the sends between stages of one step: results forward and gradients back, of every chunk."""
    buffer = tokens * job.shape.hidden * job.numerics.value_bytes
    buffer = buffer / np.where(split.sequence_parallel > 0, split.tensor, 1.0)
    calls = 2 * split.virtual * split.micro_batches
    return Collective(
        kind="neighbours",
        sent_bytes=calls * buffer,
        group=split.pipeline,
        stride=split.tensor * split.context * split.data,
        calls=calls,
    )


def stage_seconds(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> Floats:
    """Return the exposed time of sends between stages."""
    hidden = hardware.losses.neighbour_overlap if job.overlaps_communication else 0.0
    return (1 - hidden) * seconds(hardware, stage_collective(job, split, tokens))


def repeated(job: Job, hardware: Hardware, split: Layouts, tokens: Floats) -> tuple[Repeated, ...]:
    """Return all of these collectives, and how often a device of a stage does each in a step.

    Recomputed layers gather, scatter and exchange once more.
    """
    rounds = split.micro_batches / split.pipeline
    again = (split.recompute == FULL) * split.recompute_share
    found = [
        Repeated(
            part="tensor_communication_seconds",
            collective=tensor_collective(job, split, tokens),
            times=rounds * (2 + again + gathers_again(job, split)),
        ),
        Repeated(
            part="context_communication_seconds",
            collective=context_collective(job, split, tokens),
            times=3 * rounds,
        ),
        Repeated(part="pipeline_communication_seconds", collective=stage_collective(job, split, tokens), times=1.0),
    ]
    if job.shape.experts:
        exchange = expert_collective(job, hardware, split, tokens)
        found.append(Repeated(part="expert_communication_seconds", collective=exchange, times=rounds * (4 + 2 * again)))
    return tuple(found)
