"""How long a step takes, by part, and the whole run."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from headway import units
from headway.planning.activations import kept_bytes
from headway.planning.device import Device
from headway.planning.flops import model_flops_per_token
from headway.planning.network import Network
from headway.planning.operations import Operation, Workload, micro_batch_operations, update_operations

CPU_SPREAD = (0.92, 1.25)
ACCELERATOR_SPREAD = (0.75, 1.4)
"""80 % interval of the step time around the prediction, as ratios; other work on a machine only ever adds time.

Provisional: both were chosen, not estimated. That of CPUs follows the errors on the twelve shapes of
``benchmarks/plan_accuracy_cpu.py``. That of accelerators holds all published step times in
``tests/planning/test_published.py``, to which the roofline's shares were fitted too, so that it may be narrower than
what other trainings need."""


@dataclass(frozen=True, kw_only=True)
class Time:
    """Times of a step and of the run.

    Attributes:
        step_seconds: one optimizer step.
        step_seconds_low: lower end of an 80 % interval.
        step_seconds_high: upper end of it.
        tokens_per_second: of all devices together.
        tokens_per_second_per_device: of one.
        model_flops_utilization: model FLOPs over the stated peak (`flops.model_flops_per_token`).
        parts: seconds of a step by part; they sum to it.
        training_seconds: all steps, were nothing to interrupt them.
        total_seconds: with evaluations, checkpoints and expected interruptions; None where it would never end.
        total_days: the same in days.
    """

    step_seconds: float
    step_seconds_low: float
    step_seconds_high: float
    tokens_per_second: float
    tokens_per_second_per_device: float
    model_flops_utilization: float
    parts: dict[str, float] = field(default_factory=dict)
    training_seconds: float
    total_seconds: float | None
    total_days: float | None


@dataclass(frozen=True, kw_only=True)
class StepCost:
    """What the arithmetic of one step costs on one device.

    Attributes:
        parts_seconds: by part; they sum to the step without communication.
        forward_seconds: of one micro-batch.
        backward_seconds: of one micro-batch.
    """

    parts_seconds: dict[str, float]
    forward_seconds: float
    backward_seconds: float

    @property
    def seconds(self) -> float:
        """The whole step."""
        return sum(self.parts_seconds.values())


def price_step(work: Workload, device: Device, *, micro_batches: int, updated_parameters: int) -> StepCost:
    """Price one step.

    Args:
        work: one micro-batch.
        device: what computes.
        micro_batches: that a device goes through in a step.
        updated_parameters: weights that one device updates.
    """
    parts: dict[str, float] = {}
    passes = {"forward": 0.0, "backward": 0.0}
    # What the forward pass leaves is used again in the backward pass, after all the rest was touched.
    reuse_bytes = kept_bytes(work)
    for operation in micro_batch_operations(work):
        seconds = operation.repeats * device.cost.seconds(operation, reuse_bytes)
        _book(parts, operation, micro_batches * seconds)
        passes[operation.passes] += seconds
    for operation in update_operations(updated_parameters, accumulations=micro_batches - 1):
        _book(parts, operation, operation.repeats * device.cost.seconds(operation))
    return StepCost(parts_seconds=parts, forward_seconds=passes["forward"], backward_seconds=passes["backward"])


def _book(parts: dict[str, float], operation: Operation, seconds: float) -> None:
    name = f"{operation.part}_seconds"
    parts[name] = parts.get(name, 0.0) + seconds


def plan_time(
    work: Workload,
    device: Device,
    cost: StepCost,
    network: Network,
    *,
    devices: int,
    tokens_per_step: int,
    num_steps: int,
    evaluation_seconds: float,
    checkpoint_seconds: float,
    goodput: float | None,
) -> Time:
    """Return the times of a step and of the run.

    Args:
        work: one micro-batch.
        device: what computes.
        cost: of one step.
        network: its exposed part is added.
        devices: that train.
        tokens_per_step: of all devices.
        num_steps: of the run.
        evaluation_seconds: all evaluations of the whole run.
        checkpoint_seconds: all checkpoints of the whole run; they are left aside where the goodput tells of them.
        goodput: useful share of the wall time under failures, checkpoints included; None where it is not known.
    """
    parts = dict(cost.parts_seconds)
    if network.exposed_seconds:
        parts["communication_seconds"] = network.exposed_seconds
    step_seconds = sum(parts.values())
    low, high = CPU_SPREAD if device.is_cpu else ACCELERATOR_SPREAD
    rate = tokens_per_step / step_seconds
    flops = model_flops_per_token(work.model, work.sequence_length)
    training_seconds = num_steps * step_seconds
    total_seconds = _total_seconds(training_seconds + evaluation_seconds, checkpoint_seconds, goodput)
    return Time(
        step_seconds=step_seconds,
        step_seconds_low=low * step_seconds,
        step_seconds_high=high * step_seconds,
        tokens_per_second=rate,
        tokens_per_second_per_device=rate / devices,
        model_flops_utilization=rate / devices * flops / device.peak_flops_per_second,
        parts=parts,
        training_seconds=training_seconds,
        total_seconds=total_seconds,
        total_days=None if total_seconds is None else total_seconds / units.SECONDS_PER_DAY,
    )


def _total_seconds(work_seconds: float, checkpoint_seconds: float, goodput: float | None) -> float | None:
    """Return the wall time of the work, evaluations included; None where failures let it never end."""
    if goodput is None:
        return work_seconds + checkpoint_seconds
    total_seconds = work_seconds / goodput if goodput > 0 else math.inf
    return total_seconds if math.isfinite(total_seconds) else None
