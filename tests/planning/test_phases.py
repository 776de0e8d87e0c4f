import pickle
from dataclasses import replace

import pytest

import headway
from headway.errors import PlanError
from headway.planning import Plan, plan
from headway.planning.phases import Phase, added, device_hours, evaluation_of, plan_phases, search_of, sum_of
from headway.planning.verdict import first_change, verdict
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
    unknown = replace(phases[0].plan, cost=replace(phases[0].plan.cost, total_usd=None, known_usd=None))
    endless: Plan = replace(unknown, time=replace(unknown.time, total_seconds=None))
    total = sum_of([Phase(name="one", plan=endless), phases[1]])
    assert (total.total_usd, total.seconds, total.device_hours) == (None, None, None)
    assert device_hours(endless) is None
    assert set(total.to_dict()) == {"facility_joules", "known_usd", "operational_kg_co2e", "litres"}
    assert total.known_usd == phases[1].plan.cost.known_usd


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


def with_big_phase(recipe: Recipe, devices: int, **budget: object) -> Plan:
    big = {"name": "big", "training": {"tokens": "1T"}, "hardware": {"devices": devices}}
    return headway.plan(resolve_recipe({**recipe.to_dict(), "budget": budget, "phases": [big]}))


def test_a_phase_that_does_not_fit_is_an_obstacle_of_the_whole(recipe: Recipe) -> None:
    """8 billion weights with their states on one device of 80 GiB."""
    made = with_big_phase(recipe, 1)
    assert [(message.id, message.phase) for message in made.infeasible] == [("plan-infeasible-memory", "big")]
    assert not made.is_feasible
    found = verdict(made)
    assert (found.id, found.arguments["failing"]) == ("plan-verdict-phases-impossible", "big")
    assert first_change(made) == made.infeasible[0]
    assert made.to_dict()["infeasible"][0]["phase"] == "big"
    assert plan(headway.api.alone(recipe)).is_feasible


def test_the_verdict_and_the_budget_are_those_of_all_phases(recipe: Recipe) -> None:
    first = plan(headway.api.alone(recipe))
    assert first.cost.total_usd is not None
    # Enough for the first phase, and not for both.
    made = with_big_phase(recipe, 16, max_usd=2 * first.cost.total_usd, max_duration="1d", max_litres=1e-3)
    assert made.chain is not None
    found = verdict(made)
    assert found.id == "plan-verdict-phases-run"
    assert (found.arguments["usd"], found.arguments["seconds"]) == (
        made.chain.total.total_usd,
        made.chain.total.seconds,
    )
    both = [phase.plan.reliability for phase in made.chain.phases]
    assert found.arguments["interruptions"] == sum(one.expected_interruptions for one in both if one is not None)
    broken = {message.id: message for message in made.warnings if message.id.startswith("plan-warning-budget-")}
    assert list(broken) == ["plan-warning-budget-usd", "plan-warning-budget-duration", "plan-warning-budget-water"]
    assert broken["plan-warning-budget-usd"].arguments["value"] == made.chain.total.total_usd
    assert broken["plan-warning-budget-water"].arguments["is_whole"] == "no"
    assert {message.phase for message in broken.values()} == {None}
    # What is true of every phase is said once.
    assert len({(message.id, str(message.arguments)) for message in made.warnings}) == len(made.warnings)


def test_a_phase_that_cannot_be_planned_is_named(recipe: Recipe) -> None:
    odd = {"name": "odd", "layout": {"pipeline_parallel_degree": 3}}
    with pytest.raises(PlanError) as caught:
        headway.plan(resolve_recipe({**recipe.to_dict(), "phases": [odd]}))
    problems = caught.value.to_dict()["error"]["problems"]
    assert (caught.value.message_id, caught.value.arguments) == ("plan-phase-impossible", {"phase": "odd"})
    assert "plan-field-impossible" in [problem["id"] for problem in problems]
    assert pickle.loads(pickle.dumps(caught.value)).to_dict() == caught.value.to_dict()
