import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway import catalog
from headway.planning.cost import Cost, break_even_months, depreciation_usd, interest_usd, plan_cost
from headway.planning.energy import Energy
from headway.planning.power import Power
from headway.recipe.sections import SiteConfig

H100 = catalog.accelerator("h100")
YEAR_SECONDS = 365.25 * 86400


def site(**fields: Any) -> SiteConfig:
    return SiteConfig.model_validate(fields)


def cost(where: SiteConfig, **changes: Any) -> Cost:
    arguments: dict[str, Any] = {
        "entry": H100,
        "devices": 8,
        "nodes": 1,
        "seconds": 7200.0,
        "power": Power(),
        "energy": Energy(),
    }
    arguments |= changes
    return plan_cost(where, arguments.pop("entry"), **arguments)


def test_renting_by_hand() -> None:
    found = cost(
        site(device_usd_per_hour=2.0, electricity_usd_per_kilowatt_hour=0.1), energy=Energy(facility_joules=3.6e7)
    )
    assert (found.hardware_usd, found.energy_usd, found.total_usd) == (32.0, pytest.approx(1.0), pytest.approx(33.0))
    assert (found.basis, found.rent_usd, found.purchase_usd) == ("recipe", pytest.approx(33.0), None)


def test_catalogue_prices_span_a_range() -> None:
    found = cost(site(), devices=1, seconds=3600.0)
    lowest = min(price.low_usd_per_device_hour or price.usd_per_device_hour for price in catalog.price("h100"))
    assert lowest < found.total_usd_low < found.total_usd < found.total_usd_high  # type: ignore[operator]
    assert found.basis == "catalogue"
    sure = cost(site(), entry=replace(H100, id="gb200-nvl72"), devices=1, seconds=3600.0)
    assert (sure.total_usd is None) == (not catalog.price("gb200-nvl72"))


def test_the_interval_of_a_cost_is_that_of_the_time_and_of_the_prices() -> None:
    """A stated price is sure, and what is left is the time; electricity has the interval of the energy."""
    used = Energy(facility_joules=3.6e7, facility_joules_low=1.8e7, facility_joules_high=7.2e7)
    where = site(device_usd_per_hour=2.0, electricity_usd_per_kilowatt_hour=0.1)
    found = cost(where, energy=used, time_spread=(0.75, 1.5))
    assert (found.hardware_usd_low, found.hardware_usd, found.hardware_usd_high) == (24.0, 32.0, 48.0)
    assert (found.energy_usd_low, found.energy_usd, found.energy_usd_high) == pytest.approx((0.5, 1.0, 2.0))
    assert (found.total_usd_low, found.total_usd, found.total_usd_high) == pytest.approx((24.5, 33.0, 50.0))
    sure, unsure = cost(site()), cost(site(), time_spread=(0.75, 1.5))
    for end in ("low", "high"):
        prices = abs(math.log(getattr(sure, f"total_usd_{end}") / sure.total_usd))
        time = abs(math.log({"low": 0.75, "high": 1.5}[end]))
        both = abs(math.log(getattr(unsure, f"total_usd_{end}") / unsure.total_usd))
        assert both == pytest.approx(math.hypot(prices, time))
    endless = cost(where, energy=used, time_spread=(0.75, math.inf))
    assert (endless.total_usd_low, endless.hardware_usd_high) == (pytest.approx(24.5), None)
    owned = site(ownership="buy", node_usd=100.0, electricity_usd_per_kilowatt_hour=0.0)
    bought = cost(owned, energy=used, time_spread=(0.5, 2.0))
    assert bought.total_usd_high == pytest.approx(2 * bought.total_usd)  # type: ignore[operator]


def test_the_published_cost_of_deepseek_v3() -> None:
    """2.788 million H800 hours at 2 dollars: 5.576 million. Source: DeepSeek-V3 technical report, table 1."""
    found = cost(site(device_usd_per_hour=2.0), entry=None, devices=2048, seconds=2.788e6 * 3600 / 2048)
    assert found.hardware_usd == pytest.approx(5.576e6)


def test_electricity_alone_and_nothing_at_all() -> None:
    used = Energy(facility_joules=3.6e6)
    found = cost(site(electricity_usd_per_kilowatt_hour=0.2), entry=None, energy=used)
    assert (found.total_usd, found.known_usd, found.hardware_usd, found.basis) == (None, 0.2, None, None)
    assert cost(site(), entry=None, energy=used).total_usd is None
    assert cost(site(device_usd_per_hour=2.0), seconds=None) == Cost()


def test_depreciation_and_interest_by_hand() -> None:
    # A year of a life of four, used to one half, of 400 dollars.
    assert depreciation_usd(
        400.0, seconds=YEAR_SECONDS, life_seconds=4 * YEAR_SECONDS, utilization=0.5
    ) == pytest.approx(200)
    # 10 % on half of 400 dollars for a year, and the idle half of the time with it.
    assert interest_usd(400.0, seconds=YEAR_SECONDS, yearly_rate=0.1, utilization=0.5) == pytest.approx(40)


def test_buying_by_hand() -> None:
    where = site(
        ownership="buy",
        node_usd=300_000,
        infrastructure_usd_per_watt=10,
        service_life="5y",
        infrastructure_life="20y",
        interest_rate=0.1,
        device_usd_per_hour=2.0,
        electricity_usd_per_kilowatt_hour=0.1,
    )
    power = Power(facility_watts=8_000.0, facility_peak_watts=10_000.0)
    found = cost(where, seconds=YEAR_SECONDS, power=power, energy=Energy(facility_joules=8_000 * YEAR_SECONDS))
    assert found.capital_usd == pytest.approx(400_000)
    assert found.hardware_usd == pytest.approx(60_000)
    assert found.infrastructure_usd == pytest.approx(5_000)
    assert found.interest_usd == pytest.approx(20_000)
    assert found.energy_usd == pytest.approx(8 * 8766 * 0.1)
    assert found.total_usd == found.purchase_usd == pytest.approx(85_000 + 7_012.8)
    assert found.total_usd_low == found.total_usd_high == found.total_usd
    assert found.rent_usd == pytest.approx(8 * 2 * 8766 + 7_012.8)
    assert found.basis == "purchase"
    assert found.lifetime_share == pytest.approx(0.2)
    # 400,000 / (8 x 2 x 730.5 - 8 x 730.5 x 0.1)
    assert found.break_even_months == pytest.approx(400_000 / (730.5 * (16 - 0.8)))


def test_a_purchase_without_its_price_is_unknown() -> None:
    found = cost(site(ownership="buy", electricity_usd_per_kilowatt_hour=0.1), energy=Energy(facility_joules=3.6e6))
    assert (found.hardware_usd, found.basis, found.purchase_usd, found.capital_usd) == (None, None, None, None)
    assert (found.total_usd, found.known_usd) == (None, pytest.approx(0.1))
    unwired = cost(site(ownership="buy", node_usd=1.0, infrastructure_usd_per_watt=10))
    assert unwired.infrastructure_usd is None
    assert unwired.purchase_usd is None, "nobody named a price of electricity"
    assert unwired.break_even_months is None


@given(
    node_usd=st.floats(0, 1e6),
    per_watt=st.floats(0, 100),
    rate=st.floats(0, 1),
    use=st.floats(0.01, 1),
    seconds=st.floats(0, 1e9),
    tariff=st.floats(0, 10),
)
def test_the_parts_of_a_purchase_sum_to_its_total(
    node_usd: float, per_watt: float, rate: float, use: float, seconds: float, tariff: float
) -> None:
    where = site(
        ownership="buy",
        node_usd=node_usd,
        infrastructure_usd_per_watt=per_watt,
        interest_rate=rate,
        utilization=use,
        electricity_usd_per_kilowatt_hour=tariff,
    )
    power = Power(facility_watts=8_000.0, facility_peak_watts=10_000.0)
    found = cost(where, seconds=seconds, power=power, energy=Energy(facility_joules=8_000 * seconds))
    parts = (found.hardware_usd, found.infrastructure_usd, found.interest_usd, found.energy_usd)
    assert all(part is not None and part >= 0 for part in parts)
    assert sum(part or 0.0 for part in parts) == pytest.approx(found.total_usd)
    assert found.break_even_months is None or found.break_even_months >= 0


def test_buying_never_pays_where_electricity_costs_more_than_renting() -> None:
    assert break_even_months(100.0, rent_usd_per_month=30.0, running_usd_per_month=10.0) == 5
    assert break_even_months(100.0, rent_usd_per_month=10.0, running_usd_per_month=10.0) is None


def test_a_series_tells_the_cheapest_hour(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("0,0.3\n1,-0.1\n2,0.2\n")
    where = site(electricity_price_series=str(file), electricity_usd_per_kilowatt_hour=9.0)
    found = cost(where, entry=None, seconds=2 * 3600, energy=Energy(facility_joules=10 * 3.6e6))
    assert found.electricity_usd_per_kilowatt_hour == pytest.approx(0.1)
    assert found.energy_usd == pytest.approx(1.0)
    assert (found.cheapest_start_hour, found.cheapest_energy_usd) == (1, pytest.approx(0.5))


@pytest.mark.parametrize(
    ("where", "changes", "known_usd", "missing"),
    [
        # Nobody states a rent of it: the electricity alone is no total.
        ({"electricity_usd_per_kilowatt_hour": 0.1}, {"entry": None}, 1.0, ("hardware",)),
        # Its power is not known.
        (
            {"electricity_usd_per_kilowatt_hour": 0.1, "device_usd_per_hour": 2.0},
            {"energy": Energy()},
            32.0,
            ("electricity",),
        ),
        ({"electricity_usd_per_kilowatt_hour": 0.1, "ownership": "buy"}, {}, 1.0, ("hardware",)),
        ({"ownership": "buy"}, {}, None, ("hardware", "electricity")),
        ({"device_usd_per_hour": 2.0}, {}, 32.0, None),
    ],
)
def test_a_sum_of_some_parts_is_no_total(
    where: dict[str, Any], changes: dict[str, Any], known_usd: float | None, missing: tuple[str, ...] | None
) -> None:
    found = cost(site(**where), **{"energy": Energy(facility_joules=3.6e7), **changes})
    assert found.known_usd == (None if known_usd is None else pytest.approx(known_usd))
    assert found.missing == missing
    assert found.total_usd == (None if missing else found.known_usd)
    assert (found.total_usd_low is None) == bool(missing)


def test_a_purchase_without_the_power_of_its_building_is_no_whole_purchase() -> None:
    where = site(
        ownership="buy", node_usd=1.0, infrastructure_usd_per_watt=10, electricity_usd_per_kilowatt_hour=0.1,
    )  # fmt: skip
    found = cost(where, energy=Energy(facility_joules=3.6e7))
    assert found.missing == ("infrastructure",)
    assert found.total_usd is found.purchase_usd is found.capital_usd is found.break_even_months is None
