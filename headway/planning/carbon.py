"""Carbon and water of a run."""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog, units
from headway.catalog import Accelerator
from headway.planning.constants import constant
from headway.recipe.sections import SiteConfig

_DIES = dict.fromkeys(("h100-sxm-80gb", "h100-pcie-80gb"), "embodied-h100-die")
"""Accelerator -> the constant that holds the carbon of its die; nobody published others."""


@dataclass(frozen=True, kw_only=True)
class Carbon:
    """Emissions.

    Attributes:
        operational_kg_co2e: of the electricity; None where the grid or the energy is not known.
        embodied_kg_co2e: the share of making the accelerators that falls to this run; None where it is not known.
        grid_kg_co2e_per_kilowatt_hour: what was reckoned with.
    """

    operational_kg_co2e: float | None = None
    embodied_kg_co2e: float | None = None
    grid_kg_co2e_per_kilowatt_hour: float | None = None


@dataclass(frozen=True, kw_only=True)
class Water:
    """Water that the generation of the electricity consumes; that of the site's cooling is not known.

    Attributes:
        litres: over the run; None where the grid or the energy is not known.
    """

    litres: float | None = None


def plan_carbon(
    site: SiteConfig, facility_joules: float | None, *, entry: Accelerator | None, device_seconds: float | None
) -> tuple[Carbon, Water]:
    """Return emissions and water.

    Args:
        site: names the grid or its intensity.
        facility_joules: of the run; None where it is not known.
        entry: the accelerator; None for a CPU.
        device_seconds: devices times seconds of the run; None where its length is not known.

    Raises:
        CatalogError: the catalogue does not know the grid.

    Leaves out: the servers around the accelerators, buildings, and networks.
    """
    grid = catalog.grid(site.grid) if site.grid is not None else None
    intensity = site.grid_kg_co2e_per_kilowatt_hour
    if intensity is None and grid is not None:
        intensity = grid.carbon_kg_co2e_per_kilowatt_hour
    hours = None if facility_joules is None else units.joules_to_kilowatt_hours(facility_joules)
    water = grid.water_litres_per_kilowatt_hour if grid is not None else None
    return (
        Carbon(
            operational_kg_co2e=None if hours is None or intensity is None else hours * intensity,
            embodied_kg_co2e=_embodied(entry, device_seconds),
            grid_kg_co2e_per_kilowatt_hour=intensity,
        ),
        Water(litres=None if hours is None or water is None else hours * water),
    )


def _embodied(entry: Accelerator | None, device_seconds: float | None) -> float | None:
    """Return die and memory of the accelerator over its service life; None where die or time is not known."""
    if entry is None or device_seconds is None or entry.id not in _DIES or entry.memory_bytes is None:
        return None
    die, memory, life = (constant(name) for name in (_DIES[entry.id], "embodied-dram", "gpu-service-life"))
    return (die + memory * entry.memory_bytes / units.GIGA) * device_seconds / (life * units.SECONDS_PER_HOUR)
