"""How the numbers on power, energy, carbon and water came about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import catalog, units
from headway.planning.carbon import service_life_seconds
from headway.planning.constants import power_fact
from headway.planning.explanation import Explanation
from headway.planning.explanations.cost import held_devices
from headway.planning.network import SERVER_DEVICES
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

_SWING = "Morrison et al. 2025, arXiv:2503.05804"
_SERVER = "Newkirk et al. 2025, arXiv:2506.14551; the catalogue's power entries"
_PUE = "ISO/IEC 30134-2"
_GHG = "GHG Protocol, Scope 2 Guidance, location-based"
_RECIPE = "the recipe"


def explain_power(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps from one accelerator to the facility.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return tuple(_power(recipe, plan))


def _power(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    power = plan.power
    if power.facility_watts is None or power.equipment_watts is None or power.node_watts is None:
        return
    if power.device_design_watts is not None and power.device_watts is not None and power.busy_share is not None:
        idle, busy = power_fact("accelerator-idle-share"), power_fact("accelerator-busy-share")
        yield Explanation(
            id="explain-power-device",
            quantity="watts",
            value=power.device_watts,
            arguments={
                "design_watts": power.device_design_watts,
                "idle_share": idle,
                "busy_share": busy,
                "time_share": power.busy_share,
                "watts": power.device_watts,
            },
            source=_SWING,
        )
    for name, watts in power.parts.items():
        yield Explanation(
            id="explain-power-part",
            quantity="watts",
            value=watts,
            arguments={"part": name, "watts": watts, "share": watts / power.facility_watts},
            source=_SERVER if power.basis == "catalogue" else _RECIPE,
        )
    yield Explanation(
        id="explain-power-node",
        quantity="watts",
        value=power.node_watts,
        arguments={
            "devices": plan.hardware.devices_per_node,
            "watts": power.node_watts,
            "peak_watts": power.node_peak_watts or power.node_watts,
        },
        source=_SERVER if power.basis == "catalogue" else _RECIPE,
    )
    yield Explanation(
        id="explain-power-facility",
        quantity="watts",
        value=power.facility_watts,
        arguments={
            "equipment_watts": power.equipment_watts,
            "effectiveness": recipe.site.power_usage_effectiveness,
            "watts": power.facility_watts,
        },
        source=_PUE,
    )


def explain_energy(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps from the power to the energy of the run, its carbon and its water.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return (
        *explain_power(recipe, plan),
        *_energy(plan),
        *explain_carbon(recipe, plan),
        *explain_water(recipe, plan),
    )


def _energy(plan: Plan) -> Iterator[Explanation]:
    energy, watts, seconds = plan.energy, plan.power.facility_watts, plan.time.total_seconds
    if energy.facility_joules is None or watts is None or seconds is None:
        return
    failures = plan.reliability
    yield Explanation(
        id="explain-energy-facility",
        quantity="joules",
        value=energy.facility_joules,
        arguments={
            "watts": watts,
            "seconds": seconds,
            "interruptions": "none" if failures is None else "some" if failures.goodput is None else "all",
            "kilowatt_hours": units.joules_to_kilowatt_hours(energy.facility_joules),
        },
        source=_PUE,
    )
    if energy.design_device_joules is not None and plan.power.device_design_watts is not None:
        yield Explanation(
            id="explain-energy-design",
            quantity="joules",
            value=energy.design_device_joules,
            arguments={
                "devices": plan.hardware.devices,
                "design_watts": plan.power.device_design_watts,
                "seconds": seconds,
                "kilowatt_hours": units.joules_to_kilowatt_hours(energy.design_device_joules),
            },
            source="model cards of Llama 2, 3 and 3.1; Luccioni et al. 2022, arXiv:2211.02001",
        )


def explain_carbon(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the emissions.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return tuple(_carbon(recipe, plan))


def _carbon(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    carbon, joules, seconds = plan.carbon, plan.energy.facility_joules, plan.time.total_seconds
    intensity = carbon.grid_kg_co2e_per_kilowatt_hour
    if carbon.operational_kg_co2e is not None and joules is not None and intensity is not None:
        yield Explanation(
            id="explain-carbon-operational",
            quantity="kg_co2e",
            value=carbon.operational_kg_co2e,
            arguments={
                "kilowatt_hours": units.joules_to_kilowatt_hours(joules),
                "intensity": intensity,
                "kg": carbon.operational_kg_co2e,
            },
            source=f"{_GHG}; {_intensity_source(recipe)}",
        )
    if carbon.greenest_operational_kg_co2e is not None and carbon.greenest_start_hour is not None:
        yield Explanation(
            id="explain-carbon-greenest",
            quantity="kg_co2e",
            value=carbon.greenest_operational_kg_co2e,
            arguments={"hour": carbon.greenest_start_hour, "kg": carbon.greenest_operational_kg_co2e},
            source=recipe.site.grid_intensity_series or _RECIPE,
        )
    if carbon.embodied_kg_co2e is not None and seconds is not None:
        yield Explanation(
            id="explain-carbon-embodied",
            quantity="kg_co2e",
            value=carbon.embodied_kg_co2e,
            arguments={
                "devices": held_devices(recipe, plan),
                "server_devices": SERVER_DEVICES,
                "seconds": seconds,
                "life_seconds": service_life_seconds(recipe.site),
                "utilization": recipe.site.utilization,
                "kg": carbon.embodied_kg_co2e,
            },
            source="Luccioni et al. 2022, arXiv:2211.02001; the catalogue's embodied constants",
        )


def _intensity_source(recipe: Recipe) -> str:
    site = recipe.site
    if site.grid_intensity_series is not None:
        return site.grid_intensity_series
    if site.grid_kg_co2e_per_kilowatt_hour is not None or site.grid is None:
        return _RECIPE
    return catalog.grid(site.grid).source


def explain_water(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the water.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    return tuple(_water(recipe, plan))


def _water(recipe: Recipe, plan: Plan) -> Iterator[Explanation]:
    water, energy, site = plan.water, plan.energy, recipe.site
    if water.generation_litres is not None and energy.facility_joules is not None and site.grid is not None:
        grid = catalog.grid(site.grid)
        yield Explanation(
            id="explain-water-generation",
            quantity="litres",
            value=water.generation_litres,
            arguments={
                "kilowatt_hours": units.joules_to_kilowatt_hours(energy.facility_joules),
                "litres_per_kilowatt_hour": grid.water_litres_per_kilowatt_hour or 0.0,
                "litres": water.generation_litres,
            },
            source=grid.source,
        )
    if water.site_litres is not None and energy.equipment_joules is not None:
        yield Explanation(
            id="explain-water-site",
            quantity="litres",
            value=water.site_litres,
            arguments={
                "kilowatt_hours": units.joules_to_kilowatt_hours(energy.equipment_joules),
                "litres_per_kilowatt_hour": site.water_usage_effectiveness or 0.0,
                "litres": water.site_litres,
            },
            source="The Green Grid, White Paper 35",
        )
