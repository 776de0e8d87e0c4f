import math

import pytest

from headway.planning.energy import Energy, design_device_joules, plan_energy
from headway.planning.power import Power

KILOWATT_HOUR = 3.6e6


def test_energy_is_power_times_time() -> None:
    power = Power(equipment_watts=1000.0, facility_watts=1100.0, device_design_watts=700.0)
    found = plan_energy(power, devices=2, seconds=10, tokens=100)
    assert found.facility_joules == 11_000
    assert found.equipment_joules == 10_000
    assert found.design_device_joules == 14_000
    assert found.joules_per_token == 110


def test_the_logarithms_of_the_intervals_of_power_and_time_add_their_squares() -> None:
    power = Power(
        equipment_watts=1.0, facility_watts=10.0, facility_watts_low=10 * 2**-0.3, facility_watts_high=10 * 2**0.3
    )
    found = plan_energy(power, devices=1, seconds=10, tokens=1, time_spread=(2**-0.4, 2**0.4))
    assert found.facility_joules_low == pytest.approx(100 * 2**-0.5)
    assert found.facility_joules_high == pytest.approx(100 * 2**0.5)
    assert found.spread == (pytest.approx(2**-0.5), pytest.approx(2**0.5))
    endless = plan_energy(power, devices=1, seconds=10, tokens=1, time_spread=(0.5, math.inf))
    assert endless.facility_joules_high is None
    assert endless.spread[1] == math.inf
    certain = plan_energy(Power(equipment_watts=1.0, facility_watts=10.0), devices=1, seconds=10, tokens=1)
    assert certain.facility_joules_low == certain.facility_joules_high == certain.facility_joules


def test_what_is_not_known_stays_unknown() -> None:
    assert plan_energy(Power(), devices=1, seconds=10, tokens=1) == Energy()
    known = Power(equipment_watts=1.0, facility_watts=1.0)
    assert plan_energy(known, devices=1, seconds=None, tokens=1) == Energy()
    assert plan_energy(known, devices=1, seconds=1.0, tokens=1).design_device_joules is None


@pytest.mark.parametrize(
    ("device_hours", "watts", "published_megawatt_hours"),
    [
        # BLOOM: Luccioni et al. 2022 (arXiv:2211.02001), table 2. The others: LLaMA paper (arXiv:2302.13971), table 15,
        # which multiplies by a power usage effectiveness of 1.1.
        (1_082_990, 400, 433.196),
        (82_432, 400, 36 / 1.1),
        (1_022_362, 400, 449 / 1.1),
        (809_472, 400, 356 / 1.1),
    ],
)
def test_the_figure_of_model_cards(device_hours: float, watts: float, published_megawatt_hours: float) -> None:
    power = Power(device_design_watts=watts)
    joules = design_device_joules(power, devices=1, seconds=device_hours * 3600)
    assert joules is not None
    assert joules / KILOWATT_HOUR / 1000 == pytest.approx(published_megawatt_hours, rel=0.01)
