"""Carbon and water of a run: what its electricity emits where it is taken, and its share of making the hardware.

Operational carbon is location-based (GHG Protocol, Scope 2 Guidance): the average of the grid, not of contracts.
Source: Luccioni et al. 2022 (arXiv:2211.02001) for the split into operation and hardware; Li et al. 2023
(arXiv:2304.03271) for water on the site and in generation.
Leaves out: buildings, networks, storage, transport and disposal of the hardware, and the water of making it.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog, units
from headway.catalog import Accelerator
from headway.planning.constants import constant
from headway.planning.energy import Energy
from headway.planning.network import SERVER_DEVICES
from headway.planning.series import plan_window, read_series
from headway.planning.spread import SURE, Spread, ends, product, spread_of
from headway.recipe.sections import SiteConfig

_CARDS = {
    **dict.fromkeys(("h100-sxm-80gb", "h100-pcie-80gb"), "embodied-h100-card"),
    **dict.fromkeys(("a100-sxm-80gb", "a100-pcie-80gb"), "embodied-a100-card"),
}
"""Accelerator -> the constant that holds the carbon of making it; of others nobody published it."""

_SERVER = "embodied-gpu-server"


@dataclass(frozen=True, kw_only=True)
class Carbon:
    """Emissions.

    Attributes:
        operational_kg_co2e: of the electricity; None where the grid or the energy is not known.
        operational_kg_co2e_low: lower end of an 80 % interval: that of the energy.
        operational_kg_co2e_high: upper end of it.
        design_device_kg_co2e: of the accelerators alone, each at its design power all the time, as most model cards
            reckon it; to be compared with them.
        embodied_kg_co2e: the share of making accelerators and servers that falls to this run; None where it is not
            known.
        embodied_kg_co2e_low: lower end of an interval, from the lowest published figure and that of the time.
        embodied_kg_co2e_high: upper end of it, from the highest.
        grid_kg_co2e_per_kilowatt_hour: what was reckoned with: the mean over the run.
        greenest_start_hour: of the series, where one is given.
        greenest_operational_kg_co2e: were the run to start then.
    """

    operational_kg_co2e: float | None = None
    operational_kg_co2e_low: float | None = None
    operational_kg_co2e_high: float | None = None
    design_device_kg_co2e: float | None = None
    embodied_kg_co2e: float | None = None
    embodied_kg_co2e_low: float | None = None
    embodied_kg_co2e_high: float | None = None
    grid_kg_co2e_per_kilowatt_hour: float | None = None
    greenest_start_hour: int | None = None
    greenest_operational_kg_co2e: float | None = None


@dataclass(frozen=True, kw_only=True)
class Water:
    """Water that the run consumes.

    Attributes:
        litres: all that is known; None where nothing is.
        litres_low: lower end of an 80 % interval: that of the energy.
        litres_high: upper end of it.
        generation_litres: of generating the electricity; None where the grid or the energy is not known.
        site_litres: of cooling the site; None where its water usage effectiveness is not said.
    """

    litres: float | None = None
    litres_low: float | None = None
    litres_high: float | None = None
    generation_litres: float | None = None
    site_litres: float | None = None

    @property
    def is_whole(self) -> bool:
        """Whether both parts are known, so that `litres` is all of it."""
        return self.generation_litres is not None and self.site_litres is not None


def service_life_seconds(site: SiteConfig) -> float:
    """Return the time over which hardware is written off: as the recipe says, else the catalogue's for servers."""
    return site.service_life or constant("server-service-life") * units.SECONDS_PER_HOUR


def plan_carbon(
    site: SiteConfig,
    energy: Energy,
    *,
    entry: Accelerator | None,
    devices: int,
    seconds: float | None,
    time_spread: Spread = SURE,
) -> Carbon:
    """Return emissions: energy times intensity, and hardware times the share of its life.

    Args:
        site: names the grid, its intensity or its series, and the life and use of the hardware.
        energy: of the run.
        entry: the accelerator; None for a CPU.
        devices: of the run.
        seconds: of the run; None where it is not known.
        time_spread: 80 % interval of them, as ratios.

    Raises:
        CatalogError: the catalogue does not know the grid.
        PlanError: the series cannot be read.
    """
    intensity, greenest, best_hour = _intensity(site, seconds)
    hours = None if energy.facility_joules is None else units.joules_to_kilowatt_hours(energy.facility_joules)
    design_joules = energy.design_device_joules
    design_hours = None if design_joules is None else units.joules_to_kilowatt_hours(design_joules)
    low, middle, high = embodied_kg_co2e(site, entry, devices=devices, seconds=seconds)
    low, high = ends(middle, product(spread_of(low, middle, high), time_spread))
    operational = None if hours is None or intensity is None else hours * intensity
    operational_low, operational_high = ends(operational, energy.spread)
    return Carbon(
        operational_kg_co2e=operational,
        operational_kg_co2e_low=operational_low,
        operational_kg_co2e_high=operational_high,
        design_device_kg_co2e=None if design_hours is None or intensity is None else design_hours * intensity,
        embodied_kg_co2e=middle,
        embodied_kg_co2e_low=low,
        embodied_kg_co2e_high=high,
        grid_kg_co2e_per_kilowatt_hour=intensity,
        greenest_start_hour=best_hour,
        greenest_operational_kg_co2e=None if hours is None or greenest is None else hours * greenest,
    )


def plan_water(site: SiteConfig, energy: Energy) -> Water:
    """Return the water: facility energy times that of the grid, and equipment energy times that of the site.

    Source: The Green Grid, White Paper 35 (water usage effectiveness: litres over equipment energy).

    Raises:
        CatalogError: the catalogue does not know the grid.
    """
    if energy.facility_joules is None or energy.equipment_joules is None:
        return Water()
    per_hour = catalog.grid(site.grid).water_litres_per_kilowatt_hour if site.grid is not None else None
    generation = None if per_hour is None else units.joules_to_kilowatt_hours(energy.facility_joules) * per_hour
    effectiveness = site.water_usage_effectiveness
    on_site = None
    if effectiveness is not None:
        on_site = units.joules_to_kilowatt_hours(energy.equipment_joules) * effectiveness
    known = [litres for litres in (generation, on_site) if litres is not None]
    litres = sum(known) if known else None
    low, high = ends(litres, energy.spread)
    return Water(litres=litres, litres_low=low, litres_high=high, generation_litres=generation, site_litres=on_site)


def embodied_kg_co2e(
    site: SiteConfig, entry: Accelerator | None, *, devices: int, seconds: float | None
) -> tuple[float | None, float | None, float | None]:
    """Return the low, middle and high share of making the hardware: (card + server / 8) T / (life x use).

    Args:
        site: the life of the hardware, and the share of it in which it works.
        entry: the accelerator; None, and all others than those published, give None.
        devices: of the run.
        seconds: T, of the run.

    Source: Luccioni et al. 2022 (arXiv:2211.02001), section 4.1; the catalogue's ``embodied`` constants.
    Leaves out: switches, storage and the building.
    """
    if entry is None or seconds is None or entry.id not in _CARDS:
        return None, None, None
    lived = devices * seconds / (service_life_seconds(site) * site.utilization)
    card, server = (catalog.constants()[name] for name in (_CARDS[entry.id], _SERVER))

    def share(end: str) -> float:
        values = [getattr(quantity, end) or quantity.value or 0.0 for quantity in (card, server)]
        return lived * (values[0] + values[1] / SERVER_DEVICES)

    return share("low"), share("value"), share("high")


def _intensity(site: SiteConfig, seconds: float | None) -> tuple[float | None, float | None, int | None]:
    """Return the intensity that the run meets, the lowest that it could meet, and the hour to start for it."""
    if site.grid_intensity_series is not None and seconds is not None:
        series = read_series(site.grid_intensity_series, lowest=0.0)
        window = plan_window(series, seconds=seconds, start_hour=site.start_hour)
        return window.mean, window.best_mean, window.best_start_hour
    if site.grid_kg_co2e_per_kilowatt_hour is not None:
        return site.grid_kg_co2e_per_kilowatt_hour, None, None
    grid = catalog.grid(site.grid) if site.grid is not None else None
    return (grid.carbon_kg_co2e_per_kilowatt_hour if grid is not None else None), None, None
