"""Plans beside published trainings; each bound is the error reached, rounded up."""

import pytest

from headway.catalog.trainings import published_training
from headway.errors import PlanError
from headway.planning import Plan, plan
from headway.planning.published import AIM, Beside, Published, published_beside, published_of, score
from headway.recipe import Recipe, load_recipe, resolve_recipe
from tests.test_house import ROOT


@pytest.fixture(scope="module")
def found() -> dict[str, Published]:
    return {one.training.id: one for one in published_beside(plan)}


def test_every_training_is_planned(found: dict[str, Published]) -> None:
    assert len(found) >= 30
    assert not [one.training.id for one in found.values() if one.error is not None]
    assert not [one.training.id for one in found.values() if not one.plan or not one.plan.is_feasible]


def row(found: dict[str, Published], name: str, quantity: str) -> Beside:
    beside = found[name].row(quantity)
    assert beside is not None
    return beside


@pytest.mark.parametrize(
    ("name", "bound"),
    [
        ("llama-3.1-405b", 0.15),
        ("tinyllama-1.1b", 0.05),
        ("falcon-40b", 0.10),
        ("falcon-7b", 0.10),
        ("llama-2-7b-ibm", 0.15),
        ("bloom-176b", 0.25),
    ],
)
def test_device_hours_with_the_published_layout(found: dict[str, Published], name: str, bound: float) -> None:
    error = row(found, name, "device_hours").error
    assert error is not None
    assert abs(error) < bound


def test_device_hours_at_the_published_utilization(found: dict[str, Published]) -> None:
    rows = [one.row("device_hours_at_published_utilization") for one in found.values()]
    errors = [beside.error for beside in rows if beside is not None]
    assert len(errors) >= 3
    assert all(error is not None and abs(error) < AIM for error in errors)


def test_the_interruptions_of_llama_3_1_405b_lie_inside_the_interval(found: dict[str, Published]) -> None:
    beside = row(found, "llama-3.1-405b", "interruptions")
    assert beside.published == 419
    assert beside.is_inside
    assert row(found, "llama-3.1-405b", "goodput").is_inside


def test_energy_follows_the_convention_of_its_source(found: dict[str, Published]) -> None:
    plain, bloom = found["llama-65b"], found["bloom-176b"]
    assert plain.plan is not None
    assert bloom.plan is not None
    with_site, alone = row(found, "llama-65b", "kilowatt_hours"), row(found, "bloom-176b", "kilowatt_hours")
    assert (with_site.basis, alone.basis) == ("site", "design")
    assert with_site.planned == pytest.approx((plain.plan.energy.design_device_joules or 0) / 3.6e6 * 1.1)
    assert alone.planned == pytest.approx((bloom.plan.energy.design_device_joules or 0) / 3.6e6)
    # Both reckon hours x 400 W, so that energy is off by what the hours are off.
    for name in ("llama-65b", "bloom-176b"):
        hours, energy = row(found, name, "device_hours").error, row(found, name, "kilowatt_hours").error
        assert energy == pytest.approx(hours, abs=0.01)
        given = row(found, name, "kilowatt_hours").error_at_published_hours
        assert given == pytest.approx(0.0, abs=0.01)
    measured = row(found, "gpt-3-175b", "kilowatt_hours")
    assert measured.basis == "measured"
    made = found["gpt-3-175b"].plan
    assert made is not None
    assert measured.planned == pytest.approx((made.energy.facility_joules or 0) / 3.6e6)


def test_the_ready_recipe_is_that_of_the_published_run() -> None:
    recipe = load_recipe(ROOT / "recipes" / "llama-3.1-405b.toml")
    beside = published_of(recipe, plan(recipe))
    assert beside is not None
    assert beside.training.id == "llama-3.1-405b"
    assert {row.quantity for row in beside.rows} >= {
        "device_hours",
        "utilization",
        "kg_co2e",
        "interruptions",
        "goodput",
    }


def test_another_recipe_is_that_of_no_published_run() -> None:
    recipe = load_recipe(ROOT / "recipes" / "llama-3.1-405b.toml", ["hardware.devices=8192"])
    assert published_of(recipe, plan(recipe)) is None


@pytest.fixture
def small() -> Plan:
    return plan(
        resolve_recipe(
            {"model": {"preset": "gpt2"}, "training": {"steps": 1}, "hardware": {"accelerator": "h100", "devices": 1}}
        )
    )


def test_what_cannot_be_planned_keeps_its_error(small: Plan) -> None:
    def make(recipe: Recipe) -> Plan:
        if recipe.name == "bloom-176b":
            raise PlanError("plan-cpu-not-measured")
        return small

    named = {one.training.id: one for one in published_beside(make)}
    assert named["llama-7b"].error is None
    assert named["bloom-176b"].error is not None
    assert named["bloom-176b"].to_dict()["error"]["id"] == "plan-cpu-not-measured"
    assert score([named["bloom-176b"]]) is None


def test_the_score_counts_what_is_within_the_aim() -> None:
    def one(published: float, planned: float | None) -> Published:
        rows = (Beside(quantity="device_hours", published=published, planned=planned),)
        return Published(training=published_training("bloom-176b"), rows=rows)

    found = score([one(100, 110), one(100, 50), one(100, 80), one(100, None)])
    assert found is not None
    assert (found.trainings, found.within_aim) == (3, 1)
    assert found.median_error == pytest.approx(0.2)
