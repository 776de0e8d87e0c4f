"""What a run costs: renting the devices, and the electricity where the recipe names its price."""

from __future__ import annotations

import statistics
from dataclasses import dataclass

from headway import catalog, units
from headway.catalog import Accelerator
from headway.recipe.sections import SiteConfig


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Costs of the run in US dollars.

    Attributes:
        total_usd: everything that is known; None where nothing is.
        total_usd_low: with the lowest price that the catalogue knows.
        total_usd_high: with the highest.
        energy_usd: the electricity; None where the recipe names no price.
        hardware_usd: renting the devices; None where no price is known.
        device_usd_per_hour: what was reckoned with.
        basis: ``recipe`` or ``catalogue`` (the median of all prices of the accelerator).
    """

    total_usd: float | None = None
    total_usd_low: float | None = None
    total_usd_high: float | None = None
    energy_usd: float | None = None
    hardware_usd: float | None = None
    device_usd_per_hour: float | None = None
    basis: str | None = None


def plan_cost(
    site: SiteConfig, entry: Accelerator | None, *, devices: int, seconds: float | None, facility_joules: float | None
) -> Cost:
    """Return the costs of a run.

    Args:
        site: may name the price of a device and of electricity.
        entry: the accelerator, whose prices the catalogue may know; None for a CPU.
        devices: of the run.
        seconds: that they are held; None where it is not known, and neither is any cost then.
        facility_joules: of the run; None where it is not known.
    """
    if seconds is None:
        return Cost()
    device_hours = devices * seconds / units.SECONDS_PER_HOUR
    tariff = site.electricity_usd_per_kilowatt_hour
    energy = None
    if tariff is not None and facility_joules is not None:
        energy = tariff * units.joules_to_kilowatt_hours(facility_joules)
    prices = _prices(site, entry)
    hardware = [device_hours * price for price in prices] if prices is not None else None
    if hardware is None and energy is None:
        return Cost()
    totals = [sum(part for part in (hardware[i] if hardware else None, energy) if part is not None) for i in range(3)]
    return Cost(
        total_usd=totals[1],
        total_usd_low=totals[0],
        total_usd_high=totals[2],
        energy_usd=energy,
        hardware_usd=hardware[1] if hardware else None,
        device_usd_per_hour=prices[1] if prices else None,
        basis=None if prices is None else "recipe" if site.device_usd_per_hour is not None else "catalogue",
    )


def _prices(site: SiteConfig, entry: Accelerator | None) -> tuple[float, float, float] | None:
    """Return the low, median and high price of a device and hour; None where none is known."""
    if site.device_usd_per_hour is not None:
        return (site.device_usd_per_hour,) * 3
    known = catalog.price(entry.id) if entry is not None else ()
    if not known:
        return None
    low = min(price.low_usd_per_device_hour or price.usd_per_device_hour for price in known)
    high = max(price.high_usd_per_device_hour or price.usd_per_device_hour for price in known)
    return low, statistics.median(price.usd_per_device_hour for price in known), high
