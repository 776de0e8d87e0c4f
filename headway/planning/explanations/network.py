"""How the traffic of a device and the time of its communication came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.device import CPU
from headway.planning.explanation import Explanation
from headway.planning.network import BUS_EFFICIENCY, network_rate
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.analytic.hardware import Hardware
    from headway.planning.plan import Plan

_SOURCES = {
    "tensor_communication_seconds": "Korthikanti et al. 2022, arXiv:2205.05198, section 4.2",
    "expert_communication_seconds": "Lepikhin et al. 2020, arXiv:2006.16668, section 3",
    "context_communication_seconds": "Liu, Zaharia and Abbeel 2023, arXiv:2310.01889, section 3",
    "pipeline_communication_seconds": "Narayanan et al. 2021, arXiv:2104.04473, section 3.2",
    "data_communication_seconds": "Rajbhandari et al. 2020, arXiv:1910.02054, section 7",
}
_SUM = "what the parts above add up to"
_VOLUMES = _SOURCES["data_communication_seconds"]
_MANY_RATES = "the time of a step at many rates of the network"
_HIDDEN = "bytes over the share of the rate, in the time of the passes that hide them"
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
    if plan.hardware.accelerator == CPU:
        return (*_between_processors(recipe, plan), *_traffic(plan, _VOLUMES), *_exposed(plan, _HIDDEN))
    before = (*_rates(recipe, plan), *_kinds(recipe, plan))
    return (*before, *_traffic(plan, _SUM), *_exposed(plan, _MANY_RATES))


def _between_processors(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    if plan.hardware.devices == 1:
        return
    stated, is_assumed = network_rate(recipe)
    yield Explanation(
        id="explain-network-processors",
        quantity="bytes_per_second",
        value=stated * BUS_EFFICIENCY,
        arguments={
            "network": recipe.hardware.network or "none",
            "is_assumed": "yes" if is_assumed else "no",
            "stated_rate": stated,
            "share": BUS_EFFICIENCY,
            "rate": stated * BUS_EFFICIENCY,
        },
        source=_named_source(recipe) or _assumption("assumed-processor-network"),
    )


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
            "start_seconds": shares.start_latency_seconds,
            "latency_seconds": shares.up_latency_seconds,
        },
        source=f"{machines.entry.source}; efficiency {shares.id}: {shares.source}",
    )
    if not machines.spans_domains:
        return
    stated = float(machines.out_bytes_per_second)
    yield Explanation(
        id="explain-network-out",
        quantity="bytes_per_second",
        value=stated * shares.out_efficiency,
        arguments={
            "network": recipe.hardware.network or "none",
            "is_assumed": "yes" if machines.assumes_network else "no",
            "stated_rate": stated,
            "share": shares.out_efficiency,
            "rate": stated * shares.out_efficiency,
            "latency_seconds": shares.out_latency_seconds,
        },
        source=f"{_network_source(recipe, machines)}; efficiency {shares.id}: {shares.source}",
    )


def _network_source(recipe: Recipe, machines: Hardware) -> str:
    named = _named_source(recipe)
    if named is not None:
        return named
    if machines.entry.usual_out_bytes_per_second is not None:
        return machines.entry.source
    return _assumption("assumed-server-network")


def _named_source(recipe: Recipe) -> str | None:
    if recipe.hardware.network_bytes_per_second:
        return _RECIPE
    return catalog.network(recipe.hardware.network).source if recipe.hardware.network else None


def _assumption(name: str) -> str:
    return f"{name}: {catalog.constants()[name].source}"


def _kinds(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    """Yield what each kind of parallelism sends."""
    from headway.planning.accelerated import hardware_of, job_of, split_of
    from headway.planning.analytic.traffic import step_traffic

    machines = hardware_of(recipe, plan.hardware.accelerator)
    for part, found in step_traffic(job_of(recipe), machines, split_of(recipe, plan.layout)).items():
        yield Explanation(
            id="explain-network-kind",
            quantity="bytes",
            value=found.up_bytes + found.out_bytes,
            arguments={
                "part": part,
                "shard": plan.layout.shard,
                "rounds": plan.layout.gradient_accumulation_steps,
                "up_bytes": found.up_bytes,
                "out_bytes": found.out_bytes,
                "seconds": found.total_seconds,
            },
            source=_SOURCES[part],
        )


def _traffic(plan: Plan, source: str) -> Iterator[Explanation]:
    network = plan.network
    yield Explanation(
        id="explain-network-traffic",
        quantity="bytes",
        value=network.scale_up_bytes_per_step + network.scale_out_bytes_per_step,
        arguments={"up_bytes": network.scale_up_bytes_per_step, "out_bytes": network.scale_out_bytes_per_step},
        source=source,
    )
    yield Explanation(
        id="explain-network-total",
        quantity="seconds",
        value=network.total_seconds,
        arguments={
            "seconds": network.total_seconds,
            # Between processors only the rates were measured.
            "latencies": "no" if plan.hardware.accelerator == CPU else "yes",
        },
        source=_RINGS,
    )


def _exposed(plan: Plan, required_source: str) -> Iterator[Explanation]:
    network, time = plan.network, plan.time
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
        source=_SUM,
    )
    if network.required_bytes_per_second is not None:
        yield Explanation(
            id="explain-network-required",
            quantity="bytes_per_second",
            value=network.required_bytes_per_second,
            arguments={"rate": network.required_bytes_per_second, "out_bytes": network.scale_out_bytes_per_step},
            source=required_source,
        )
