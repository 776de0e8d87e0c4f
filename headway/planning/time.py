"""How long a step takes, by part, and the whole run.

Source: Chowdhery et al. 2022 (arXiv:2204.02311), appendix B (utilisation); `operations` and `analytic.step` for the
parts.
Leaves out: waiting for data, which the storage's rates tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from headway import units
from headway.planning.activations import kept_bytes
from headway.planning.choice import Choice
from headway.planning.device import Processors
from headway.planning.flops import hardware_flops_per_token, model_flops_per_token
from headway.planning.operations import Operation, Workload, update_operations
from headway.planning.spread import SURE, Spread, ends, inverse, product, spread_of
from headway.planning.steps import operations_of
from headway.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Time:
    """Times of a step and of the run.

    Attributes:
        step_seconds: one optimizer step.
        step_seconds_low: lower end of an 80 % interval.
        step_seconds_high: upper end of it.
        tokens_per_second: of all devices together.
        tokens_per_second_low: lower end of an 80 % interval.
        tokens_per_second_high: upper end of it.
        tokens_per_second_per_device: of one.
        model_flops_utilization: model FLOPs over the stated peak (`flops.model_flops_per_token`).
        model_flops_utilization_low: lower end of an 80 % interval.
        model_flops_utilization_high: upper end of it.
        hardware_flops_utilization: the same and the recomputed ones (`flops.hardware_flops_per_token`), never less.
        parts: seconds of a step by part; they sum to it.
        training_seconds: all steps, were nothing to interrupt them.
        evaluation_seconds: all evaluations, alike.
        total_seconds: with evaluations, checkpoints and expected interruptions; None where it would never end.
        total_seconds_low: lower end of an 80 % interval, from those of a step and of the useful share.
        total_seconds_high: upper end of it; None where the run may never end.
        total_days: the same in days.
        total_days_low: alike.
        total_days_high: alike.
        device_hours: hours of all devices together.
        device_hours_low: lower end of an 80 % interval.
        device_hours_high: upper end of it.
    """

    step_seconds: float
    step_seconds_low: float
    step_seconds_high: float
    tokens_per_second: float
    tokens_per_second_per_device: float
    model_flops_utilization: float
    parts: dict[str, float] = field(default_factory=dict)
    training_seconds: float
    evaluation_seconds: float = 0.0
    total_seconds: float | None
    total_seconds_low: float | None = None
    total_seconds_high: float | None = None
    total_days: float | None
    total_days_low: float | None = None
    total_days_high: float | None = None
    device_hours: float | None = None
    device_hours_low: float | None = None
    device_hours_high: float | None = None
    hardware_flops_utilization: float | None = None
    tokens_per_second_low: float | None = None
    tokens_per_second_high: float | None = None
    model_flops_utilization_low: float | None = None
    model_flops_utilization_high: float | None = None

    @property
    def total_spread(self) -> Spread:
        """80 % interval of the whole run, as ratios; the upper one is infinite where the run may never end."""
        if self.total_seconds is None or self.total_seconds_low is None:
            return SURE
        high = math.inf if self.total_seconds_high is None else self.total_seconds_high
        return spread_of(self.total_seconds_low, self.total_seconds, high)


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


def price_step(work: Workload, device: Processors, *, micro_batches: int, updated_parameters: int) -> StepCost:
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
    for operation in operations_of(work):
        seconds = device.processes * operation.repeats * device.cost.seconds(operation, reuse_bytes)
        _book(parts, operation, micro_batches * seconds)
        passes[operation.passes] += seconds
    for operation in update_operations(updated_parameters, accumulations=micro_batches - 1):
        _book(parts, operation, device.processes * operation.repeats * device.cost.seconds(operation))
    return StepCost(parts_seconds=parts, forward_seconds=passes["forward"], backward_seconds=passes["backward"])


def _book(parts: dict[str, float], operation: Operation, seconds: float) -> None:
    name = f"{operation.part}_seconds"
    parts[name] = parts.get(name, 0.0) + seconds


def plan_time(
    recipe: Recipe,
    choice: Choice,
    *,
    evaluation_seconds: float,
    checkpoint_seconds: float,
    goodput: float | None,
    goodput_spread: Spread = SURE,
) -> Time:
    """Return the times of a step and of the run.

    Args:
        recipe: the length of the run, and its batch.
        choice: of the layout.
        evaluation_seconds: all evaluations of the whole run.
        checkpoint_seconds: all checkpoints of the whole run; they are left aside where the goodput tells of them.
        goodput: useful share of the wall time under failures, checkpoints included; None where it is not known.
        goodput_spread: 80 % interval of it, as ratios.
    """
    step_seconds = choice.step_seconds
    low, high = choice.step_spread
    rate, devices = recipe.tokens_per_step / step_seconds, recipe.hardware.devices
    utilization, of_hardware = _utilizations(recipe, choice, rate)
    training_seconds = recipe.num_steps * step_seconds
    total_seconds = _total_seconds(training_seconds + evaluation_seconds, checkpoint_seconds, goodput)
    spread = product(choice.step_spread, inverse(goodput_spread))
    return Time(
        step_seconds=step_seconds,
        step_seconds_low=low * step_seconds,
        step_seconds_high=high * step_seconds,
        tokens_per_second=rate,
        tokens_per_second_per_device=rate / devices,
        model_flops_utilization=utilization,
        hardware_flops_utilization=of_hardware,
        parts=dict(choice.parts_seconds),
        training_seconds=training_seconds,
        evaluation_seconds=evaluation_seconds,
        total_seconds=total_seconds,
        total_days=None if total_seconds is None else total_seconds / units.SECONDS_PER_DAY,
        device_hours=None if total_seconds is None else devices * total_seconds / units.SECONDS_PER_HOUR,
        **_with_ends("tokens_per_second", rate, inverse(choice.step_spread)),
        **_with_ends("model_flops_utilization", utilization, inverse(choice.step_spread)),
        **_with_ends("total_seconds", total_seconds, spread),
        **_with_ends("total_days", total_seconds, spread, each=units.SECONDS_PER_DAY),
        **_with_ends("device_hours", total_seconds, spread, each=units.SECONDS_PER_HOUR / devices),
    )


def _utilizations(recipe: Recipe, choice: Choice, tokens_per_second: float) -> tuple[float, float]:
    """Return what model FLOPs and those of the hardware are of the stated peak of all devices.

    Source: Chowdhery et al. 2022 (arXiv:2204.02311), appendix B; Korthikanti et al. 2022 (arXiv:2205.05198), 6.2.
    Leaves out: as the two counts of FLOPs do (`flops`).
    """
    model, length, method = recipe.model, recipe.training.sequence_length, recipe.training.method
    of_hardware = hardware_flops_per_token(
        model,
        length,
        method=method,
        recompute=choice.layout.recompute,
        recompute_share=choice.layout.recompute_share,
        keeps_scores=recipe.training.attention == "unfused",
    )
    share = tokens_per_second / (recipe.hardware.devices * choice.peak_flops_per_second)
    return share * model_flops_per_token(model, length, method=method), share * of_hardware


def _with_ends(name: str, value: float | None, spread: Spread, *, each: float = 1.0) -> dict[str, float | None]:
    """Return the ends of the interval of a quantity, by field."""
    low, high = ends(None if value is None else value / each, spread)
    return {f"{name}_low": low, f"{name}_high": high}


def _total_seconds(work_seconds: float, checkpoint_seconds: float, goodput: float | None) -> float | None:
    """Return the wall time of the work, evaluations included; None where failures let it never end."""
    if goodput is None:
        return work_seconds + checkpoint_seconds
    total_seconds = work_seconds / goodput if goodput > 0 else math.inf
    return total_seconds if math.isfinite(total_seconds) else None
