from pathlib import Path
from typing import Any

import pytest

from headway import catalog
from headway.planning.carbon import Carbon, Water, embodied_kg_co2e, plan_carbon, plan_water
from headway.planning.energy import Energy
from headway.recipe.sections import SiteConfig

H100 = catalog.accelerator("h100")
KILOWATT_HOUR = 3.6e6
LIFE_SECONDS = 43_800 * 3600.0


def site(**fields: Any) -> SiteConfig:
    return SiteConfig.model_validate(fields)


def energy(facility_hours: float, equipment_hours: float | None = None) -> Energy:
    return Energy(
        facility_joules=facility_hours * KILOWATT_HOUR,
        equipment_joules=(equipment_hours or facility_hours) * KILOWATT_HOUR,
    )


def carbon(where: SiteConfig, used: Energy, **changes: Any) -> Carbon:
    arguments: dict[str, Any] = {"entry": None, "devices": 1, "seconds": 3600.0}
    return plan_carbon(where, used, **{**arguments, **changes})


@pytest.mark.parametrize(
    ("device_hours", "watts", "kg_per_kilowatt_hour", "published_tons", "bound"),
    [
        # Model cards of Llama 3.1: hours, 700 W, location-based tons. The intensity is that of the 8B card, and the
        # others follow from it: the same sites.
        (1_460_000, 700, 0.411, 420, 0.01),
        (7_000_000, 700, 0.411, 2_040, 0.02),
        (30_840_000, 700, 0.411, 8_930, 0.01),
        # Llama 2 70B, 400 W, at the intensity of its 7B card: 31.22 t for 184,320 hours.
        (1_720_320, 400, 31_220 / (184_320 * 0.4), 291.42, 0.01),
        # BLOOM: 433,196 kWh at 57 g (arXiv:2211.02001).
        (1_082_990, 400, 0.057, 24.69, 0.01),
    ],
)
def test_published_emissions(
    device_hours: float, watts: float, kg_per_kilowatt_hour: float, published_tons: float, bound: float
) -> None:
    used = energy(device_hours * watts / 1000)
    found = carbon(site(grid_kg_co2e_per_kilowatt_hour=kg_per_kilowatt_hour), used)
    assert found.operational_kg_co2e == pytest.approx(1000 * published_tons, rel=bound)
    assert found.embodied_kg_co2e is None


def test_the_catalogue_knows_grids() -> None:
    found = carbon(site(grid="germany"), energy(1))
    assert found.operational_kg_co2e == catalog.grid("germany").carbon_kg_co2e_per_kilowatt_hour
    assert found.greenest_start_hour is None
    assert found.design_device_kg_co2e is None
    at_design = carbon(site(grid="germany"), Energy(design_device_joules=KILOWATT_HOUR))
    assert at_design.design_device_kg_co2e == catalog.grid("germany").carbon_kg_co2e_per_kilowatt_hour


def test_a_series_tells_the_greenest_hour(tmp_path: Path) -> None:
    file = tmp_path / "grid.csv"
    file.write_text("0,0.5\n1,0.1\n2,0.3\n")
    where = site(grid_intensity_series=str(file), grid="germany", start_hour=2)
    found = carbon(where, energy(10), seconds=2 * 3600)
    assert found.grid_kg_co2e_per_kilowatt_hour == pytest.approx(0.4)
    assert found.operational_kg_co2e == pytest.approx(4.0)
    assert (found.greenest_start_hour, found.greenest_operational_kg_co2e) == (1, pytest.approx(2.0))


def test_embodied_carbon_by_hand() -> None:
    # Half of a service life of five years, of a card of 164 kg and an eighth of a server of 3,000 kg.
    low, middle, high = embodied_kg_co2e(site(), H100, devices=2, seconds=LIFE_SECONDS / 2)
    assert middle == pytest.approx(164 + 375)
    assert low == pytest.approx(143 + 375)
    assert high == pytest.approx(273 + 712.5)
    # Hardware that works half of its life costs its runs twice as much.
    lazy = embodied_kg_co2e(site(utilization=0.5, service_life="10y"), H100, devices=2, seconds=LIFE_SECONDS / 2)
    assert lazy[1] == pytest.approx((164 + 375) * 43_800 / 87_660 * 2)


def test_embodied_carbon_of_bloom() -> None:
    """11.2 t for 1,082,990 A100 hours, with a life of six years used to 85 %. Source: arXiv:2211.02001."""
    where = site(service_life="6y", utilization=0.85)
    found = embodied_kg_co2e(where, catalog.accelerator("a100"), devices=1, seconds=1_082_990 * 3600)
    assert found[1] == pytest.approx(11_200, rel=0.13)


def test_what_nobody_published_is_unknown() -> None:
    assert embodied_kg_co2e(site(), None, devices=1, seconds=1.0) == (None, None, None)
    assert embodied_kg_co2e(site(), H100, devices=1, seconds=None) == (None, None, None)
    assert embodied_kg_co2e(site(), catalog.accelerator("l4"), devices=1, seconds=1.0) == (None, None, None)
    assert carbon(site(grid="germany"), Energy()).operational_kg_co2e is None
    assert carbon(site(), energy(1)).operational_kg_co2e is None


def test_water_of_grid_and_site() -> None:
    found = plan_water(site(grid="germany", water_usage_effectiveness=0.4), energy(12, 10))
    assert found.generation_litres == pytest.approx(12 * 1.947)
    assert found.site_litres == pytest.approx(4.0)
    assert found.litres == pytest.approx(12 * 1.947 + 4)
    assert plan_water(site(water_usage_effectiveness=0.4), energy(12, 10)).litres == pytest.approx(4.0)
    assert plan_water(site(), energy(1)).litres is None
    assert plan_water(site(grid="germany"), Energy()) == Water()
