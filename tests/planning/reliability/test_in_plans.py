"""What the recipe says on storage and failures reaches the plan."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from headway.machine import Machine
from headway.planning import Plan, plan
from headway.planning.explanations import EXPLANATIONS, explain_reliability
from headway.planning.reliability.explain import explain
from headway.planning.verdict import verdict
from headway.recipe import Recipe
from headway.recipe.sections import ResilienceConfig

MakeRecipe = Callable[..., Recipe]


def cluster(make_recipe: MakeRecipe, **resilience: Any) -> Plan:
    return plan(
        make_recipe(
            hardware={"accelerator": "h100-sxm-80gb", "devices": 1024},
            training={"steps": 10**6, "global_batch_size": 1024},
            resilience=resilience,
        )
    )


def test_a_stated_write_rate_gives_the_goodput(make_recipe: MakeRecipe) -> None:
    assert cluster(make_recipe).reliability.goodput is None
    found = cluster(make_recipe, storage_write_bytes_per_second="10 MB")
    assert found.storage.checkpoint_write_seconds == pytest.approx(found.storage.checkpoint_bytes / 1e7)
    assert found.reliability is not None
    assert found.reliability.goodput is not None
    assert 0 < found.reliability.goodput < 1
    assert found.time.total_seconds > found.time.training_seconds


STATED = {
    "failures_per_1000_devices_per_day": 720_000.0,
    "detection_time": 1.2,
    "restart_time": 4.0,
    "repair_time": 4.0,
    "checkpoint_every": 5.0,
    "storage_write_bytes_per_second": "100 MB",
}
"""Of a processor: it fails each 120 seconds."""


def test_failures_of_a_processor_are_planned_where_the_recipe_states_them(
    make_recipe: MakeRecipe, machine: Machine
) -> None:
    """With M = 120 s, D = 1.2 s, R = 4 s and T = 5 s, useful is T / ((M + D) e^(R/M) (e^((T + S)/M) - 1))."""
    found = plan(make_recipe(training={"steps": 10_000}, resilience=STATED), machine)
    assert found.reliability is not None
    stall = found.storage.checkpoint_bytes / 1e8
    useful = 5 / (121.2 * math.exp(4 / 120) * (math.exp((5 + stall) / 120) - 1))
    assert found.reliability.goodput == pytest.approx(useful)
    assert found.time.total_seconds > found.time.training_seconds / useful


@pytest.mark.parametrize(
    "unknown", ["failures_per_1000_devices_per_day", "detection_time", "restart_time", "repair_time"]
)
def test_of_a_processor_nothing_is_taken_from_fleets_of_accelerators(
    unknown: str, make_recipe: MakeRecipe, machine: Machine
) -> None:
    rest = {name: value for name, value in STATED.items() if name != unknown}
    assert plan(make_recipe(resilience=rest), machine).reliability is None


@pytest.mark.parametrize("rate", [3000.0, 1e6])
@pytest.mark.parametrize("storage", [{}, {"storage_write_bytes_per_second": "100 GB"}])
def test_a_job_that_dies_before_it_is_back_never_ends(make_recipe: MakeRecipe, rate: float, storage: Any) -> None:
    """3,000 failures of 1,024 of 1,000 devices a day are one in 28 seconds; a restart takes minutes."""
    found = cluster(make_recipe, failures_per_1000_devices_per_day=rate, **storage)
    assert found.reliability is not None
    assert found.reliability.mtbf_hours * 3600 == pytest.approx(86400 / (rate / 1000 * 1024))
    assert not found.reliability.makes_progress
    assert (found.time.total_seconds, found.cost.total_usd) == (None, None)
    assert [message.id for message in found.infeasible] == ["plan-infeasible-goodput"]
    assert verdict(found).id == "plan-verdict-impossible"
    assert found.reliability.spares.recommended_nodes < 10**9


def test_a_checkpoint_that_takes_longer_than_the_job_lives_is_no_progress(make_recipe: MakeRecipe) -> None:
    """An hour between two failures leaves time for the restart, and none for a checkpoint of two hours."""
    rate = {"failures_per_1000_devices_per_day": 24 * 1000 / 1024, "restart_time": "1min"}
    fast = cluster(make_recipe, **rate, storage_write_bytes_per_second="100 GB")
    assert fast.reliability is not None
    assert fast.reliability.makes_progress
    slow = cluster(make_recipe, **rate, storage_write_bytes_per_second=int(fast.storage.checkpoint_bytes / 7200))
    assert slow.reliability is not None
    assert not slow.reliability.makes_progress
    assert slow.time.total_seconds is None


def test_auto_saves_as_often_as_is_best(make_recipe: MakeRecipe) -> None:
    chosen = cluster(make_recipe, storage_write_bytes_per_second="10 MB")
    best = cluster(make_recipe, storage_write_bytes_per_second="10 MB", checkpoint_every="auto")
    assert chosen.reliability is not None
    assert best.reliability is not None
    assert best.reliability.checkpointing is not None
    assert best.reliability.checkpointing.work_seconds == pytest.approx(best.reliability.checkpoint_interval_seconds)
    assert best.reliability.goodput == pytest.approx(chosen.reliability.best_goodput)
    assert best.storage.checkpoint_time_share < chosen.storage.checkpoint_time_share


def test_auto_without_a_rate_is_the_default(make_recipe: MakeRecipe) -> None:
    automatic, default = cluster(make_recipe, checkpoint_every="auto"), cluster(make_recipe, checkpoint_every=60)
    assert ResilienceConfig().checkpoint_every == 60
    assert automatic.storage == default.storage


def test_the_basis_reaches_the_plan(make_recipe: MakeRecipe) -> None:
    found = cluster(make_recipe, failure_basis="same-hardware")
    assert found.reliability is not None
    assert found.reliability.source == "llama-3-405b-unexpected"
    assert found.reliability.mtbf_hours == pytest.approx(3.0930787589498805 * 16)


def test_a_written_recipe_keeps_auto(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(resilience={"checkpoint_every": "auto"})
    assert recipe.to_dict()["resilience"]["checkpoint_every"] == "auto"


def test_a_poor_interval_is_named(make_recipe: MakeRecipe) -> None:
    def warned(**resilience: Any) -> dict[str, Any] | None:
        found = cluster(make_recipe, storage_write_bytes_per_second="10 MB", **resilience)
        return {message.id: message.arguments for message in found.warnings}.get("plan-warning-checkpoint-interval")

    arguments = warned(checkpoint_every=60)
    assert arguments is not None
    assert arguments["interval_seconds"] == 60 < arguments["best_seconds"]
    assert arguments["share"] + 0.02 < arguments["best"]
    assert warned(checkpoint_every="auto") is None


def test_the_steps_are_a_topic_of_their_own(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(hardware={"accelerator": "h100-sxm-80gb", "devices": 64}, training={"global_batch_size": 64})
    found = plan(recipe)
    assert found.reliability is not None
    assert EXPLANATIONS["reliability"](recipe, found) == explain(found.reliability)
    assert explain_reliability(recipe, replace(found, reliability=None)) == ()


def test_an_interval_beyond_the_run_is_that_of_the_run(make_recipe: MakeRecipe) -> None:
    """The end is saved: an interval of 100 days of a job of days costs what a single checkpoint at its end does."""
    storage = {"storage_write_bytes_per_second": "10 GB"}
    recipe: dict[str, Any] = {
        "model": {"preset": "llama-3.1-8b"},
        "hardware": {"accelerator": "h100-sxm-80gb", "devices": 1024},
        "training": {"steps": 200_000, "sequence_length": 4096, "global_batch_size": 1024},
    }

    def planned(every: Any) -> Plan:
        return plan(make_recipe(**recipe, resilience={**storage, "checkpoint_every": every}))

    once = planned(planned("100d").time.training_seconds)
    assert once.reliability is not None
    assert 0 < once.reliability.goodput < 1  # type: ignore[operator]
    for every in ("10d", "100d"):
        found = planned(every)
        assert found.time.training_seconds < 10 * 86400
        assert found.reliability.checkpointing.work_seconds == pytest.approx(found.time.training_seconds)  # type: ignore
        assert found.time.total_seconds == pytest.approx(once.time.total_seconds)
    often = planned("1h")
    assert often.time.total_seconds < once.time.total_seconds  # type: ignore[operator]


def test_interruptions_are_counted_over_evaluations_too(make_recipe: MakeRecipe) -> None:
    """Evaluations longer than the training: the job runs, and fails, for all that time."""
    often = {"steps": 1000, "global_batch_size": 64, "evaluate_every_steps": 1, "evaluate_batches": 500}
    hardware = {"accelerator": "h100-sxm-80gb", "devices": 64}
    for storage in ({}, {"storage_write_bytes_per_second": "10 GB"}):
        found = plan(make_recipe(hardware=hardware, training=often, resilience=storage))
        assert found.reliability is not None
        assert found.time.evaluation_seconds > found.time.training_seconds
        assert found.reliability.wall_seconds == pytest.approx(found.time.total_seconds)
        mtbf_seconds = found.reliability.mtbf_hours * 3600
        assert found.reliability.expected_interruptions == pytest.approx(found.time.total_seconds / mtbf_seconds)


def test_spare_servers_are_paid_for(make_recipe: MakeRecipe) -> None:
    """Two of ten servers wait: they are rented as the others are, and draw less."""
    site = {"device_usd_per_hour": 2.0, "electricity_usd_per_kilowatt_hour": 0.1}
    hardware = {"accelerator": "h100-sxm-80gb", "devices": 64}

    def planned(**resilience: Any) -> tuple[Recipe, Plan]:
        training = {"global_batch_size": 64}
        recipe = make_recipe(hardware=hardware, training=training, site=site, resilience=resilience)
        return recipe, plan(recipe)

    # So short a repair keeps nobody waiting.
    (_, without), (recipe, found) = planned(), planned(spare_nodes=2, repair_time="1s")
    assert found.cost.hardware_usd == pytest.approx(1.25 * without.cost.hardware_usd)  # type: ignore[operator]
    assert found.carbon.embodied_kg_co2e == pytest.approx(1.25 * without.carbon.embodied_kg_co2e)  # type: ignore
    assert 1 < found.energy.facility_joules / without.energy.facility_joules < 1.25  # type: ignore[operator]
    assert found.time.total_seconds == pytest.approx(without.time.total_seconds)
    rent = next(step for step in EXPLANATIONS["cost"](recipe, found) if step.id == "explain-cost-rent")
    assert (rent.value, rent.arguments["devices"]) == (pytest.approx(found.cost.hardware_usd), 80)
    made = next(step for step in EXPLANATIONS["carbon"](recipe, found) if step.id == "explain-carbon-embodied")
    assert made.arguments["devices"] == 80


def test_too_few_spare_servers_are_told(make_recipe: MakeRecipe) -> None:
    def warned(**resilience: Any) -> dict[str, dict[str, Any]]:
        found = cluster(make_recipe, **resilience)
        messages = {message.id: dict(message.arguments) for message in found.warnings}
        return {name: arguments for name, arguments in messages.items() if name.startswith("plan-warning-spares")}

    left_open = warned()["plan-warning-spares-unknown"]
    assert (left_open["nodes"], left_open["share"] > 0.1) == (0, True)
    assert set(warned(spare_nodes=0)) == {"plan-warning-spares"}
    assert warned(spare_nodes=left_open["recommended"]) == {}


def test_too_few_spare_servers_cost_time(make_recipe: MakeRecipe) -> None:
    stored = {"storage_write_bytes_per_second": "100 GB"}
    open_, none, some = (cluster(make_recipe, spare_nodes=spares, **stored) for spares in ("auto", 0, 40))
    assert open_.reliability is not None
    assert none.reliability is not None
    assert some.reliability is not None
    assert open_.reliability.spares.waiting_share == 0
    share = none.reliability.spares.waiting_share
    assert none.reliability.goodput == pytest.approx((1 - share) * (open_.reliability.goodput or 0))
    assert none.reliability.losses is not None
    assert none.reliability.losses.waiting == share > some.reliability.spares.waiting_share > 0
    assert sum(vars(none.reliability.losses).values()) == pytest.approx(1)
    assert (none.time.total_seconds or 0) > (some.time.total_seconds or 0) > (open_.time.total_seconds or 0)
    # What stands still does not fail: as many interruptions, over a longer time.
    assert none.reliability.expected_interruptions == pytest.approx(open_.reliability.expected_interruptions)
    # Where nobody knows how long a checkpoint takes, that share is what is known to be lost.
    unknown, waits = (cluster(make_recipe, spare_nodes=spares) for spares in ("auto", 0))
    assert waits.time.total_seconds == pytest.approx((unknown.time.total_seconds or 0) / (1 - share))
