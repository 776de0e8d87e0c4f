"""What a run costs: renting or buying the devices, the electricity, and when buying pays.

Source: straight-line depreciation; Barroso, Holzle, Ranganathan 2018, "The Datacenter as a Computer", chapter 6 (cost
of ownership: equipment and facility by service life, interest, energy).
Leaves out: staff, upkeep, networks to the outside, taxes, what the hardware can be sold for, and discounts.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import dataclass

from headway import catalog, units
from headway.catalog import Accelerator
from headway.planning.carbon import service_life_seconds
from headway.planning.energy import Energy
from headway.planning.power import Power
from headway.planning.series import Window, plan_window, read_series
from headway.planning.spread import SURE, Spread, ends, product, spread_of
from headway.recipe.sections import SiteConfig

SECONDS_PER_YEAR = 365.25 * units.SECONDS_PER_DAY
"""Of a Julian year. Source: International Astronomical Union, style manual, 1989."""

SECONDS_PER_MONTH = SECONDS_PER_YEAR / 12
_LOWEST_PRICE = -1e3
"""US dollars of a kilowatt-hour below which a series is wrong: prices by the hour may be negative, and the European
day-ahead market ends at -0.5 euros. Source: ACER, harmonised minimum clearing price of the day-ahead coupling."""

_Ends = tuple[float | None, float | None]


@dataclass(frozen=True, kw_only=True)
class Cost:
    """Costs of the run in US dollars; what nobody knows is None.

    Attributes:
        total_usd: everything that is paid, for the ownership that the recipe names; None where a part is missing.
        total_usd_low: lower end of an 80 % interval, from those of the time, of the energy and of the prices.
        total_usd_high: upper end of it.
        known_usd: the parts that are known: the total, or less than it; None where none is.
        missing: what is paid for too, at a price that nobody knows: ``hardware``, ``infrastructure``, ``electricity``;
            None where nothing is, or where of a rent no price at all is known, so that nothing is claimed.
        energy_usd: the electricity; None where the recipe names no price.
        energy_usd_low: lower end of an 80 % interval: that of the energy.
        energy_usd_high: upper end of it.
        hardware_usd: rent of the devices, or the part of their purchase that the run uses up.
        hardware_usd_low: lower end of an 80 % interval, from those of the time and of the prices.
        hardware_usd_high: upper end of it.
        infrastructure_usd: the part of power supply and cooling that the run uses up; nothing where devices are rented.
        interest_usd: on the money in the purchase; nothing where devices are rented.
        device_usd_per_hour: rent that was reckoned with.
        basis: ``recipe``, ``catalogue`` (the median of all prices of the accelerator) or ``purchase``.
        rent_usd: the run on rented devices, electricity included as `energy_usd` says.
        purchase_usd: the run on bought devices, electricity included.
        capital_usd: the purchase: servers, power supply and cooling.
        lifetime_share: of the service life of the machines, that the run uses up, their idle time included.
        break_even_months: after which buying has cost less than renting, at the use that the recipe says; None
            where a price is not known, or where it never has.
        electricity_usd_per_kilowatt_hour: what was reckoned with: the mean over the run.
        cheapest_start_hour: of the series, where one is given.
        cheapest_energy_usd: were the run to start then.
    """

    total_usd: float | None = None
    total_usd_low: float | None = None
    total_usd_high: float | None = None
    known_usd: float | None = None
    missing: tuple[str, ...] | None = None
    energy_usd: float | None = None
    energy_usd_low: float | None = None
    energy_usd_high: float | None = None
    hardware_usd: float | None = None
    hardware_usd_low: float | None = None
    hardware_usd_high: float | None = None
    infrastructure_usd: float | None = None
    interest_usd: float | None = None
    device_usd_per_hour: float | None = None
    basis: str | None = None
    rent_usd: float | None = None
    purchase_usd: float | None = None
    capital_usd: float | None = None
    lifetime_share: float | None = None
    break_even_months: float | None = None
    electricity_usd_per_kilowatt_hour: float | None = None
    cheapest_start_hour: int | None = None
    cheapest_energy_usd: float | None = None


@dataclass(frozen=True, kw_only=True)
class Purchase:
    """What owning the hardware costs a run.

    Attributes:
        capital_usd: servers, power supply and cooling.
        hardware_usd: the servers' depreciation over the run.
        infrastructure_usd: that of power supply and cooling; None where its price is not said.
        interest_usd: on the mean capital over the run.
        is_whole: whether power supply and cooling are in it as far as the recipe prices them.
    """

    capital_usd: float
    hardware_usd: float
    infrastructure_usd: float | None
    interest_usd: float
    is_whole: bool = True

    @property
    def usd(self) -> float:
        """All of it."""
        return self.hardware_usd + (self.infrastructure_usd or 0.0) + self.interest_usd


def depreciation_usd(capital_usd: float, *, seconds: float, life_seconds: float, utilization: float) -> float:
    """Return the part of a purchase that a run uses up: capital x T / (life x use).

    Args:
        capital_usd: price of the purchase; nothing is left of it at the end.
        seconds: T, of the run.
        life_seconds: over which it is written off.
        utilization: share of its life in which it works; the idle rest falls to the runs.
    """
    return capital_usd * seconds / (life_seconds * utilization)


def interest_usd(capital_usd: float, *, seconds: float, yearly_rate: float, utilization: float) -> float:
    """Return the interest on a purchase over a run: on half of the capital, its mean over a straight-line life."""
    return capital_usd / 2 * yearly_rate * seconds / (SECONDS_PER_YEAR * utilization)


def break_even_months(capital_usd: float, *, rent_usd_per_month: float, running_usd_per_month: float) -> float | None:
    """Return after how many months a purchase has cost less than renting: capital / (rent - running costs).

    Leaves out: interest. None where running costs alone reach the rent.
    """
    saved = rent_usd_per_month - running_usd_per_month
    return capital_usd / saved if saved > 0 else None


def plan_cost(
    site: SiteConfig,
    entry: Accelerator | None,
    *,
    devices: int,
    nodes: int,
    seconds: float | None,
    power: Power,
    energy: Energy,
    time_spread: Spread = SURE,
) -> Cost:
    """Return the costs of a run.

    Args:
        site: prices, ownership, life and use of the hardware.
        entry: the accelerator, whose rent the catalogue may know; None for a CPU.
        devices: of the run, those of spare servers included.
        nodes: servers of the run, spare ones included.
        seconds: that they are held; None where it is not known, and neither is any cost then.
        power: of the run.
        energy: of the run.
        time_spread: 80 % interval of the seconds, as ratios.

    Devices are paid for the time, electricity for the energy, which grows with it, so that the ends of both add up.

    Raises:
        PlanError: the series of prices cannot be read.
    """
    if seconds is None:
        return Cost()
    window = _electricity(site, seconds)
    tariff = window.mean if window is not None else site.electricity_usd_per_kilowatt_hour
    electricity = _energy_usd(tariff, energy)
    prices = _prices(site, entry)
    rent = devices * seconds / units.SECONDS_PER_HOUR * prices[1] if prices is not None else None
    purchase = plan_purchase(site, nodes=nodes, seconds=seconds, power=power)
    is_bought = site.ownership == "buy"
    held, hardware = _bought(purchase) if is_bought else (rent, rent)
    missing = tuple(_missing(site, purchase, rent, electricity, tariff))
    known_usd = _sum(held, electricity)
    spread = product(time_spread, SURE if prices is None or is_bought else spread_of(*prices))
    return Cost(
        **_with_intervals(
            held, hardware, electricity, spread=spread, energy_spread=energy.spread, is_whole=not missing
        ),
        known_usd=known_usd,
        missing=(missing or None) if known_usd is not None or is_bought else None,
        infrastructure_usd=purchase.infrastructure_usd if is_bought and purchase else None,
        interest_usd=purchase.interest_usd if is_bought and purchase else None,
        device_usd_per_hour=prices[1] if prices else None,
        basis=_basis(site, purchase, prices),
        rent_usd=None if rent is None or (tariff is not None and electricity is None) else _sum(rent, electricity),
        purchase_usd=purchase.usd + electricity if purchase and purchase.is_whole and electricity is not None else None,
        capital_usd=purchase.capital_usd if purchase and purchase.is_whole else None,
        lifetime_share=_lifetime_share(site, seconds) if entry is not None or purchase is not None else None,
        break_even_months=_break_even(site, purchase, prices, tariff, power, devices),
        electricity_usd_per_kilowatt_hour=tariff,
        cheapest_start_hour=window.best_start_hour if window else None,
        cheapest_energy_usd=_energy_usd(window.best_mean, energy) if window else None,
    )


def plan_purchase(site: SiteConfig, *, nodes: int, seconds: float, power: Power) -> Purchase | None:
    """Return what owning the hardware costs a run; None where the recipe names no price of a server.

    The price of power supply and cooling is for each watt that they must carry at most.
    """
    if site.node_usd is None:
        return None
    life_seconds, use = service_life_seconds(site), site.utilization
    servers_usd = nodes * site.node_usd
    building_usd = 0.0
    infrastructure = None
    if site.infrastructure_usd_per_watt is not None and power.facility_peak_watts is not None:
        building_usd = site.infrastructure_usd_per_watt * power.facility_peak_watts
        building_life = site.infrastructure_life or life_seconds
        infrastructure = depreciation_usd(building_usd, seconds=seconds, life_seconds=building_life, utilization=use)
    capital_usd = servers_usd + building_usd
    return Purchase(
        capital_usd=capital_usd,
        hardware_usd=depreciation_usd(servers_usd, seconds=seconds, life_seconds=life_seconds, utilization=use),
        infrastructure_usd=infrastructure,
        interest_usd=interest_usd(capital_usd, seconds=seconds, yearly_rate=site.interest_rate, utilization=use),
        is_whole=infrastructure is not None or site.infrastructure_usd_per_watt is None,
    )


def _bought(purchase: Purchase | None) -> tuple[float | None, float | None]:
    """Return what owning the hardware costs the run in all, and for the servers alone."""
    return (None, None) if purchase is None else (purchase.usd, purchase.hardware_usd)


def _missing(
    site: SiteConfig, purchase: Purchase | None, rent: float | None, electricity: float | None, tariff: float | None
) -> Iterator[str]:
    """Yield what is paid for at a price that is not known.

    A rent without a price of electricity beside it has the electricity in it; a bought machine's is always paid for. A
    sum of some of the parts is no total, since it would win every comparison.
    """
    is_bought = site.ownership == "buy"
    if (purchase if is_bought else rent) is None:
        yield "hardware"
    if is_bought and purchase is not None and not purchase.is_whole:
        yield "infrastructure"
    if electricity is None and (is_bought or tariff is not None):
        yield "electricity"


def _break_even(
    site: SiteConfig,
    purchase: Purchase | None,
    prices: tuple[float, float, float] | None,
    tariff: float | None,
    power: Power,
    devices: int,
) -> float | None:
    if purchase is None or not purchase.is_whole or prices is None or tariff is None or power.facility_watts is None:
        return None
    hours = SECONDS_PER_MONTH * site.utilization / units.SECONDS_PER_HOUR
    running = tariff * units.joules_to_kilowatt_hours(power.facility_watts * hours * units.SECONDS_PER_HOUR)
    return break_even_months(
        purchase.capital_usd, rent_usd_per_month=devices * prices[1] * hours, running_usd_per_month=running
    )


def _lifetime_share(site: SiteConfig, seconds: float) -> float:
    return seconds / (service_life_seconds(site) * site.utilization)


def _electricity(site: SiteConfig, seconds: float) -> Window | None:
    if site.electricity_price_series is None:
        return None
    series = read_series(site.electricity_price_series, lowest=_LOWEST_PRICE)
    return plan_window(series, seconds=seconds, start_hour=site.start_hour)


def _energy_usd(tariff: float | None, energy: Energy) -> float | None:
    if tariff is None or energy.facility_joules is None:
        return None
    return tariff * units.joules_to_kilowatt_hours(energy.facility_joules)


def _sum(held: float | None, electricity: float | None) -> float | None:
    """Return what is known of both together."""
    known = [usd for usd in (held, electricity) if usd is not None]
    return sum(known) if known else None


def _sum_of_ends(*parts: tuple[float | None, _Ends]) -> _Ends:
    """Return the ends of a sum of what is known; an end of it is nowhere where that of a part is."""
    known = [pair for value, pair in parts if value is not None]
    low, high = (
        None if not known or None in column else sum(end for end in column if end is not None)
        for column in (tuple(pair[side] for pair in known) for side in (0, 1))
    )
    return low, high


def _with_intervals(
    held: float | None,
    hardware: float | None,
    electricity: float | None,
    *,
    spread: Spread,
    energy_spread: Spread,
    is_whole: bool,
) -> dict[str, float | None]:
    """Return total, hardware and electricity with their intervals, by field; a total only of all parts."""
    held_ends, electricity_ends = ends(held, spread), ends(electricity, energy_spread)
    both = (_sum(held, electricity), _sum_of_ends((held, held_ends), (electricity, electricity_ends)))
    found = {
        "total_usd": both if is_whole else (None, (None, None)),
        "energy_usd": (electricity, electricity_ends),
        "hardware_usd": (hardware, ends(hardware, spread)),
    }
    values = {name: value for name, (value, _) in found.items()}
    lows = {f"{name}_low": pair[0] for name, (_, pair) in found.items()}
    return values | lows | {f"{name}_high": pair[1] for name, (_, pair) in found.items()}


def _basis(site: SiteConfig, purchase: Purchase | None, prices: tuple[float, float, float] | None) -> str | None:
    if site.ownership == "buy":
        return "purchase" if purchase is not None else None
    if prices is None:
        return None
    return "recipe" if site.device_usd_per_hour is not None else "catalogue"


def _prices(site: SiteConfig, entry: Accelerator | None) -> tuple[float, float, float] | None:
    """Return the low, median and high rent of a device and hour; None where none is known.

    Low and high are the tenth and the ninetieth percentile of what providers ask: nobody knows from whom a reader will
    rent. A price that the recipe states is sure.
    """
    if site.device_usd_per_hour is not None:
        return (site.device_usd_per_hour,) * 3
    known = catalog.price(entry.id) if entry is not None else ()
    if not known:
        return None
    asked = [
        usd
        for price in known
        for usd in (price.low_usd_per_device_hour, price.usd_per_device_hour, price.high_usd_per_device_hour)
        if usd is not None
    ]
    middle = statistics.median(price.usd_per_device_hour for price in known)
    if len(asked) == 1:
        return (middle,) * 3
    tenths = statistics.quantiles(asked, n=10, method="inclusive")
    return min(tenths[0], middle), middle, max(tenths[-1], middle)
