"""What a plan warns about, and what makes it impossible, for the site that it stands on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog, units
from headway.planning.constants import cooling_fact
from headway.planning.device import CPU
from headway.planning.limits import is_within
from headway.planning.message import Argument, Message
from headway.planning.power import RACK_LIMITS, accelerator_watts
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

TIGHT_CAPACITY_SHARE = 0.9
"""Of a site's power and cooling, that the rated maximum may take without a word. Our choice: a continuous load may take
80 % of a circuit by the US National Electrical Code (NFPA 70, 210.20), and a site's figure has that taken off already.
"""

SAVED_SHARE = 0.05
"""A better hour to start is worth a word where it saves this much. Our choice."""

_SHARED_PARTS = ("supply_losses_watts", "fabric_and_storage_watts", "site_overhead_watts")
"""Parts of the power that grow with all others."""


def obstacles(plan: Plan) -> Iterator[Message]:
    """Yield what the site cannot do: supply the power, remove the heat, or cool racks so dense.

    Circuits and chillers must bear the rated maximum, not the mean.
    """
    power, cooling = plan.power, plan.cooling
    for message_id, needed_watts, capacity_watts in (
        ("plan-infeasible-site-power", power.facility_peak_watts, power.capacity_watts),
        ("plan-infeasible-site-cooling", cooling.peak_heat_watts, cooling.capacity_watts),
    ):
        if needed_watts is not None and capacity_watts is not None and not is_within(needed_watts, capacity_watts):
            devices = _enough_for(plan, capacity_watts / needed_watts)
            yield Message(
                id=message_id,
                arguments={"needed_watts": needed_watts, "capacity_watts": capacity_watts, "devices": devices},
            )
    rack_watts = power.rack_peak_watts
    methods = cooling.methods
    if rack_watts is None or methods is None or cooling.method in methods:
        return
    limit = RACK_LIMITS[cooling.method] if cooling.method is not None else list(RACK_LIMITS.values())[-1]
    yield Message(
        id="plan-infeasible-rack",
        arguments={
            "rack_watts": rack_watts,
            "limit_watts": cooling_fact(limit),
            "method": cooling.method or "none",
            "nodes_per_rack": power.nodes_per_rack or 1,
            "methods": ", ".join(methods) or "none",
        },
    )


def warnings(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield what the reader should know of the site before starting."""
    power, cooling, cost, carbon = plan.power, plan.cooling, plan.cost, plan.carbon
    yield from _capacity(
        "plan-warning-site-power-unknown",
        "plan-warning-site-power-tight",
        power.facility_peak_watts,
        power.capacity_watts,
    )
    yield from _capacity(
        "plan-warning-site-cooling-unknown",
        "plan-warning-site-cooling-tight",
        cooling.peak_heat_watts,
        cooling.capacity_watts,
    )
    yield from _stated_power(recipe, plan)
    rack_watts, limit_watts = power.rack_peak_watts, recipe.site.rack_capacity
    if rack_watts is not None and limit_watts is not None and not is_within(rack_watts, limit_watts):
        yield Message(
            id="plan-warning-rack-power",
            arguments={
                "rack_watts": rack_watts,
                "limit_watts": limit_watts,
                "nodes_per_rack": power.nodes_per_rack or 1,
            },
        )
    reading = plan.storage.read_time_share
    if reading is not None and reading > 1:
        yield Message(
            id="plan-warning-data-slow",
            arguments={"needed_bytes_per_second": plan.storage.read_bytes_per_second, "ratio": reading},
        )
    yield from _better_hours(
        "plan-warning-start-price", cost.energy_usd, cost.cheapest_energy_usd, cost.cheapest_start_hour
    )
    yield from _better_hours(
        "plan-warning-start-carbon",
        carbon.operational_kg_co2e,
        carbon.greenest_operational_kg_co2e,
        carbon.greenest_start_hour,
    )


def _stated_power(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield that the power that a recipe states for a server is less than its accelerators alone take at work."""
    stated_watts, hardware = recipe.site.node_watts, plan.hardware
    if stated_watts is None or hardware.accelerator == CPU:
        return
    design_watts = catalog.accelerator(hardware.accelerator).power_watts
    if design_watts is None:
        return
    watts = min(hardware.devices, hardware.devices_per_node) * accelerator_watts(design_watts, 1.0)
    if stated_watts < watts:
        yield Message(id="plan-warning-node-power", arguments={"watts": stated_watts, "accelerators_watts": watts})


def _enough_for(plan: Plan, share: float) -> int:
    """Return the most devices that take no more than a share of the rated maximum, and that the training can use.

    They fill their servers, and divide the batch or the devices that were asked for; spare servers stay. 0 where
    none do.
    """
    hardware, layout, spares = plan.hardware, plan.layout, _spare_share(plan)
    most = int(hardware.devices * (share - spares) / (1 - spares)) if share > spares else 0
    batch = layout.data_parallel_degree * layout.micro_batch_size * layout.gradient_accumulation_steps
    per_node = hardware.devices_per_node
    sizes = (*range(most // per_node * per_node, 0, -per_node), *range(min(most, per_node - 1), 0, -1))
    return next((size for size in sizes if batch % size == 0 or hardware.devices % size == 0), 0)


def _spare_share(plan: Plan) -> float:
    """Return the share of the rated maximum that spare servers take, their part of all losses included."""
    power = plan.power
    spare_watts = power.parts.get("spare_servers_watts", 0.0)
    if not spare_watts or power.facility_watts is None or not power.facility_peak_watts:
        return 0.0
    own_watts = sum(watts for name, watts in power.parts.items() if name not in _SHARED_PARTS)
    return spare_watts * power.facility_watts / own_watts / power.facility_peak_watts


def partial_cost(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield each part that is missing from the cost."""
    is_bought = recipe.site.ownership == "buy"
    for part in plan.cost.missing or ():
        arguments: dict[str, Argument] = {"part": part, "is_bought": "yes" if is_bought else "no"}
        yield Message(id="plan-warning-cost-partial", arguments=arguments)


def kilowatt_hours(plan: Plan) -> float | None:
    """Return the facility's energy; None where it is not known."""
    joules = plan.energy.facility_joules
    return None if joules is None else units.joules_to_kilowatt_hours(joules)


def _capacity(
    unknown_id: str, tight_id: str, needed_watts: float | None, capacity_watts: float | None
) -> Iterator[Message]:
    if capacity_watts is None:
        return
    if needed_watts is None:
        yield Message(id=unknown_id, arguments={"capacity_watts": capacity_watts})
    elif needed_watts / capacity_watts > TIGHT_CAPACITY_SHARE and is_within(needed_watts, capacity_watts):
        yield Message(id=tight_id, arguments={"share": needed_watts / capacity_watts})


def _better_hours(message_id: str, now: float | None, best: float | None, hour: int | None) -> Iterator[Message]:
    if now is None or best is None or hour is None or now <= 0 or now - best <= SAVED_SHARE * now:
        return
    yield Message(id=message_id, arguments={"hour": hour, "now": now, "best": best})
