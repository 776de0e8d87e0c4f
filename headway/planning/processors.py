"""The layout for the processors of servers: data parallelism, and a micro-batch chosen by predicted time."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from headway.errors import PlanError
from headway.planning.adapters import count_trained
from headway.planning.choice import Alternative, Choice, Layout
from headway.planning.device import CPU, Processors
from headway.planning.memory import Memory, Share, plan_memory
from headway.planning.network import Network, bytes_sent, plan_loopback, plan_network
from headway.planning.operations import Workload
from headway.planning.steps import workload_of
from headway.planning.storage import saved_bytes
from headway.planning.time import StepCost, price_step
from headway.recipe import Recipe

SHARDS = ("none", "optimizer", "gradients", "parameters")
"""From the least communication to the least memory."""

CPU_MICRO_BATCH_TOKENS = 8192
"""More tokens at once gain nothing on a CPU: products are at their full rate, and activations leave its caches."""

STEP_SPREAD = (0.92, 1.25)
"""80 % interval of the step time around the prediction, as ratios; other work on a machine only ever adds time.

Source: the errors on the twelve shapes of ``benchmarks/plan_accuracy_cpu.py``, of which eleven lie inside."""

RECOMPUTATIONS = ("none", "selective", "full")
"""That are looked at where the recipe leaves them open; the plan takes the fastest that fits."""

NUM_ALTERNATIVES = 3
"""That a plan names, the best ones first. Our choice."""

_MAX_CANDIDATES = 12
"""Micro-batches that are tried: powers of two up to thousands of sequences. A bound on the work, and our choice."""

_UNSUPPORTED = (
    "tensor_parallel_degree",
    "pipeline_parallel_degree",
    "virtual_pipeline_stages",
    "context_parallel_degree",
    "expert_parallel_degree",
)
_SUPPORTED = {
    "offload_optimizer": False,
    "offload_activations": False,
    "sequence_parallel": False,
    "overlap_tensor_communication": False,
    "overlap_expert_communication": False,
}
"""The only value of each, beside "auto": another would be dropped."""


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """One layout with what it takes."""

    layout: Layout
    work: Workload
    memory: Memory
    cost: StepCost
    network: Network

    @property
    def step_seconds(self) -> float:
        """One step, exposed communication included."""
        return self.cost.seconds + self.network.exposed_seconds


def choose_on_processors(recipe: Recipe, device: Processors) -> Choice:
    """Return the layout to use on the processors of this server, or of several like it.

    Of the layouts that fit, those that shard the least are looked at, and the fastest of these is taken, even where
    more sharding were predicted faster; where none fits, the one with the smallest peak is.

    Raises:
        PlanError: the recipe asks for a split that processors do not do, or one that does not divide the batch.
    """
    _require_supported(recipe)
    degree = _data_parallel_degree(recipe)
    candidates = [
        _evaluate(recipe, device, degree, shard=shard, micro_batch=micro_batch, recompute=recompute)
        for micro_batch in _micro_batches(recipe, degree)
        for shard in _shards(recipe, degree)
        for recompute in _recomputations(recipe)
    ]
    fitting = [candidate for candidate in candidates if candidate.memory.fits is not False]
    ranked = sorted(fitting or candidates, key=_step_seconds if fitting else _peak_bytes)
    # Sharding only where it must be: it ties the devices closer together than the memory needs.
    chosen = min(ranked, key=lambda candidate: SHARDS.index(candidate.layout.shard)) if fitting else ranked[0]
    others = [candidate for candidate in ranked if candidate is not chosen]
    parts = dict(chosen.cost.parts_seconds)
    if chosen.network.exposed_seconds:
        parts["communication_seconds"] = chosen.network.exposed_seconds
    return Choice(
        accelerator=CPU,
        entry=None,
        devices_per_node=device.processes,
        peak_flops_per_second=device.peak_flops_per_second,
        layout=chosen.layout,
        memory=chosen.memory,
        parts_seconds=parts,
        step_spread=STEP_SPREAD,
        forward_seconds=chosen.cost.forward_seconds,
        network=chosen.network,
        precision=recipe.training.precision,
        alternatives=tuple(_alternative(candidate) for candidate in others[:NUM_ALTERNATIVES]),
        considered=len(candidates),
    )


def _step_seconds(candidate: Candidate) -> float:
    return candidate.step_seconds


def _peak_bytes(candidate: Candidate) -> float:
    return candidate.memory.device_peak_bytes


def _alternative(candidate: Candidate) -> Alternative:
    return Alternative(
        layout=candidate.layout,
        step_seconds=candidate.step_seconds,
        device_peak_bytes=candidate.memory.device_peak_bytes,
        fits=candidate.memory.fits,
    )


def _require_supported(recipe: Recipe) -> None:
    for field in _UNSUPPORTED:
        value = getattr(recipe.layout, field)
        if value not in (1, "auto"):
            raise PlanError("plan-layout-unsupported", field=f"layout.{field}", value=str(value), supported="1")
    for field, supported in _SUPPORTED.items():
        value = getattr(recipe.layout, field)
        if value not in (supported, "auto"):
            raise PlanError(
                "plan-layout-unsupported",
                field=f"layout.{field}",
                value=str(value).lower(),
                supported=str(supported).lower(),
            )


def _data_parallel_degree(recipe: Recipe) -> int:
    devices, batch = recipe.hardware.devices, recipe.training.global_batch_size
    asked = recipe.layout.data_parallel_degree
    if asked not in ("auto", devices):
        raise PlanError(
            "plan-layout-unsupported", field="layout.data_parallel_degree", value=str(asked), supported=str(devices)
        )
    if batch % devices:
        lower = max(batch // devices, 1) * devices
        raise PlanError(
            "plan-batch-not-divisible",
            global_batch_size=batch,
            devices=devices,
            lower=lower,
            upper=lower + devices,
        )
    return devices


def _shards(recipe: Recipe, degree: int) -> tuple[str, ...]:
    if recipe.layout.shard != "auto":
        return (recipe.layout.shard,)
    return SHARDS if degree > 1 else SHARDS[:1]


def _recomputations(recipe: Recipe) -> tuple[str, ...]:
    return RECOMPUTATIONS if recipe.layout.recompute == "auto" else (recipe.layout.recompute,)


def _micro_batches(recipe: Recipe, degree: int) -> Iterator[int]:
    """Yield the micro-batch sizes to look at, largest first: divisors of a device's share of the batch."""
    per_device = recipe.training.global_batch_size // degree
    asked = recipe.layout.micro_batch_size
    if asked != "auto":
        if per_device % asked:
            raise PlanError("plan-micro-batch-not-divisible", micro_batch_size=asked, per_device=per_device)
        yield asked
        return
    limit = min(per_device, max(1, CPU_MICRO_BATCH_TOKENS // recipe.training.sequence_length))
    yield from itertools.islice(_divisors_descending(per_device, limit), _MAX_CANDIDATES)


def _divisors_descending(number: int, limit: int) -> Iterator[int]:
    """Yield divisors of ``number`` up to ``limit``, from the largest; of huge numbers only those below a million."""
    top = min(number, limit, 10**6)
    small = [divisor for divisor in range(1, min(top, 1024) + 1) if number % divisor == 0]
    large = sorted({number // divisor for divisor in small if 1024 < number // divisor <= top})
    yield from sorted({*small, *large}, reverse=True)


def _evaluate(
    recipe: Recipe, device: Processors, degree: int, *, shard: str, micro_batch: int, recompute: str
) -> Candidate:
    training = recipe.training
    accumulations = training.global_batch_size // degree // micro_batch
    work = workload_of(recipe, micro_batch, recompute)
    share = Share(degree=degree, shard=shard)
    parameters = count_trained(recipe.model, work.adapters)
    updated = max(1, round(share.of(parameters, "optimizer")))
    cost = price_step(work, device, micro_batches=accumulations, updated_parameters=updated)
    # Weights are gathered during every pass; gradients leave in the last backward pass only.
    hiding = cost.backward_seconds
    if shard == "gradients":
        hiding = accumulations * cost.backward_seconds
    if shard == "parameters":
        hiding = accumulations * (cost.forward_seconds + cost.backward_seconds)
    sent = bytes_sent(parameters, degree, shard, training.precision, accumulations)
    return Candidate(
        layout=Layout(
            data_parallel_degree=degree,
            shard=shard,
            micro_batch_size=micro_batch,
            gradient_accumulation_steps=accumulations,
            recompute=recompute,
        ),
        work=work,
        memory=plan_memory(
            work,
            device,
            share,
            accumulations=accumulations - 1,
            within_documents=recipe.data.masks_documents,
            # Each process copies what it writes.
            copied_bytes=saved_bytes(recipe) / degree if recipe.resilience.asynchronous_checkpoints else 0.0,
        ),
        cost=cost,
        network=_network(recipe, device, sent, degree, hiding),
    )


def _network(recipe: Recipe, device: Processors, sent_bytes: float, degree: int, hiding: float) -> Network:
    if 1 < degree <= device.processes:
        measured = device.measurements.all_reduce
        return plan_loopback(sent_bytes, None if measured is None else measured.bus_bytes_per_second)
    return plan_network(recipe, sent_bytes, degree=degree, overlap_seconds=hiding)
