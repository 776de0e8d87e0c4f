"""Heat of the servers, and the air or liquid that carries it away.

All electric power becomes heat. Source: the catalogue's cooling entries, each with its own.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog, units

AIR_RISE_KELVIN = 12.0
"""Temperature rise of the air through a server. Source: ASHRAE TC 9.9, where 10 to 15 K is usual for servers."""

_KILO = 1e3


@dataclass(frozen=True, kw_only=True)
class Cooling:
    """What must be cooled, and how.

    Attributes:
        heat_watts: of all servers.
        refrigeration_tons: the same in tons.
        airflow_m3_per_hour: of air, were all heat to go into it.
        liquid_litres_per_minute: of water, where the method is liquid.
        method: ``air``, or ``liquid`` where a server takes more than air can carry out of a rack.
    """

    heat_watts: float | None = None
    refrigeration_tons: float | None = None
    airflow_m3_per_hour: float | None = None
    liquid_litres_per_minute: float | None = None
    method: str | None = None


def tons_of_refrigeration(heat_watts: float) -> float:
    """Return heat in tons of refrigeration (12,000 BTU/h)."""
    return heat_watts / _KILO * _value("heat-btu-per-hour") / _value("refrigeration-ton")


def airflow_m3_per_hour(heat_watts: float, rise_kelvin: float = AIR_RISE_KELVIN) -> float:
    """Return the air that carries heat away: P / (rho cp dT)."""
    per_second = heat_watts / (_value("air-density") * _value("air-heat-capacity") * rise_kelvin)
    return per_second * units.SECONDS_PER_HOUR


def plan_cooling(*, equipment_watts: float | None, node_watts: float | None) -> Cooling:
    """Return heat and cooling.

    Args:
        equipment_watts: of all servers; None where it is not known.
        node_watts: of one server.
    """
    if equipment_watts is None:
        return Cooling()
    is_liquid = node_watts is not None and node_watts > _value("air-cooled-rack-limit")
    litres = equipment_watts / _KILO * _value("liquid-flow-rule") if is_liquid else None
    return Cooling(
        heat_watts=equipment_watts,
        refrigeration_tons=tons_of_refrigeration(equipment_watts),
        airflow_m3_per_hour=airflow_m3_per_hour(equipment_watts),
        liquid_litres_per_minute=litres,
        method="liquid" if is_liquid else "air",
    )


def _value(name: str) -> float:
    value = catalog.cooling()[name].value
    assert value is not None, f"the catalogue states {name}"
    return value
