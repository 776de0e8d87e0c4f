from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headway.i18n import Translator
from headway.machine import Machine
from headway.planning import Plan, plan
from headway.planning.explanation import Explanation
from headway.planning.explanations import (
    EXPLANATIONS,
    explain_carbon,
    explain_cooling,
    explain_cost,
    explain_energy,
    explain_layout,
    explain_power,
    explain_storage,
    explain_water,
)
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


@pytest.fixture
def cluster(make_recipe: MakeRecipe, tmp_path: Path) -> tuple[Recipe, Plan]:
    """Sixteen H100 in racks that cold plates cool, bought, at a site of which everything is known."""
    file = tmp_path / "hours.csv"
    file.write_text("0,0.3\n1,0.1\n")
    recipe = make_recipe(
        hardware={"accelerator": "h100", "devices": 16, "network": "infiniband-ndr400"},
        data={"dataset_tokens": "1B"},
        site={
            "grid": "germany",
            "electricity_price_series": str(file),
            "grid_intensity_series": str(file),
            "water_usage_effectiveness": 0.4,
            "power_usage_effectiveness": 1.2,
            "cooling": "direct-to-chip",
            "ownership": "buy",
            "node_usd": 300_000,
            "infrastructure_usd_per_watt": 10,
        },
    )
    return recipe, plan(recipe)


def by_id(steps: tuple[Explanation, ...]) -> dict[str, Explanation]:
    return {step.id: step for step in steps}


def rendered(steps: tuple[Explanation, ...]) -> list[str]:
    translator = Translator("en")
    for step in steps:
        assert translator.has(step.id)
        assert step.source
    return [translator.text(step.id, **step.arguments) for step in steps]


@pytest.mark.parametrize("topic", list(EXPLANATIONS))
def test_every_step_has_a_text(topic: str, cluster: tuple[Recipe, Plan]) -> None:
    steps = EXPLANATIONS[topic](*cluster)
    assert steps
    # A variable that is not given stays in the text in braces.
    assert not [text for text in rendered(steps) if "{" in text]


def test_energy_is_explained_down_to_its_constants(cluster: tuple[Recipe, Plan]) -> None:
    recipe, found = cluster
    steps = by_id(explain_energy(recipe, found))
    assert steps["explain-energy-facility"].value == found.energy.facility_joules
    assert steps["explain-energy-design"].value == found.energy.design_device_joules
    device = steps["explain-power-device"]
    assert device.value == found.power.device_watts
    inputs: dict[str, Any] = dict(device.arguments)
    swing = inputs["busy_share"] - inputs["idle_share"]
    share = inputs["idle_share"] + swing * inputs["time_share"]
    assert inputs["design_watts"] * share == pytest.approx(device.value)
    parts = [step.value for step in explain_power(recipe, found) if step.id == "explain-power-part"]
    assert sum(parts) == pytest.approx(found.power.facility_watts)


def test_carbon_and_water_are_explained(cluster: tuple[Recipe, Plan]) -> None:
    steps = by_id((*explain_carbon(*cluster), *explain_water(*cluster)))
    carbon, water = cluster[1].carbon, cluster[1].water
    assert steps["explain-carbon-operational"].value == carbon.operational_kg_co2e
    assert steps["explain-carbon-operational"].source.endswith("hours.csv")
    assert steps["explain-carbon-greenest"].value == carbon.greenest_operational_kg_co2e
    assert steps["explain-carbon-embodied"].value == carbon.embodied_kg_co2e
    both = steps["explain-water-generation"].value + steps["explain-water-site"].value
    assert both == pytest.approx(water.litres)


def test_cooling_is_explained(cluster: tuple[Recipe, Plan]) -> None:
    steps = by_id(explain_cooling(*cluster))
    cooling = cluster[1].cooling
    assert cooling.method == "direct-to-chip"
    assert steps["explain-cooling-tons"].value == cooling.refrigeration_tons
    assert steps["explain-cooling-air"].value == cooling.airflow_m3_per_hour
    assert steps["explain-cooling-liquid"].value == cooling.liquid_litres_per_minute
    assert steps["explain-cooling-method"].arguments["method"] == "direct-to-chip"


def test_the_layout_is_explained(cluster: tuple[Recipe, Plan]) -> None:
    recipe, made = cluster
    steps = explain_layout(recipe, made)
    assert by_id(steps)["explain-layout-search"].value == made.search.considered
    trades = [step for step in steps if step.id == "explain-layout-trade"]
    assert [step.value for step in trades] == [one.step_seconds for one in made.front]
    assert [step.arguments["chosen"] for step in trades].count("yes") == 1
    assert not any("{" in told for told in rendered(steps))


def test_cost_is_explained(cluster: tuple[Recipe, Plan]) -> None:
    steps = by_id(explain_cost(*cluster))
    cost = cluster[1].cost
    assert steps["explain-cost-purchase"].value == cost.hardware_usd
    assert steps["explain-cost-energy"].value == cost.energy_usd
    paid = (cost.infrastructure_usd or 0) + (cost.interest_usd or 0)
    paid += steps["explain-cost-purchase"].value + steps["explain-cost-energy"].value
    assert steps["explain-cost-total"].value == cost.total_usd == pytest.approx(paid)
    assert steps["explain-cost-total"].arguments["low"] == cost.total_usd_low
    assert steps["explain-cost-cheapest"].value == cost.cheapest_energy_usd
    assert steps["explain-cost-break-even"].value == cost.break_even_months
    assert "AWS" in steps["explain-cost-rent"].source


def test_rent_and_electricity_add_up_to_the_total(make_recipe: MakeRecipe) -> None:
    site = {"electricity_usd_per_kilowatt_hour": 0.1}
    recipe = make_recipe(hardware={"accelerator": "h100", "devices": 8}, site=site)
    found = plan(recipe)
    steps = by_id(explain_cost(recipe, found))
    assert steps["explain-cost-rent"].value + steps["explain-cost-energy"].value == pytest.approx(found.cost.total_usd)
    assert steps["explain-cost-total"].value == found.cost.total_usd


def test_storage_is_explained(cluster: tuple[Recipe, Plan]) -> None:
    steps = by_id(explain_storage(*cluster))
    storage = cluster[1].storage
    assert steps["explain-storage-space"].value == storage.total_bytes
    assert steps["explain-storage-write"].value == storage.checkpoint_write_bytes_per_second
    assert steps["explain-storage-read"].value == storage.read_bytes_per_second


def test_what_the_recipe_says_is_its_own_source(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(
        hardware={"accelerator": "h100", "devices": 8},
        site={
            "node_watts": 9000,
            "device_usd_per_hour": 2,
            "electricity_usd_per_kilowatt_hour": 0.1,
            "grid_kg_co2e_per_kilowatt_hour": 0.2,
        },
    )
    found = plan(recipe)
    steps = by_id((*explain_energy(recipe, found), *explain_cost(recipe, found)))
    for name in ("power-node", "carbon-operational", "cost-rent", "cost-energy"):
        assert steps[f"explain-{name}"].source.endswith("the recipe")
    named = make_recipe(hardware={"accelerator": "h100", "devices": 8}, site={"grid": "germany"})
    operational = by_id(explain_carbon(named, plan(named)))["explain-carbon-operational"]
    assert "codecarbon" in operational.source


def test_nothing_is_explained_that_is_not_known(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe(hardware={"accelerator": "tpu-v5p"})
    found = plan(recipe)
    for topic in ("power", "energy", "carbon", "water", "cooling"):
        assert EXPLANATIONS[topic](recipe, found) == ()
    here = make_recipe()
    assert "explain-power-device" not in by_id(explain_power(here, plan(here, machine)))
