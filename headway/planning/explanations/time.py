"""How the time of a step and of the run came about, part by part; the parts of the step add up to it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.analytic.schedules import V_SHAPED, bubble_share
from headway.planning.device import CPU
from headway.planning.explanation import Explanation
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

_ROOFLINE = "Williams, Waterman and Patterson 2009; NVIDIA CUTLASS, efficient_gemm.md"
_ATTENTION = "Dao 2023, arXiv:2307.08691, section 4 and figures 4 to 6"
_TENSOR = "Korthikanti et al. 2022, arXiv:2205.05198, section 4.2"
_PIPELINE = "Narayanan et al. 2021, arXiv:2104.04473, section 2.2"
_SHARDING = "Rajbhandari et al. 2020, arXiv:1910.02054, section 7; Zhao et al. 2023, arXiv:2304.11277, section 3"
_EXPERTS = "Lepikhin et al. 2020, arXiv:2006.16668, section 3"
_RING = "Liu, Zaharia and Abbeel 2023, arXiv:2310.01889, section 3"
_MFU = "Chowdhery et al. 2022, arXiv:2204.02311, appendix B"
_HFU = "Korthikanti et al. 2022, arXiv:2205.05198, section 6.2"
_SPREAD = "python -m benchmarks.plan_accuracy"
_SPREAD_OF_PROCESSORS = "benchmarks/plan_accuracy_cpu.py"
_PROBE = "headway probe, of the same operations on this machine"


def explain_time(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the time of a step, its utilisation, and the whole run.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    is_cpu = plan.hardware.accelerator == CPU
    parts = _measured_parts(plan) if is_cpu else (*_rates(recipe, plan), *_parts(recipe, plan))
    return (*parts, *_step(plan), *_run(recipe, plan))


def _measured_parts(plan: Plan) -> Iterator[Explanation]:
    for name, seconds in plan.time.parts.items():
        yield Explanation(
            id="explain-time-measured",
            quantity="seconds",
            value=seconds,
            arguments={
                "part": name,
                "rounds": plan.layout.gradient_accumulation_steps,
                "seconds": seconds,
                "share": seconds / plan.time.step_seconds,
            },
            source=_PROBE,
        )


def _rates(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    from headway.planning.accelerated import hardware_of, job_of
    from headway.planning.analytic.attention import attention_product

    machines, job = hardware_of(recipe, plan.hardware.accelerator), job_of(recipe)
    reached, shares = machines.product_flops_per_second(job.numerics.product), machines.efficiency
    yield Explanation(
        id="explain-time-rate",
        quantity="flops_per_second",
        value=reached,
        arguments={
            "accelerator": machines.entry.id,
            "precision": job.numerics.product,
            "peak_rate": plan.hardware.peak_flops_per_second,
            "share": reached / plan.hardware.peak_flops_per_second,
            "rate": reached,
        },
        source=f"{machines.entry.source}; efficiency {shares.id}: {shares.source}",
    )
    tuned = job.attention == "tuned"
    yield Explanation(
        id="explain-time-attention-rate",
        quantity="ratio",
        value=shares.tuned_attention_forward_efficiency if tuned else shares.attention_forward_efficiency,
        arguments={
            "kernels": job.attention,
            "precision": attention_product(job),
            "peak_rate": machines.peak_flops_per_second(attention_product(job)),
            "forward_share": shares.tuned_attention_forward_efficiency
            if tuned
            else shares.attention_forward_efficiency,
            "backward_share": (
                shares.tuned_attention_backward_efficiency if tuned else shares.attention_backward_efficiency
            ),
        },
        source=f"efficiency {shares.id}: {shares.source}; {_ATTENTION}",
    )
    stated = machines.entry.memory_bytes_per_second or 0.0
    yield Explanation(
        id="explain-time-memory-rate",
        quantity="bytes_per_second",
        value=machines.memory_bytes_per_second,
        arguments={
            "peak_rate": stated,
            "share": shares.memory_efficiency,
            "rate": machines.memory_bytes_per_second,
            "kernel_seconds": shares.kernel_seconds,
        },
        source=f"{machines.entry.source}; efficiency {shares.id}: {shares.source}",
    )


def _parts(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    parts = plan.time.parts
    yield from _compute(recipe, plan)
    for name, seconds in parts.items():
        if name not in ("compute_seconds", "recompute_seconds"):
            yield _part(recipe, plan, name, seconds)


def _compute(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    """Yield the operations of the layers: those of a micro-batch, over the stages, times the micro-batches."""
    from headway.planning.accelerated import hardware_of, job_of, split_of
    from headway.planning.analytic.layer import pass_times, tokens_of

    job, split = job_of(recipe), split_of(recipe, plan.layout)
    passes = pass_times(job, hardware_of(recipe, plan.hardware.accelerator), split)
    layout = plan.layout
    rounds, stages = layout.gradient_accumulation_steps, layout.pipeline_parallel_degree
    for name, forward in passes.forward.items():
        forward_seconds, backward_seconds = float(forward[0]), float(passes.backward[name][0])
        if not forward_seconds + backward_seconds:
            continue
        seconds = rounds / stages * (forward_seconds + backward_seconds)
        yield Explanation(
            id="explain-time-operation",
            quantity="seconds",
            value=seconds,
            arguments={
                "operation": name,
                "layers": recipe.model.num_hidden_layers,
                "tokens": float(tokens_of(job, split)[0]),
                "forward_seconds": forward_seconds,
                "backward_seconds": backward_seconds,
                "stages": stages,
                "rounds": rounds,
                "seconds": seconds,
            },
            source=_ATTENTION if name == "attention" else _ROOFLINE,
        )
    again = plan.time.parts.get("recompute_seconds", 0.0)
    if again:
        yield Explanation(
            id="explain-time-recompute",
            quantity="seconds",
            value=again,
            arguments={
                "recompute": layout.recompute,
                "share": layout.recompute_share,
                "once_seconds": float(passes.again[0]),
                "rounds": rounds,
                "stages": stages,
                "seconds": again,
            },
            source="Korthikanti et al. 2022, arXiv:2205.05198, section 5",
        )


_SOURCES = {
    "head_seconds": _ROOFLINE,
    "tensor_communication_seconds": _TENSOR,
    "expert_communication_seconds": _EXPERTS,
    "context_communication_seconds": _RING,
    "pipeline_communication_seconds": _PIPELINE,
    "bubble_seconds": _PIPELINE,
    "data_communication_seconds": _SHARDING,
    "optimizer_seconds": "bytes of states and gradients over the memory's rate",
    "host_seconds": "operations of a layer times the time to start one (host_seconds of efficiencies.toml)",
    "offload_seconds": "bytes that layers keep over host-link-rate of constants.toml, less the computation",
}


def _part(recipe: Recipe, plan: Plan, name: str, seconds: float) -> Explanation:
    layout, hides_experts = plan.layout, recipe.layout.overlap_expert_communication
    return Explanation(
        id="explain-time-part",
        quantity="seconds",
        value=seconds,
        arguments={
            "part": name,
            "seconds": seconds,
            "share": seconds / plan.time.step_seconds,
            "data": layout.data_parallel_degree,
            "tensor": layout.tensor_parallel_degree,
            "pipeline": layout.pipeline_parallel_degree,
            "virtual": layout.virtual_pipeline_stages,
            "chunks": 1 if layout.pipeline_schedule == V_SHAPED else layout.virtual_pipeline_stages,
            "waits": bubble_share(layout.pipeline_schedule, trains_weights=recipe.training.method == "full"),
            "context": layout.context_parallel_degree,
            "expert": layout.expert_parallel_degree,
            "rounds": layout.gradient_accumulation_steps,
            "shard": layout.shard,
            "devices": plan.hardware.devices,
            "waiting_share": _constant("waiting-per-doubling"),
            "expert_overlap": _constant("expert-communication-overlap") if hides_experts else 0,
        },
        source=_SOURCES.get(name) or f"waiting-per-doubling: {catalog.constants()['waiting-per-doubling'].source}",
    )


def _constant(name: str) -> float:
    return catalog.constants()[name].value or 0.0


def _step(plan: Plan) -> Iterator[Explanation]:
    time = plan.time
    yield Explanation(
        id="explain-time-step",
        quantity="seconds",
        value=time.step_seconds,
        arguments={"seconds": time.step_seconds, "low": time.step_seconds_low, "high": time.step_seconds_high},
        source=_SPREAD_OF_PROCESSORS if plan.hardware.accelerator == CPU else _SPREAD,
    )
    yield Explanation(
        id="explain-time-utilization",
        quantity="ratio",
        value=time.model_flops_utilization,
        arguments={
            "tokens_per_second": time.tokens_per_second,
            "flops_per_token": plan.model.model_flops_per_token,
            "devices": plan.hardware.devices,
            "peak_rate": plan.hardware.peak_flops_per_second,
            "share": time.model_flops_utilization,
        },
        source=_MFU,
    )
    if time.hardware_flops_utilization is not None:
        yield Explanation(
            id="explain-time-hardware-utilization",
            quantity="ratio",
            value=time.hardware_flops_utilization,
            arguments={
                "recompute": plan.layout.recompute,
                "layer_share": plan.layout.recompute_share,
                "share": time.hardware_flops_utilization,
            },
            source=_HFU,
        )


def _run(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    time = plan.time
    yield Explanation(
        id="explain-time-training",
        quantity="seconds",
        value=time.training_seconds,
        arguments={
            "steps": plan.run.steps,
            "tokens": plan.run.tokens,
            "batch_tokens": recipe.tokens_per_step,
            "step_seconds": time.step_seconds,
            "seconds": time.training_seconds,
        },
        source="tokens over those of a step",
    )
    if time.total_seconds is None:
        return
    failures = plan.reliability
    is_known = "no" if failures is None else "partly" if failures.goodput is None else "yes"
    yield Explanation(
        id="explain-time-total",
        quantity="seconds",
        value=time.total_seconds,
        arguments={
            "training_seconds": time.training_seconds,
            "is_known": is_known,
            "goodput": 1.0 if failures is None else failures.charged_share,
            "seconds": time.total_seconds,
        },
        source="headway plan --explain reliability",
    )
