from dataclasses import replace

import pytest

import headway
from headway.planning import Plan, plan
from headway.planning.phases import Phase, added, device_hours, evaluation_of, plan_phases, search_of, sum_of
from headway.recipe import Recipe, resolve_recipe


@pytest.fixture
def recipe() -> Recipe:
    return resolve_recipe(
        {
            "name": "chain",
            "model": {"preset": "llama-3.1-8b"},
            "training": {"tokens": "1B", "global_batch_size": 64},
            "hardware": {"accelerator": "h100", "devices": 16, "network": "infiniband-ndr400"},
            "site": {"grid": "germany"},
            "budget": {"search_share": 0.2},
            "phases": [{"name": "tuned", "training": {"steps": 10, "method": "lora"}, "hardware": {"devices": 8}}],
        }
    )


@pytest.fixture
def phases(recipe: Recipe) -> tuple[Phase, ...]:
    return plan_phases(recipe, plan(recipe), plan)


def test_each_phase_has_a_plan_of_its_own(phases: tuple[Phase, ...]) -> None:
    assert [phase.name for phase in phases] == ["chain", "tuned"]
    assert [phase.plan.hardware.devices for phase in phases] == [16, 8]
    assert phases[1].plan.run.steps == 10
    assert phases[1].to_dict()["plan"]["run"]["steps"] == 10


def test_a_recipe_without_phases_has_none(recipe: Recipe) -> None:
    alone = resolve_recipe({name: value for name, value in recipe.to_dict().items() if name != "phases"})
    assert plan_phases(alone, plan(alone), plan) == ()


def test_the_sum_is_that_of_the_phases(phases: tuple[Phase, ...]) -> None:
    total = sum_of(phases)
    plans = [phase.plan for phase in phases]
    assert total.seconds == pytest.approx(sum(one.time.total_seconds or 0 for one in plans))
    assert total.device_hours == pytest.approx(
        sum((one.time.total_seconds or 0) * one.hardware.devices for one in plans) / 3600
    )
    assert total.facility_joules == pytest.approx(sum(one.energy.facility_joules or 0 for one in plans))
    assert total.operational_kg_co2e == pytest.approx(sum(one.carbon.operational_kg_co2e or 0 for one in plans))


def test_a_chain_is_what_the_api_plans(recipe: Recipe) -> None:
    made = headway.plan(recipe)
    assert made.chain is not None
    assert [phase.name for phase in made.chain.phases] == ["chain", "tuned"]
    assert made.chain.total == added(sum_of(made.chain.phases), made.chain.trials)
    content = made.to_dict()
    assert [phase["name"] for phase in content["phases"]] == ["chain", "tuned"]
    assert content["sum"] == made.chain.total.to_dict()
    assert content["search"]["considered"] > 0, "the search for a layout keeps its name"
    assert "phases" not in plan(recipe).to_dict()
    assert headway.plan(headway.api.alone(recipe)).chain is None


def test_evaluations_take_their_share_of_each_phase(phases: tuple[Phase, ...]) -> None:
    """Evaluations a quarter of the first phase's work, and none in the second."""
    first, second = (phase.plan for phase in phases)
    timed = replace(first, time=replace(first.time, training_seconds=30.0, evaluation_seconds=10.0))
    still = replace(second, time=replace(second.time, evaluation_seconds=0.0))
    found = evaluation_of([Phase(name="one", plan=timed), Phase(name="two", plan=still)])
    assert found.device_hours == pytest.approx((timed.time.device_hours or 0) / 4)
    assert found.facility_joules == pytest.approx((timed.energy.facility_joules or 0) / 4)
    real = evaluation_of(phases)
    assert real.seconds is not None
    assert 0 < real.seconds < sum(phase.plan.time.total_seconds or 0 for phase in phases)


def test_what_one_phase_does_not_know_the_sum_does_not_know(phases: tuple[Phase, ...]) -> None:
    unknown = replace(phases[0].plan, cost=replace(phases[0].plan.cost, total_usd=None))
    endless: Plan = replace(unknown, time=replace(unknown.time, total_seconds=None))
    total = sum_of([Phase(name="one", plan=endless), phases[1]])
    assert (total.total_usd, total.seconds, total.device_hours) == (None, None, None)
    assert device_hours(endless) is None
    assert set(total.to_dict()) == {"facility_joules", "operational_kg_co2e"}


def test_search_takes_its_share_of_the_whole(recipe: Recipe, phases: tuple[Phase, ...]) -> None:
    total = sum_of(phases)
    search = search_of(recipe, total)
    whole = added(total, search)
    assert search is not None
    assert search.device_hours is not None
    assert whole.device_hours is not None
    assert search.device_hours / whole.device_hours == pytest.approx(0.2)
    assert whole.seconds == total.seconds
    no_search = resolve_recipe({**recipe.to_dict(), "budget": {}})
    assert search_of(no_search, total) is None
    assert added(total, None) == total
