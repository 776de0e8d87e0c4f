"""How the numbers on heat, air, liquid and the method of cooling came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog
from headway.planning.constants import cooling_fact
from headway.planning.explanation import Explanation
from headway.planning.power import RACK_LIMITS
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan


def explain_cooling(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps from the heat to tons, air, liquid and the method.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return tuple(_cooling(recipe, plan))


def _cooling(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    cooling, site, rack_watts = plan.cooling, recipe.site, plan.power.rack_peak_watts
    if cooling.heat_watts is None or rack_watts is None or cooling.peak_heat_watts is None:
        return
    yield Explanation(
        id="explain-cooling-heat",
        quantity="watts",
        value=cooling.heat_watts,
        arguments={"watts": cooling.heat_watts, "peak_watts": cooling.peak_heat_watts},
        source="first law of thermodynamics",
    )
    tons = cooling.refrigeration_tons or 0.0
    yield Explanation(
        id="explain-cooling-tons",
        quantity="number",
        value=tons,
        arguments={
            "watts": cooling.heat_watts,
            "btu_per_hour": cooling_fact("heat-btu-per-hour"),
            "ton_btu_per_hour": cooling_fact("refrigeration-ton"),
            "tons": tons,
        },
        source=catalog.cooling()["refrigeration-ton"].source,
    )
    yield Explanation(
        id="explain-cooling-method",
        quantity="watts",
        value=rack_watts,
        arguments={
            "rack_watts": rack_watts,
            "nodes": plan.power.nodes_per_rack or 1,
            "air_watts": cooling_fact(RACK_LIMITS["air"]),
            "door_watts": cooling_fact(RACK_LIMITS["rear-door"]),
            "chip_watts": cooling_fact(RACK_LIMITS["direct-to-chip"]),
            "method": cooling.method or "none",
        },
        source="; ".join(catalog.cooling()[limit].source for limit in RACK_LIMITS.values()),
    )
    yield from _flows(plan, site.air_temperature_rise, site.liquid_temperature_rise)


def _flows(plan: Plan, air_kelvin: float, liquid_kelvin: float) -> Iterator[Explanation]:
    cooling = plan.cooling
    airflow, liquid = cooling.airflow_m3_per_hour, cooling.liquid_litres_per_minute
    if airflow is not None:
        yield Explanation(
            id="explain-cooling-air",
            quantity="number",
            value=airflow,
            arguments={
                "density": cooling_fact("air-density"),
                "heat_capacity": cooling_fact("air-heat-capacity"),
                "kelvin": air_kelvin,
                "flow": airflow,
            },
            source="P = rho V cp dT",
        )
    if liquid is not None:
        yield Explanation(
            id="explain-cooling-liquid",
            quantity="number",
            value=liquid,
            arguments={
                "density": cooling_fact("water-density"),
                "heat_capacity": cooling_fact("water-heat-capacity"),
                "kelvin": liquid_kelvin,
                "flow": liquid,
            },
            source=f"P = rho V cp dT; {catalog.cooling()['liquid-flow-rule'].source}",
        )
