"""How long one step takes under each layout: computation, exposed communication, bubble, update, host.

Source: Narayanan et al. 2021 (arXiv:2104.04473), sections 2.2 and 3 (schedules, bubble, communication); Korthikanti et
al. 2022 (arXiv:2205.05198), section 4.2 (sequence parallelism); Zhao et al. 2023 (arXiv:2304.11277), section 3 (FSDP);
Liu, Zaharia and Abbeel 2023 (arXiv:2310.01889), section 3 (ring attention).
Leaves out: data that comes late, logging, and evaluations, which the plan counts apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from headway.planning.analytic import kernels
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import Holdings, holdings
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import PassTimes, pass_times, tokens_of
from headway.planning.analytic.layouts import FULL, PARAMETERS, Floats, Layouts
from headway.planning.analytic.numerics import BLOCK_SCALED
from headway.planning.analytic.pace import pace
from headway.planning.analytic.replicas import exposed_seconds
from headway.planning.analytic.schedules import V_SHAPED, bubble_share
from headway.planning.analytic.splits import context_seconds, expert_seconds, stage_seconds, tensor_seconds
from headway.planning.choice import WAITING_PARTS


@dataclass(frozen=True, kw_only=True)
class StepTimes:
    """Seconds of a step, arrays of shape [layouts]; `parts` sum to `seconds`.

    Attributes:
        parts: by name.
        seconds: the whole step.
        forward_seconds: one micro-batch through the whole model, alone.
    """

    parts: dict[str, Floats]
    seconds: Floats
    forward_seconds: Floats

    @property
    def computing_seconds(self) -> Floats:
        """Those of a step in which the devices do not wait."""
        waiting = (values for name, values in self.parts.items() if name.endswith(WAITING_PARTS))
        return self.seconds - reduce(np.add, waiting)


COMMUNICATION = (
    "tensor_communication_seconds",
    "expert_communication_seconds",
    "context_communication_seconds",
    "pipeline_communication_seconds",
    "data_communication_seconds",
)
"""The parts that are communication, as far as no computation hides it."""


@dataclass(frozen=True, kw_only=True)
class _Shown:
    """Communication that shows in the passes of all layers of one micro-batch, in seconds.

    Attributes:
        again: share of the layers that is computed once more, and so gathers and exchanges once more.
        tensor: forward and backward.
        expert: one exchange of tokens; there are two in each pass.
        context: forward and backward.
    """

    again: Floats
    tensor: tuple[Floats, Floats]
    expert: Floats
    context: tuple[Floats, Floats]

    def passes(self, times: PassTimes) -> tuple[Floats, Floats]:
        """Return the forward and the backward pass of all layers with it."""
        forward = times.layers_forward + self.tensor[0] + 2 * self.expert + self.context[0]
        backward = times.layers_backward + self.again * (self.tensor[0] + 2 * self.expert)
        return forward, backward + self.tensor[1] + 2 * self.expert + self.context[1]

    @property
    def parts(self) -> dict[str, Floats]:
        """Each kind, both passes together."""
        return {
            "tensor_communication_seconds": self.tensor[0] * (1 + self.again) + self.tensor[1],
            "expert_communication_seconds": self.expert * (4 + 2 * self.again),
            "context_communication_seconds": self.context[0] + self.context[1],
        }


def _shown(job: Job, hardware: Hardware, split: Layouts, passes: PassTimes) -> _Shown:
    tokens = tokens_of(job, split)
    return _Shown(
        again=(split.recompute == FULL) * split.recompute_share,
        tensor=tensor_seconds(job, hardware, split, tokens),
        expert=expert_seconds(job, hardware, split, tokens),
        context=context_seconds(job, hardware, split, tokens, passes),
    )


def step_times(job: Job, hardware: Hardware, split: Layouts) -> StepTimes:
    """Return the times of a step for every layout.

    A stage does its share of the layers for each micro-batch, and waits (pipeline - 1) / virtual micro-batches of the
    others at the ends of a step. All wait for the slowest of them, the longer the more devices there are.
    Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2 (the bubble).
    Leaves out: that the last micro-batches of a pipeline may hide more communication than the others.
    """
    held, passes = holdings(job, split), _passes(job, hardware, split)
    shown = _shown(job, hardware, split, passes)
    forward, backward = shown.passes(passes)
    stage = pace(job, hardware, split, (forward, backward), passes)
    rounds = split.micro_batches / split.pipeline
    # Chunks in a V are a schedule of their own, and no interleaving.
    chunks = np.ones_like(split.virtual) if job.schedule == V_SHAPED else split.virtual
    waits = bubble_share(job.schedule, trains_weights=job.adapter is None)
    parts = {
        "compute_seconds": rounds * (passes.layers_forward + passes.layers_backward - passes.again),
        "recompute_seconds": rounds * passes.again,
        **{name: rounds * seconds for name, seconds in shown.parts.items()},
        "head_seconds": split.micro_batches * stage.head,
        "bubble_seconds": waits * (split.pipeline - 1) / chunks * stage.average_seconds,
        "pipeline_communication_seconds": stage_seconds(job, hardware, split, tokens_of(job, split)),
        "data_communication_seconds": exposed_seconds(job, hardware, split, held, stage.stages),
        "optimizer_seconds": update_seconds(job, hardware, split, held),
        "host_seconds": split.micro_batches * stage.host,
        "offload_seconds": split.micro_batches * stage.offload,
    }
    busy = np.asarray(sum(parts.values()))
    waiting = busy * (hardware.losses.waiting_per_doubling * np.log2(max(hardware.devices, 1)))
    parts["waiting_seconds"] = waiting
    return StepTimes(parts=parts, seconds=busy + waiting, forward_seconds=forward + passes.head_forward)


_PASS_COLUMNS = (
    "tensor", "context", "expert", "expert_tensor", "sequence_parallel", "micro_batch", "recompute", "recompute_share",
)  # fmt: skip
"""All that the passes of a micro-batch depend on, but for rounded weights, of which each step rounds anew."""

_FEW = 512
_SHARE_STEPS = 64.0
"""Shares of layers are told apart in so many steps."""


def _passes(job: Job, hardware: Hardware, split: Layouts) -> PassTimes:
    """Return the passes of a micro-batch: worked out once for all layouts that share them.

    The columns are whole numbers, which a number with a digit for each column tells apart.
    """
    names = (*_PASS_COLUMNS, "micro_batches") if job.numerics.product in BLOCK_SCALED else _PASS_COLUMNS
    if len(split) < _FEW:
        return pass_times(job, hardware, split)
    code, largest = np.zeros(len(split)), 1.0
    for name in names:
        column = getattr(split, name) * (_SHARE_STEPS if name == "recompute_share" else 1.0)
        base = float(np.max(column)) + 1.0
        code, largest = code * base + column, largest * base
        if np.any(column != np.floor(column)) or largest > MAX_EXACT:
            return pass_times(job, hardware, split)
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    return pass_times(job, hardware, split.take(first)).take(inverse)


MAX_EXACT = 2.0**53
"""Whole numbers beyond this are not exact as floats of 64 bits."""


def update_seconds(job: Job, hardware: Hardware, split: Layouts, held: Holdings) -> Floats:
    """Return the time of adding up gradients, their norm and the optimizer.

    The norm reads each gradient, the update reads it and it is set to zero; moments and precise weights are read and
    written, and rounded weights written where these are apart.

    Source: Kingma and Ba 2015 (arXiv:1412.6980), algorithm 1 (what is read and written); PyTorch, torch/optim/adamw.py
    (fused); Ren et al. 2021 (arXiv:2101.06840), section 4.1 (the update on the host).
    Leaves out: that copies to the host may hide behind the backward pass.
    """
    numbers, shares = job.numerics, hardware.losses
    states = numbers.optimizer_bytes + (numbers.weight_bytes if numbers.master_bytes == 0 else 0.0)
    rounded = numbers.weight_bytes if numbers.master_bytes else 0.0
    moved = held.updated * (2 * states + 3 * numbers.gradient_bytes + rounded)
    on_device = kernels.traffic_seconds(hardware, moved, np.ceil(held.updated / UPDATE_ELEMENTS))
    each = 0.0 if job.kernels == "fused" else 3 * numbers.gradient_bytes
    added = held.trained_local / np.where(split.shard == PARAMETERS, split.shard_group, 1.0) * each
    added = added * np.maximum(split.micro_batches - 1, 0)
    # Moments on the host: gradients go there and weights come back, and the host's memory does the update.
    bus = held.updated * (numbers.gradient_bytes + numbers.weight_bytes) / shares.host_link_bytes_per_second
    on_host = bus + moved / shares.host_memory_bytes_per_second
    if job.keeps.streams_states:
        # Or states come to the device and go back, one after the other.
        on_host = on_device + held.updated * 2 * numbers.optimizer_bytes / shares.host_link_bytes_per_second
    seconds: Floats = np.where(split.offload_optimizer > 0, on_host, on_device)
    return seconds + kernels.traffic_seconds(hardware, added, 0.0)


UPDATE_ELEMENTS = 320 * 65536.0
"""Weights that one kernel updates: blocks of a launch times elements of each. Source: PyTorch, MultiTensorApply.cuh."""
