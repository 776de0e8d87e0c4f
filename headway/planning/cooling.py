"""Heat of the equipment, the air or liquid that carries it away, and the methods that a rack's density allows.

All electric power of the equipment becomes heat. Source: the catalogue's cooling entries, each with its own.
Leaves out: the heat of transformers and batteries, humidity, altitude, and the chillers' own power, which the power
usage effectiveness holds.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import units
from headway.planning.constants import cooling_fact
from headway.planning.limits import is_within
from headway.planning.power import RACK_LIMITS, Power
from headway.recipe.sections import SiteConfig

_KILO = 1e3
"""Watts of a kilowatt."""


@dataclass(frozen=True, kw_only=True)
class Cooling:
    """What must be cooled, and how; flows are for the mean heat.

    Attributes:
        heat_watts: of all equipment.
        peak_heat_watts: of all equipment at its rated maximum.
        refrigeration_tons: the heat in tons.
        airflow_m3_per_hour: of air, for the heat that goes into air.
        liquid_litres_per_minute: of water, for the heat that goes into liquid; None where nothing does.
        method: as the recipe says, else the simplest that the racks allow; None where none is known to.
        methods: every method that is known to cool racks of this density; None where that is not known.
        capacity_watts: heat that the site can remove, as the recipe says.
    """

    heat_watts: float | None = None
    peak_heat_watts: float | None = None
    refrigeration_tons: float | None = None
    airflow_m3_per_hour: float | None = None
    liquid_litres_per_minute: float | None = None
    method: str | None = None
    methods: tuple[str, ...] | None = None
    capacity_watts: float | None = None


def tons_of_refrigeration(heat_watts: float) -> float:
    """Return heat in tons of refrigeration (12,000 BTU/h)."""
    return heat_watts / _KILO * cooling_fact("heat-btu-per-hour") / cooling_fact("refrigeration-ton")


def airflow_m3_per_hour(heat_watts: float, rise_kelvin: float) -> float:
    """Return the air that carries heat away: P / (rho cp dT).

    Args:
        heat_watts: P, of what the air cools.
        rise_kelvin: dT, of the air on its way through the equipment.
    """
    per_second = heat_watts / (cooling_fact("air-density") * cooling_fact("air-heat-capacity") * rise_kelvin)
    return per_second * units.SECONDS_PER_HOUR


def liquid_litres_per_minute(heat_watts: float, rise_kelvin: float) -> float:
    """Return the water that carries heat away: P / (rho cp dT); a glycol mixture needs more.

    Args:
        heat_watts: P, of what the liquid cools.
        rise_kelvin: dT, of the liquid on its way through the equipment.
    """
    per_second = heat_watts / (cooling_fact("water-density") * cooling_fact("water-heat-capacity") * rise_kelvin)
    return per_second * units.SECONDS_PER_MINUTE


def feasible_methods(rack_watts: float) -> tuple[str, ...]:
    """Return the methods that are known to cool a rack of this power, the simplest first."""
    return tuple(method for method, limit in RACK_LIMITS.items() if is_within(rack_watts, cooling_fact(limit)))


def plan_cooling(site: SiteConfig, power: Power) -> Cooling:
    """Return heat and cooling.

    Args:
        site: the rise of air and liquid, the method and the capacity.
        power: of the equipment; without it nothing is known.
    """
    heat_watts = power.equipment_watts
    if heat_watts is None or power.rack_peak_watts is None or power.facility_peak_watts is None:
        return Cooling(capacity_watts=site.cooling_capacity)
    methods = feasible_methods(power.rack_peak_watts)
    method = site.cooling if site.cooling != "auto" else next(iter(methods), None)
    to_air, to_liquid = _heat_shares(method)
    return Cooling(
        heat_watts=heat_watts,
        peak_heat_watts=power.facility_peak_watts / site.power_usage_effectiveness,
        refrigeration_tons=tons_of_refrigeration(heat_watts),
        airflow_m3_per_hour=airflow_m3_per_hour(to_air * heat_watts, site.air_temperature_rise),
        liquid_litres_per_minute=(
            liquid_litres_per_minute(to_liquid * heat_watts, site.liquid_temperature_rise) if to_liquid else None
        ),
        method=method,
        methods=methods,
        capacity_watts=site.cooling_capacity,
    )


def _heat_shares(method: str | None) -> tuple[float, float]:
    """Return the shares of the heat that air and liquid carry; a rear door carries again what the air brought."""
    if method == "direct-to-chip":
        liquid = cooling_fact("liquid-heat-share")
        return 1 - liquid, liquid
    return 1.0, 1.0 if method == "rear-door" else 0.0
