"""How the traffic of a device and the time of its communication came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.device import CPU
from headway.planning.explanation import Explanation
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

_VOLUMES = "Rajbhandari et al. 2020, arXiv:1910.02054, section 7"
_RINGS = "Thakur, Rabenseifner and Gropp 2005; NVIDIA nccl-tests, PERFORMANCE.md"
_RECIPE = "the recipe"

COMMUNICATION = (
    "tensor_communication_seconds",
    "expert_communication_seconds",
    "context_communication_seconds",
    "pipeline_communication_seconds",
    "data_communication_seconds",
    "communication_seconds",
)
"""The parts of a step that are communication; on accelerators by kind, on processors in one."""


def explain_network(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the traffic, its time, and the rate below which it would show.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    rates = () if plan.hardware.accelerator == CPU else tuple(_rates(recipe, plan))
    return (*rates, *_traffic(plan), *_exposed(plan))


def _rates(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    from headway.planning.accelerated import hardware_of

    machines = hardware_of(recipe, plan.hardware.accelerator)
    shares = machines.efficiency
    yield Explanation(
        id="explain-network-up",
        quantity="bytes_per_second",
        value=machines.up_bytes_per_second * shares.up_efficiency,
        arguments={
            "devices": machines.domain_devices,
            "stated_rate": machines.up_bytes_per_second,
            "share": shares.up_efficiency,
            "rate": machines.up_bytes_per_second * shares.up_efficiency,
            "latency_seconds": shares.up_latency_seconds,
        },
        source=f"{machines.entry.source}; efficiency {shares.id}: {shares.source}",
    )
    if machines.out_bytes_per_second is None:
        return
    network = recipe.hardware.network
    stated = _RECIPE if recipe.hardware.network_bytes_per_second or not network else catalog.network(network).source
    yield Explanation(
        id="explain-network-out",
        quantity="bytes_per_second",
        value=machines.out_bytes_per_second * shares.out_efficiency,
        arguments={
            "network": network or "none",
            "stated_rate": machines.out_bytes_per_second,
            "share": shares.out_efficiency,
            "rate": machines.out_bytes_per_second * shares.out_efficiency,
            "latency_seconds": shares.out_latency_seconds,
        },
        source=f"{stated}; efficiency {shares.id}: {shares.source}",
    )


def _traffic(plan: Plan) -> Iterator[Explanation]:
    network, layout = plan.network, plan.layout
    yield Explanation(
        id="explain-network-traffic",
        quantity="bytes",
        value=network.scale_up_bytes_per_step + network.scale_out_bytes_per_step,
        arguments={
            "shard": layout.shard,
            "replicas": layout.data_parallel_degree * layout.context_parallel_degree,
            "rounds": layout.gradient_accumulation_steps,
            "up_bytes": network.scale_up_bytes_per_step,
            "out_bytes": network.scale_out_bytes_per_step,
        },
        source=_VOLUMES,
    )
    if network.total_seconds is not None:
        yield Explanation(
            id="explain-network-total",
            quantity="seconds",
            value=network.total_seconds,
            arguments={"seconds": network.total_seconds},
            source=_RINGS,
        )


def _exposed(plan: Plan) -> Iterator[Explanation]:
    network, time = plan.network, plan.time
    if network.exposed_seconds is None:
        yield Explanation(id="explain-network-unknown", quantity="count", value=plan.hardware.devices, source=_RECIPE)
        return
    for name in COMMUNICATION:
        seconds = time.parts.get(name, 0.0)
        if seconds:
            yield Explanation(
                id="explain-network-part",
                quantity="seconds",
                value=seconds,
                arguments={"part": name, "seconds": seconds, "share": seconds / time.step_seconds},
                source=_RINGS,
            )
    yield Explanation(
        id="explain-network-exposed",
        quantity="seconds",
        value=network.exposed_seconds,
        arguments={
            "seconds": network.exposed_seconds,
            "share": network.exposed_seconds / time.step_seconds,
        },
        source="what the parts above add up to",
    )
    if network.required_bytes_per_second is not None:
        yield Explanation(
            id="explain-network-required",
            quantity="bytes_per_second",
            value=network.required_bytes_per_second,
            arguments={"rate": network.required_bytes_per_second, "out_bytes": network.scale_out_bytes_per_step},
            source="bytes over the time of the computation, over the share that collectives reach",
        )
