import pytest

from headway.catalog import constants, cooling


@pytest.mark.parametrize(
    ("name", "value", "low", "high", "unit"),
    [
        ("refrigeration-ton", 12000.0, None, None, "BTU/h"),
        ("liquid-flow-rule", 1.5, 1.25, 2.0, "L/min per kW"),
        ("liquid-heat-share", None, 0.85, 0.95, "ratio"),
        ("air-cooled-rack-limit", 30000.0, None, None, "W"),
        ("inlet-allowable-a2", None, 10.0, 35.0, "C"),
        ("wue-evaporative-tower", None, 0.4, 1.0, "L/kWh"),
    ],
)
def test_a_cooling_rule(name, value, low, high, unit):
    found = cooling()[name]
    assert (found.value, found.low, found.high, found.unit) == (value, low, high, unit)


def test_the_stated_air_flow_follows_from_the_constants():
    # 1 kW at a rise of 10 C, in cubic feet per minute: the source table says 176.
    facts = cooling()
    cubic_metres_per_second = 1000 / (facts["air-density"].value * facts["air-heat-capacity"].value * 10)
    assert cubic_metres_per_second / 0.3048**3 * 60 == pytest.approx(176, abs=0.5)


def test_the_stated_water_flow_follows_from_the_constants():
    # 1 kW at a rise of 10 C, in litres per minute: the source table says 1.44; 0.998 kg per litre at 20 C.
    assert 1000 / (cooling()["water-heat-capacity"].value * 10) * 60 / 0.998 == pytest.approx(1.44, abs=0.01)


def test_the_classes_that_nobody_verified_are_left_out():
    assert not [name for name in cooling() if "h1" in name or name.startswith("supply")]


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("device-memory-reserve", 3.5, "GiB"),
        ("nccl-buffer", 392.0, "MiB"),
        ("server-power-without-gpus", 1200.0, "W"),
        ("embodied-dram", 0.4, "kgCO2e per GB"),
        ("restart-requeue-16384-gpus", 768.0, "s"),
        ("gpu-service-life", 26280.0, "h"),
    ],
)
def test_a_constant(name, value, unit):
    assert (constants()[name].value, constants()[name].unit) == (value, unit)


def test_a_quantity_has_a_number():
    for entry in (*cooling().values(), *constants().values()):
        assert entry.value is not None or (entry.low is not None and entry.high is not None)
        assert (entry.low is None) == (entry.high is None)
        assert entry.low is None or entry.low < entry.high
