"""Everything that follows from where a run stands and how long it takes."""

from collections.abc import Callable

import pytest

from headway import catalog
from headway.planning.site import plan_site
from headway.recipe import Recipe
from tests.planning.test_power import time_of

MakeRecipe = Callable[..., Recipe]
PARTS = {"mlp_seconds": 0.9, "communication_seconds": 0.1}


def test_a_site_is_one_chain(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(
        hardware={"accelerator": "h100", "devices": 16},
        site={"grid": "france", "power_usage_effectiveness": 1.2, "electricity_usd_per_kilowatt_hour": 0.1},
    )
    time = time_of(PARTS, steps=100, total_seconds=100.0)
    found = plan_site(recipe, entry=catalog.accelerator("h100"), machine=None, time=time, per_node=8)
    assert found.power.busy_share == pytest.approx(0.9)
    assert found.energy.facility_joules == pytest.approx(found.power.facility_watts * 100)  # type: ignore[operator]
    assert found.energy.facility_joules_low < found.energy.facility_joules  # type: ignore[operator]
    assert found.cooling.heat_watts == found.power.equipment_watts
    hours = found.energy.facility_joules / 3.6e6  # type: ignore[operator]
    assert found.carbon.operational_kg_co2e == pytest.approx(
        hours * catalog.grid("france").carbon_kg_co2e_per_kilowatt_hour
    )
    assert found.water.litres is not None
    assert found.cost.energy_usd == pytest.approx(0.1 * hours)


def test_more_devices_draw_more(make_recipe: MakeRecipe) -> None:
    time = time_of(PARTS, total_seconds=10.0)
    watts = []
    for devices in (8, 16, 64, 1024):
        recipe = make_recipe(hardware={"accelerator": "h100", "devices": devices}, training={"global_batch_size": 1024})
        found = plan_site(recipe, entry=catalog.accelerator("h100"), machine=None, time=time, per_node=8)
        watts.append(found.power.facility_watts)
    assert watts == sorted(watts, key=float)  # type: ignore[arg-type]


def test_a_run_without_end_still_draws_power(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(hardware={"accelerator": "h100", "devices": 8}, site={"grid": "france"})
    found = plan_site(recipe, entry=catalog.accelerator("h100"), machine=None, time=time_of(PARTS), per_node=8)
    assert found.power.facility_watts is not None
    assert found.energy.facility_joules is None
    assert found.cost.total_usd is found.carbon.operational_kg_co2e is found.water.litres is None
