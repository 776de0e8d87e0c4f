"""How the peak memory of a device came about, part by part.

The numbers of accelerators come from the same functions that the plan was made with, for the layout that it chose; what
a part holds beside its main term is what remains of the plan's number, so that the steps add up to it by construction.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.activations import HEAD_CHUNK_TOKENS, kept_bytes, kept_elements_per_token
from headway.planning.adapters import adapters_of, count_trained
from headway.planning.analytic.schedules import V_SHAPED
from headway.planning.device import CPU
from headway.planning.explanation import Explanation
from headway.planning.memory import MOMENTS, MemoryParts, heap_bytes
from headway.planning.operations import FP32_BYTES, VALUE_BYTES
from headway.planning.steps import workload_of
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.analytic.hardware import Hardware
    from headway.planning.analytic.holdings import Holdings
    from headway.planning.analytic.job import Job
    from headway.planning.analytic.layouts import Layouts
    from headway.planning.plan import Plan

_ZERO = "Rajbhandari et al. 2020, arXiv:1910.02054, section 5"
_MIXED = (
    "Micikevicius et al. 2018, arXiv:1710.03740, section 3.1; Rajbhandari et al. 2020, arXiv:1910.02054, section 3.1"
)
_ACTIVATIONS = (
    "Korthikanti et al. 2022, arXiv:2205.05198, section 4; Narayanan et al. 2021, arXiv:2104.04473, section 2.2"
)
_ALLOCATOR = "device-context, allocator-holes of the catalogue; docs/concepts/accelerators.md"
_ENGINE = "headway/planning/activations.py, after headway/training/engines/torch"
_HEAP = "headway/planning/memory.py: fitted to benchmarks/plan_accuracy_cpu.py and train_memory.py"
_SPREAD = "python -m benchmarks.plan_accuracy"
_SPREAD_OF_PROCESSORS = "benchmarks/plan_accuracy_cpu.py"


def explain_memory(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the peak memory of a device; the parts add up to it.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    found = _on_processors(recipe, plan) if plan.hardware.accelerator == CPU else _on_accelerators(recipe, plan)
    return (*found, _peak(plan))


def _peak(plan: Plan) -> Explanation:
    memory = plan.memory
    return Explanation(
        id="explain-memory-peak",
        quantity="bytes",
        value=memory.device_peak_bytes,
        arguments={
            "bytes": memory.device_peak_bytes,
            "low": memory.device_peak_bytes_low,
            "high": memory.device_peak_bytes_high,
            "capacity_bytes": memory.device_capacity_bytes or 0,
            "is_known": "no" if memory.device_capacity_bytes is None else "yes",
        },
        source=_SPREAD_OF_PROCESSORS if plan.hardware.accelerator == CPU else _SPREAD,
    )


@dataclass(frozen=True, kw_only=True)
class _Split:
    """One layout with what its formulas need."""

    job: Job
    hardware: Hardware
    split: Layouts
    held: Holdings


def _on_accelerators(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    from headway.planning.accelerated import hardware_of, job_of, split_of
    from headway.planning.analytic.holdings import holdings

    job, split = job_of(recipe), split_of(recipe, plan.layout)
    one = _Split(
        job=job,
        hardware=hardware_of(recipe, plan.hardware.accelerator),
        split=split,
        held=holdings(job, split),
    )
    yield _held(plan, one)
    yield from _states(plan, one)
    yield from _activations(plan, one)
    yield _communication(plan, one)
    yield _reserve(plan, one)


def _held(plan: Plan, one: _Split) -> Explanation:
    layout = plan.layout
    local = float(one.held.local[0])
    return Explanation(
        id="explain-memory-held",
        quantity="count",
        value=local,
        arguments={
            "parameters": plan.model.parameters,
            "tensor": layout.tensor_parallel_degree,
            "pipeline": layout.pipeline_parallel_degree,
            "expert": layout.expert_parallel_degree,
            "weights": local,
        },
        source="shapes of the model; Narayanan et al. 2021, arXiv:2104.04473, section 2",
    )


def _states(plan: Plan, one: _Split) -> Iterator[Explanation]:
    yield _parameters(plan, one)
    yield _gradients(plan, one)
    yield _optimizer(plan, one)


def _parameters(plan: Plan, one: _Split) -> Explanation:
    parts, numbers, layout = plan.memory.parts, one.job.numerics, plan.layout
    adapter = one.job.adapter
    weight_bytes = numbers.weight_bytes if adapter is None else adapter.base_bytes
    group = layout.shard_group_size if layout.shard == "parameters" else 1
    own_bytes = float(one.held.local[0]) * weight_bytes / group
    return Explanation(
        id="explain-memory-parameters",
        quantity="bytes",
        value=parts.parameters_bytes,
        arguments={
            "weights": float(one.held.local[0]),
            "each_bytes": weight_bytes,
            "group": group,
            "own_bytes": own_bytes,
            "extra_bytes": parts.parameters_bytes - own_bytes,
            "bytes": parts.parameters_bytes,
        },
        source=_MIXED,
    )


def _gradients(plan: Plan, one: _Split) -> Explanation:
    parts, numbers, layout = plan.memory.parts, one.job.numerics, plan.layout
    trained = float(one.held.trained_local[0])
    group = layout.shard_group_size if layout.shard in ("gradients", "parameters") else 1
    own_bytes = 0.0 if numbers.frees_gradients else trained * numbers.gradient_bytes / group
    own_bytes = min(own_bytes, parts.gradients_bytes)
    return Explanation(
        id="explain-memory-gradients",
        quantity="bytes",
        value=parts.gradients_bytes,
        arguments={
            "weights": trained,
            "freed": "yes" if numbers.frees_gradients else "no",
            "each_bytes": numbers.gradient_bytes,
            "group": group,
            "own_bytes": own_bytes,
            "extra_bytes": parts.gradients_bytes - own_bytes,
            "bytes": parts.gradients_bytes,
        },
        source=_ZERO,
    )


def _optimizer(plan: Plan, one: _Split) -> Explanation:
    parts, numbers = plan.memory.parts, one.job.numerics
    own_bytes = 0.0 if one.split.offload_optimizer[0] else float(one.held.updated[0]) * numbers.optimizer_bytes
    return Explanation(
        id="explain-memory-optimizer",
        quantity="bytes",
        value=parts.optimizer_bytes,
        arguments={
            "weights": float(one.held.updated[0]),
            "master_bytes": numbers.master_bytes,
            "moment_bytes": numbers.moment_bytes,
            "own_bytes": own_bytes,
            "extra_bytes": parts.optimizer_bytes - own_bytes,
            "place": "host" if one.split.offload_optimizer[0] else "device",
            "bytes": parts.optimizer_bytes,
        },
        source=_MIXED,
    )


def _activations(plan: Plan, one: _Split) -> Iterator[Explanation]:
    from headway.planning.analytic import activations as formulas
    from headway.planning.analytic.holdings import stage_layers
    from headway.planning.analytic.layer import tokens_of
    from headway.planning.analytic.memory import LAYERS_NOT_OFFLOADED

    parts, layout = plan.memory.parts, plan.layout
    tokens = tokens_of(one.job, one.split)
    kept = float(formulas.kept_bytes_per_layer(one.job, one.split, tokens)[0])
    full = float(formulas.full_bytes_per_layer(one.job, one.split, tokens)[0])
    layers = float(stage_layers(one.job, one.split)[0])
    is_update = plan.memory.moment == "update"
    is_offloaded = bool(one.split.offload_activations[0])
    most = LAYERS_NOT_OFFLOADED if is_offloaded else float("inf")
    in_flight = 0.0 if is_update else min(_layers_in_flight(plan, layers), most)
    if in_flight * kept > parts.activations_bytes:
        # The peak is that of the last stage, which begins the backward pass at once.
        in_flight = min(layers, most)
    yield Explanation(
        id="explain-memory-activations",
        quantity="bytes",
        value=parts.activations_bytes,
        arguments={
            "tokens": float(tokens[0]),
            "recompute": layout.recompute,
            "moment": "update" if is_update else "offload" if is_offloaded else "passes",
            "full_bytes": full,
            "kept_bytes": kept,
            "layers": in_flight,
            "extra_bytes": parts.activations_bytes - in_flight * kept,
            "bytes": parts.activations_bytes,
        },
        source=_ACTIVATIONS,
    )
    logits = float(formulas.logits_bytes(one.job, one.split, tokens)[0])
    yield Explanation(
        id="explain-memory-logits",
        quantity="bytes",
        value=parts.logits_bytes,
        arguments={
            "tokens": float(tokens[0]),
            "vocabulary": one.job.shape.vocabulary,
            "tensor": layout.tensor_parallel_degree,
            "loss": one.job.loss,
            "logits_bytes": logits,
            "bytes": parts.logits_bytes,
            "moment": _moment(parts.logits_bytes, logits),
        },
        source=f"{_ACTIVATIONS}; headway/planning/analytic/activations.py: LOGIT_BYTES",
    )


def _moment(part_bytes: float, logits_bytes: float) -> str:
    """Return what the part holds: nothing, the loss, or the layers' backward pass after it."""
    if not part_bytes:
        return "absent"
    return "loss" if part_bytes <= logits_bytes * (1 + 1e-9) else "backward"


def _layers_in_flight(plan: Plan, layers: float) -> float:
    """Return the layers whose activations the first stage holds at its fullest, by the schedule."""
    layout = plan.layout
    stages, virtual, rounds = (
        layout.pipeline_parallel_degree,
        layout.virtual_pipeline_stages,
        layout.gradient_accumulation_steps,
    )
    if virtual == 1 or layout.pipeline_schedule == V_SHAPED:
        return layers * min(stages, rounds)
    return layers * min(2 * (stages - 1) + (virtual - 1) * stages + 1, virtual * rounds) / virtual


def _communication(plan: Plan, one: _Split) -> Explanation:
    from headway.planning.analytic.reserves import group_sizes

    return Explanation(
        id="explain-memory-communication",
        quantity="bytes",
        value=plan.memory.parts.communication_bytes,
        arguments={
            "devices": one.hardware.devices,
            "groups": sum(float(size[0]) > 1 for size in group_sizes(one.split)),
            "bytes": plan.memory.parts.communication_bytes,
        },
        source=f"nccl-buffer: {catalog.constants()['nccl-buffer'].source}",
    )


def _reserve(plan: Plan, one: _Split) -> Explanation:
    from headway.planning.analytic.reserves import reserves

    context = reserves().context(one.hardware)
    reserve, allocated = plan.memory.parts.reserve_bytes, plan.memory.device_allocated_bytes or 0.0
    return Explanation(
        id="explain-memory-reserve",
        quantity="bytes",
        value=reserve,
        arguments={
            "context_bytes": context,
            "allocated_bytes": allocated,
            "share": (reserve - context) / allocated if allocated else 0.0,
            "kernels": one.job.kernels,
            "bytes": reserve,
        },
        source=_ALLOCATOR,
    )


def _on_processors(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    parts = plan.memory.parts
    trained = count_trained(recipe.model, adapters_of(recipe.training))
    degree, shard = plan.layout.data_parallel_degree, plan.layout.shard
    for name, value, each_bytes, kinds in (
        ("parameters", parts.parameters_bytes, FP32_BYTES, ("parameters",)),
        ("gradients", parts.gradients_bytes, FP32_BYTES, ("gradients", "parameters")),
        ("optimizer", parts.optimizer_bytes, FP32_BYTES * MOMENTS, ("optimizer", "gradients", "parameters")),
    ):
        group = degree if shard in kinds else 1
        own_bytes = min(value, trained * each_bytes / group)
        yield Explanation(
            id="explain-memory-states",
            quantity="bytes",
            value=value,
            arguments={
                "part": name,
                "weights": trained,
                "each_bytes": each_bytes,
                "group": group,
                "own_bytes": own_bytes,
                "extra_bytes": value - own_bytes,
                "moment": plan.memory.moment,
                "bytes": value,
            },
            source=_ZERO,
        )
    yield from _process(recipe, plan, parts)


def _process(recipe: Recipe, plan: Plan, parts: MemoryParts) -> Iterator[Explanation]:
    training, layout = recipe.training, plan.layout
    work = workload_of(recipe, layout.micro_batch_size, layout.recompute)
    kept = min(parts.activations_bytes, kept_bytes(work))
    yield Explanation(
        id="explain-memory-kept",
        quantity="bytes",
        value=parts.activations_bytes,
        arguments={
            "tokens": work.tokens,
            "elements": kept_elements_per_token(work)[0],
            "value_bytes": VALUE_BYTES[training.precision],
            "kept_bytes": kept,
            "extra_bytes": parts.activations_bytes - kept,
            "bytes": parts.activations_bytes,
        },
        source=_ENGINE,
    )
    yield Explanation(
        id="explain-memory-chunk",
        quantity="bytes",
        value=parts.logits_bytes,
        arguments={"rows": min(work.tokens, HEAD_CHUNK_TOKENS), "bytes": parts.logits_bytes},
        source=_ENGINE,
    )
    yield Explanation(
        id="explain-memory-buffers",
        quantity="bytes",
        value=parts.communication_bytes,
        arguments={"degree": layout.data_parallel_degree, "bytes": parts.communication_bytes},
        source=_ZERO,
    )
    heap = heap_bytes(parts, waits=layout.gradient_accumulation_steps > 1 and training.precision == "fp32")
    yield Explanation(
        id="explain-memory-process",
        quantity="bytes",
        value=parts.reserve_bytes,
        arguments={"process_bytes": parts.reserve_bytes - heap, "heap_bytes": heap, "bytes": parts.reserve_bytes},
        source=f"headway probe; {_HEAP}",
    )
