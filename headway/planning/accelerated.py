"""The layout for accelerators of the catalogue: from the recipe to a job, hardware and wishes, and back to a choice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from headway import catalog
from headway.errors import PlanError
from headway.planning.analytic import intervals
from headway.planning.analytic.hardware import Hardware, hardware
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.keeping import keeping_of
from headway.planning.analytic.layouts import RECOMPUTE, SHARDS, Layouts, layouts
from headway.planning.analytic.memory import memory, moments
from headway.planning.analytic.numerics import QUANTIZED_BASE_BYTES, numerics
from headway.planning.analytic.pareto import Charges, course, front
from headway.planning.analytic.schedules import PLAIN_SCHEDULE
from headway.planning.analytic.search import NEARLY_BEST, Found, row_of, search
from headway.planning.analytic.step import COMMUNICATION, StepTimes, step_times
from headway.planning.analytic.traffic import Traffic, required_bytes_per_second, step_traffic
from headway.planning.analytic.wishes import Wishes
from headway.planning.choice import Alternative, Choice, Format, FrontPoint, Layout
from headway.planning.device import require_planned
from headway.planning.memory import Memory, MemoryParts
from headway.planning.nearest import LayoutError, failing_fields
from headway.planning.network import Network, devices_per_node
from headway.planning.precision import formats, settled
from headway.planning.trades import charges_of
from headway.recipe import Recipe
from headway.recipe.model import ModelConfig
from headway.recipe.sections import LayoutConfig, TrainingConfig


def choose_on_accelerators(recipe: Recipe, accelerator: str) -> Choice:
    """Return the best layout on accelerators of the catalogue.

    Args:
        recipe: the resolved recipe.
        accelerator: id or alias in the catalogue.

    Raises:
        CatalogError: a name is not known.
        PlanError: no layout keeps all rules, or a rate that is needed is not known.
    """
    require_planned(recipe, accelerator)
    machines = hardware_of(recipe, accelerator)
    charges = charges_of(recipe, machines.entry, machines.devices_per_node)
    found: dict[str, Searched] = {}
    for precision in formats(recipe, machines):
        job = job_of(settled(recipe, precision))
        # A rate that nobody knows is an error before anything else is.
        machines.product_flops_per_second(precision)
        result = search(job, machines, wishes_of(recipe), charges=charges)
        if result is None:
            # Whether a layout is legal is the same for all formats.
            raise _no_layout(recipe, job, machines)
        found[precision] = Searched(job=job, found=result)
    return _choice(machines, found, charges)


@dataclass(frozen=True, kw_only=True)
class Searched:
    """A training with products of one format, and what the search found for it."""

    job: Job
    found: Found

    @property
    def seconds(self) -> float:
        """Of a step; infinite where no layout fits."""
        return float(self.found.seconds[self.found.best])


def best_format(found: Mapping[str, Searched]) -> str:
    """Return the widest format that is about as fast as the fastest.

    Args:
        found: by format, the widest first.
    """
    fastest = min(one.seconds for one in found.values())
    return next(name for name, one in found.items() if one.seconds <= NEARLY_BEST * fastest)


def job_of(recipe: Recipe) -> Job:
    """Return what a recipe trains."""
    return job_from(recipe.model, recipe.training, recipe.layout)


def job_from(model: ModelConfig, training: TrainingConfig, layout: LayoutConfig) -> Job:
    """Return what these sections of a recipe train; the accuracy benchmark makes its jobs here too."""
    program = catalog.program(training.software)
    is_quantized = training.method == "qlora"
    adapter = None
    if training.method != "full":
        adapter = Adapter(
            rank=training.adapter_rank,
            targets=training.adapter_targets,
            base_bytes=QUANTIZED_BASE_BYTES if is_quantized else 2.0,
            expands=is_quantized,
        )
    # Gradients of 16-bit weights are rounded in any case.
    rounded = program.rounded_gradients and training.weights == "master"
    return Job(
        model=model,
        sequence_length=training.sequence_length,
        global_batch_size=training.global_batch_size,
        numerics=numerics(
            training.precision,
            training.weights,
            training.optimizer,
            half_gradients=rounded if training.gradients == "auto" else training.gradients == "rounded",
            low_precision_gather=training.low_precision_gather,
        ),
        kernels="fused" if training.compile else program.kernels,
        attention=training.attention,
        loss=training.loss,
        adapter=adapter,
        dropout=training.dropout > 0,
        schedule=layout.pipeline_schedule,
        counts_tables=layout.count_tables_as_layers,
        keeps=keeping_of(
            program,
            compiled=training.compile,
            tunes=training.phase == "finetune" or adapter is not None,
            quantized=is_quantized,
        ),
        refused=frozenset(lack.split for lack in program.lacks if not lack.yields),
        avoided=frozenset(lack.split for lack in program.lacks if lack.yields),
        captures_graphs=training.capture_graphs,
        overlaps_communication=layout.overlap_communication,
        overlaps_tensor_communication=layout.overlap_tensor_communication,
        overlaps_expert_communication=layout.overlap_expert_communication,
    )


def hardware_of(recipe: Recipe, accelerator: str) -> Hardware:
    """Return the accelerators that a recipe names."""
    entry = catalog.accelerator(accelerator)
    return hardware(
        accelerator,
        devices=recipe.hardware.devices,
        devices_per_node=devices_per_node(recipe, entry),
        network=recipe.hardware.network,
        out_bytes_per_second=recipe.hardware.network_bytes_per_second,
    )


def wishes_of(recipe: Recipe) -> Wishes:
    """Return what a recipe fixes of the layout."""
    layout = recipe.layout

    def stated(value: Any) -> Any:
        return None if value == "auto" else value

    return Wishes(
        data=stated(layout.data_parallel_degree),
        tensor=stated(layout.tensor_parallel_degree),
        pipeline=stated(layout.pipeline_parallel_degree),
        virtual=stated(layout.virtual_pipeline_stages),
        context=stated(layout.context_parallel_degree),
        expert=stated(layout.expert_parallel_degree),
        expert_tensor=stated(layout.expert_tensor_parallel_degree),
        shard=stated(layout.shard),
        shard_group=stated(layout.shard_group_size),
        reshards=stated(layout.reshard_after_forward),
        micro_batch=stated(layout.micro_batch_size),
        recompute=stated(layout.recompute),
        sequence_parallel=stated(layout.sequence_parallel),
        offload_optimizer=layout.offload_optimizer,
        offload_activations=layout.offload_activations,
    )


def split_of(recipe: Recipe, layout: Layout) -> Layouts:
    """Return a resolved layout as the one row of an array, as formulas take it."""
    return layouts(
        data=layout.data_parallel_degree,
        tensor=layout.tensor_parallel_degree,
        pipeline=layout.pipeline_parallel_degree,
        virtual=layout.virtual_pipeline_stages,
        context=layout.context_parallel_degree,
        expert=layout.expert_parallel_degree,
        expert_tensor=wishes_of(recipe).expert_tensor,
        shard=SHARDS.index(layout.shard),
        # A group of one is what `_layout` writes where nothing is sharded: the formulas then count all replicas.
        shard_group=layout.shard_group_size if layout.shard != "none" else None,
        reshards=layout.reshard_after_forward,
        micro_batch=layout.micro_batch_size,
        micro_batches=layout.gradient_accumulation_steps,
        recompute=RECOMPUTE.index(layout.recompute),
        recompute_share=layout.recompute_share,
        offload_optimizer=recipe.layout.offload_optimizer,
        offload_activations=recipe.layout.offload_activations,
        # Where the recipe does not say, sequence parallelism goes with tensor parallelism.
        sequence_parallel=wishes_of(recipe).sequence_parallel,
    )


def _no_layout(recipe: Recipe, job: Job, machines: Hardware) -> PlanError:
    """Return the error for a recipe whose wishes no layout can grant, naming what could be granted instead."""
    free = search(job, machines, Wishes())
    if free is not None:
        best = _layout(job, row_of(free.splits, free.best))
        return LayoutError(
            failing_fields(recipe, job, machines, wishes_of(recipe)),
            devices=recipe.hardware.devices,
            data=best.data_parallel_degree,
            tensor=best.tensor_parallel_degree,
            pipeline=best.pipeline_parallel_degree,
            context=best.context_parallel_degree,
            micro_batch=best.micro_batch_size,
        )
    batch, devices = recipe.training.global_batch_size, recipe.hardware.devices
    lower = max(batch // devices, 1) * devices
    return PlanError(
        "plan-batch-not-divisible",
        global_batch_size=batch,
        devices=devices,
        lower=lower,
        upper=lower + devices,
    )


def _choice(machines: Hardware, searched: Mapping[str, Searched], charges: Charges) -> Choice:
    precision = best_format(searched)
    job, found = searched[precision].job, searched[precision].found
    one = found.splits.take([found.best])
    times = step_times(job, machines, one)
    return Choice(
        accelerator=machines.entry.id,
        entry=machines.entry,
        devices_per_node=machines.devices_per_node,
        peak_flops_per_second=machines.peak_flops_per_second(job.numerics.product),
        layout=_layout(job, row_of(found.splits, found.best)),
        memory=_memory(job, machines, found),
        parts_seconds={name: float(values[0]) for name, values in times.parts.items() if values[0] > 0},
        step_spread=intervals.step_spread(job),
        forward_seconds=float(times.forward_seconds[0]),
        network=_network(job, machines, one, times),
        precision=precision,
        alternatives=_alternatives(job, found),
        front=_front(searched, precision, charges) if found.fits else (),
        cost_axis=charges.axis,
        formats=tuple(_format(name, each, machines) for name, each in searched.items()) if len(searched) > 1 else (),
        considered=sum(len(each.found.splits) for each in searched.values()),
        removed=found.removed,
    )


def _alternatives(job: Job, found: Found) -> tuple[Alternative, ...]:
    front = set(found.front)
    return tuple(
        Alternative(
            layout=_layout(job, row_of(found.splits, index)),
            step_seconds=float(found.seconds[index]),
            device_peak_bytes=float(found.peak_bytes[index]),
            fits=True,
            is_on_front=index in front,
        )
        for index in found.others
    )


def _format(precision: str, searched: Searched, machines: Hardware) -> Format:
    found = searched.found
    return Format(
        precision=precision,
        step_seconds=searched.seconds if found.fits else None,
        device_peak_bytes=float(found.peak_bytes[found.best]),
        fits=None if machines.capacity_bytes is None else found.fits,
    )


def _front(searched: Mapping[str, Searched], precision: str, charges: Charges) -> tuple[FrontPoint, ...]:
    """Return some points of the front of all formats together, and the layout that is chosen."""
    rows = [(name, index) for name, one in searched.items() if one.found.fits for index in one.found.front]
    seconds, computing, peaks = (
        np.asarray([getattr(searched[name].found, field)[index] for name, index in rows])
        for field in ("seconds", "computing_seconds", "peak_bytes")
    )
    costs = charges.of(seconds, computing)
    unbeaten = np.asarray(front(seconds, peaks, costs))
    shown = unbeaten[list(course(seconds[unbeaten], peaks[unbeaten], costs[unbeaten]))]
    points = [_front_point(searched, *rows[index], is_on_front=True) for index in shown]
    best = searched[precision].found.best
    if (precision, best) not in [rows[index] for index in shown]:
        is_on_front = (precision, best) in [rows[index] for index in unbeaten]
        points.append(_front_point(searched, precision, best, is_on_front=is_on_front))
    return tuple(sorted(points, key=lambda point: point.step_seconds))


def _front_point(searched: Mapping[str, Searched], precision: str, index: int, *, is_on_front: bool) -> FrontPoint:
    found = searched[precision].found
    return FrontPoint(
        layout=_layout(searched[precision].job, row_of(found.splits, index)),
        precision=precision,
        step_seconds=float(found.seconds[index]),
        computing_seconds=float(found.computing_seconds[index]),
        device_peak_bytes=float(found.peak_bytes[index]),
        is_on_front=is_on_front,
    )


def _layout(job: Job, row: dict[str, float]) -> Layout:
    return Layout(
        data_parallel_degree=int(row["data"]),
        tensor_parallel_degree=int(row["tensor"]),
        pipeline_parallel_degree=int(row["pipeline"]),
        virtual_pipeline_stages=int(row["virtual"]),
        pipeline_schedule=job.schedule if row["pipeline"] > 1 else PLAIN_SCHEDULE,
        context_parallel_degree=int(row["context"]),
        expert_parallel_degree=int(row["expert"]),
        shard=SHARDS[int(row["shard"])],
        shard_group_size=int(row["shard_group"]) if row["shard"] else 1,
        reshard_after_forward=bool(row["reshards"]),
        micro_batch_size=int(row["micro_batch"]),
        gradient_accumulation_steps=int(row["micro_batches"]),
        recompute=RECOMPUTE[int(row["recompute"])],
        sequence_parallel=bool(row["sequence_parallel"]),
        recompute_share=row["recompute_share"],
    )


def _memory(job: Job, machines: Hardware, found: Found) -> Memory:
    one = found.splits.take([found.best])
    held = memory(job, machines, one)
    parts = MemoryParts(**{name: float(values[0]) for name, values in vars(held).items()})
    peak, capacity = parts.total_bytes, machines.capacity_bytes
    low, high = intervals.memory_spread(job)
    return Memory(
        device_peak_bytes=peak,
        device_peak_bytes_low=low * peak,
        device_peak_bytes_high=high * peak,
        device_allocated_bytes=float(held.allocated_bytes[0]),
        device_capacity_bytes=capacity,
        fits=None if capacity is None else found.fits,
        moment=str(moments(job, one)[0]),
        parts=parts,
    )


def _network(job: Job, machines: Hardware, one: Layouts, times: StepTimes) -> Network:
    found = sum(step_traffic(job, machines, one).values(), Traffic())
    return Network(
        scale_up_bytes_per_step=found.up_bytes,
        scale_out_bytes_per_step=found.out_bytes,
        total_seconds=found.total_seconds,
        exposed_seconds=sum(float(times.parts[name][0]) for name in COMMUNICATION),
        required_bytes_per_second=required_bytes_per_second(job, machines, one) if found.out_bytes else None,
        assumed_bytes_per_second=(
            float(machines.out_bytes_per_second) if machines.assumes_network and machines.spans_domains else None
        ),
    )
