"""How the numbers on the cost came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog, units
from headway.planning.carbon import service_life_seconds
from headway.planning.explanation import Explanation
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.cost import Cost
    from headway.planning.plan import Plan

_RECIPE = "the recipe"


def explain_cost(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the cost: devices, electricity, and when buying pays.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return tuple(_cost(recipe, plan))


def _cost(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    cost, seconds = plan.cost, plan.time.total_seconds
    if seconds is None:
        return
    if cost.device_usd_per_hour is not None:
        devices = held_devices(recipe, plan)
        hours = devices * seconds / units.SECONDS_PER_HOUR
        yield Explanation(
            id="explain-cost-rent",
            quantity="usd",
            value=hours * cost.device_usd_per_hour,
            arguments={
                "devices": devices,
                "device_hours": hours,
                "price": cost.device_usd_per_hour,
                "usd": hours * cost.device_usd_per_hour,
            },
            source=_price_source(recipe, plan),
        )
    if recipe.site.ownership == "buy" and cost.hardware_usd is not None and cost.capital_usd is not None:
        yield Explanation(
            id="explain-cost-purchase",
            quantity="usd",
            value=cost.hardware_usd,
            arguments={
                "capital_usd": cost.capital_usd,
                "seconds": seconds,
                "life_seconds": service_life_seconds(recipe.site),
                "utilization": recipe.site.utilization,
                "usd": cost.hardware_usd,
                "infrastructure_usd": cost.infrastructure_usd or 0.0,
                "interest_usd": cost.interest_usd or 0.0,
            },
            source="straight-line depreciation; Barroso et al. 2018, The Datacenter as a Computer, chapter 6",
        )
    yield from _cost_of_energy(recipe, plan)
    yield from _total(plan)
    if cost.break_even_months is not None and cost.capital_usd is not None:
        yield Explanation(
            id="explain-cost-break-even",
            quantity="number",
            value=cost.break_even_months,
            arguments={"capital_usd": cost.capital_usd, "months": cost.break_even_months},
            source="capital / (rent - running costs)",
        )


def held_devices(recipe: Recipe, plan: Plan) -> int:
    """Return the devices of a run, with those of spare servers: all of them are held for its time."""
    return plan.hardware.devices + recipe.resilience.held_spare_nodes * plan.hardware.devices_per_node


def _total(plan: Plan) -> Iterator[Explanation]:
    """Yield what is paid for in all, with its interval."""
    cost = plan.cost
    if cost.total_usd is None:
        yield from _known(cost)
        return
    yield Explanation(
        id="explain-cost-total",
        quantity="usd",
        value=cost.total_usd,
        arguments={
            "usd": cost.total_usd,
            "is_bounded": "no" if cost.total_usd_high is None else "yes",
            "low": cost.total_usd_low or 0.0,
            "high": cost.total_usd_high or 0.0,
        },
        source="headway/planning/spread.py: the interval of the run's time, and what providers ask",
    )


def _known(cost: Cost) -> Iterator[Explanation]:
    """Yield what is known of the cost where a part is missing."""
    if cost.known_usd is None or not cost.missing:
        return
    yield Explanation(
        id="explain-cost-known",
        quantity="usd",
        value=cost.known_usd,
        arguments={"usd": cost.known_usd, "part": cost.missing[0]},
        source="headway/planning/cost.py: a total is of all parts",
    )


def _cost_of_energy(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    cost, joules = plan.cost, plan.energy.facility_joules
    if cost.energy_usd is not None and joules is not None and cost.electricity_usd_per_kilowatt_hour is not None:
        yield Explanation(
            id="explain-cost-energy",
            quantity="usd",
            value=cost.energy_usd,
            arguments={
                "kilowatt_hours": units.joules_to_kilowatt_hours(joules),
                "price": cost.electricity_usd_per_kilowatt_hour,
                "usd": cost.energy_usd,
            },
            source=recipe.site.electricity_price_series or _RECIPE,
        )
    if cost.cheapest_energy_usd is not None and cost.cheapest_start_hour is not None:
        yield Explanation(
            id="explain-cost-cheapest",
            quantity="usd",
            value=cost.cheapest_energy_usd,
            arguments={"hour": cost.cheapest_start_hour, "usd": cost.cheapest_energy_usd},
            source=recipe.site.electricity_price_series or _RECIPE,
        )


def _price_source(recipe: Recipe, plan: Plan) -> str:
    if recipe.site.device_usd_per_hour is not None:
        return _RECIPE
    prices = catalog.price(plan.hardware.accelerator)
    return "; ".join(f"{price.provider} ({price.as_of})" for price in prices)
