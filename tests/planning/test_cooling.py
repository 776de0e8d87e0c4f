from typing import Any

import pytest

from headway.planning.cooling import (
    Cooling,
    airflow_m3_per_hour,
    feasible_methods,
    liquid_litres_per_minute,
    plan_cooling,
    tons_of_refrigeration,
)
from headway.planning.power import Power
from headway.recipe.sections import SiteConfig

CUBIC_FEET_PER_CUBIC_METRE = 1 / 0.3048**3


def site(**fields: Any) -> SiteConfig:
    return SiteConfig.model_validate(fields)


def power(rack_watts: float, equipment_watts: float = 1e5) -> Power:
    return Power(
        rack_peak_watts=rack_watts,
        equipment_watts=equipment_watts,
        facility_watts=equipment_watts,
        facility_peak_watts=1.3 * equipment_watts,
    )


def test_tons_by_hand() -> None:
    # One ton is 12,000 BTU/h, 3.517 kW.
    assert tons_of_refrigeration(3516.85) == pytest.approx(1.0, rel=1e-4)


@pytest.mark.parametrize(("rise_kelvin", "cubic_feet_per_minute"), [(10, 176), (11.1, 158), (15, 117), (20, 88)])
def test_the_airflow_of_design_tables(rise_kelvin: float, cubic_feet_per_minute: float) -> None:
    """Cubic feet a minute for each kilowatt: 1757 / dT, as tables of design print it."""
    found = airflow_m3_per_hour(1000.0, rise_kelvin) * CUBIC_FEET_PER_CUBIC_METRE / 60
    assert found == pytest.approx(cubic_feet_per_minute, abs=0.6)


@pytest.mark.parametrize(("rise_kelvin", "litres"), [(5, 2.88), (10, 1.44), (15, 0.96)])
def test_the_liquid_flow_of_design_tables(rise_kelvin: float, litres: float) -> None:
    assert liquid_litres_per_minute(1000.0, rise_kelvin) == pytest.approx(litres, abs=0.01)
    # The design rule, 1.25 to 2 litres a minute for each kilowatt, is for a rise of at most 10 K.
    if rise_kelvin == 10:
        assert 1.25 < liquid_litres_per_minute(1000.0, rise_kelvin) < 2.0


def test_methods_follow_the_density_of_the_rack() -> None:
    assert feasible_methods(20_400) == ("air", "rear-door", "direct-to-chip")
    assert feasible_methods(60_000) == ("rear-door", "direct-to-chip")
    assert feasible_methods(135_000) == ("direct-to-chip",)
    assert feasible_methods(200_000) == ()


def test_air_carries_all_heat_where_nothing_else_does() -> None:
    found = plan_cooling(site(), power(20_000))
    assert (found.method, found.liquid_litres_per_minute) == ("air", None)
    assert found.airflow_m3_per_hour == pytest.approx(airflow_m3_per_hour(1e5, 12.0))
    assert found.heat_watts == 1e5
    assert found.peak_heat_watts == pytest.approx(1.3e5)


def test_cold_plates_leave_a_tenth_to_the_air() -> None:
    found = plan_cooling(site(air_temperature_rise=10, liquid_temperature_rise=5), power(120_000))
    assert found.method == "direct-to-chip"
    # 85 to 95 % go into the liquid.
    assert found.liquid_litres_per_minute == pytest.approx(liquid_litres_per_minute(0.9e5, 5.0))
    assert found.airflow_m3_per_hour == pytest.approx(airflow_m3_per_hour(0.1e5, 10.0))


def test_a_rear_door_takes_over_what_the_air_brings() -> None:
    found = plan_cooling(site(), power(60_000))
    assert found.method == "rear-door"
    assert found.airflow_m3_per_hour == pytest.approx(airflow_m3_per_hour(1e5, 12.0))
    assert found.liquid_litres_per_minute == pytest.approx(liquid_litres_per_minute(1e5, 10.0))


def test_the_recipe_chooses_the_method() -> None:
    assert plan_cooling(site(cooling="direct-to-chip"), power(20_000)).method == "direct-to-chip"
    dense = plan_cooling(site(cooling="air"), power(60_000))
    assert dense.method == "air"
    assert dense.methods == ("rear-door", "direct-to-chip")


def test_a_rack_beyond_all_methods_has_none() -> None:
    assert plan_cooling(site(), power(200_000)).method is None


def test_unknown_power_gives_off_unknown_heat() -> None:
    assert plan_cooling(site(cooling_capacity="2 MW"), Power()) == Cooling(capacity_watts=2e6)
