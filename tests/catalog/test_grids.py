import pytest

from headway.catalog import grid


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("United States", "carbon_kg_co2e_per_kilowatt_hour", 0.369473),
        ("USA", "water_litres_per_kilowatt_hour", 3.1321),
        ("fr", "carbon_kg_co2e_per_kilowatt_hour", 0.056039),
        ("FRA", "second_carbon_kg_co2e_per_kilowatt_hour", 0.0442),
        ("iceland", "year", 2022),
        ("us-central1", "carbon_kg_co2e_per_kilowatt_hour", 0.430),
        ("gcp-northamerica-northeast1", "scope", "cloud-region"),
        ("world", "carbon_kg_co2e_per_kilowatt_hour", 0.473),
        ("gcp-europe-west9", "name", "Paris"),
        ("singapore", "water_litres_per_kilowatt_hour", None),
        ("world", "year", None),
    ],
)
def test_a_known_number(name, field, value):
    assert getattr(grid(name), field) == value
