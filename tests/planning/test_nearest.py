import pickle
from dataclasses import replace
from typing import Any

import pytest

from headway.errors import PlanError
from headway.i18n import Translator
from headway.planning import Plan, plan
from headway.planning.message import Message
from headway.planning.nearest import LayoutError, nearest_fits
from headway.planning.verdict import first_change, verdict
from headway.recipe import Recipe, resolve_recipe


def changed(recipe: Recipe, **sections: dict[str, Any]) -> Recipe:
    content = recipe.to_dict()
    return resolve_recipe({**content, **{name: {**content[name], **each} for name, each in sections.items()}})


def recipe_of(devices: int = 64, batch: int = 64, layout: dict[str, Any] | None = None, **training: Any) -> Recipe:
    return resolve_recipe(
        {
            "model": {"preset": "llama-3.1-70b"},
            "training": {"steps": 10, "global_batch_size": batch, "sequence_length": 4096, **training},
            "hardware": {"accelerator": "h100", "devices": devices},
            "layout": layout or {},
        }
    )


def problems_of(recipe: Recipe) -> dict[str, str]:
    with pytest.raises(LayoutError) as raised:
        plan(recipe)
    assert len(raised.value.to_dict()["error"]["problems"]) == len(raised.value.problems)
    return {problem.arguments["field"]: problem.arguments["nearest"] for problem in raised.value.problems}


def test_each_failing_field_names_the_nearest_values_that_do() -> None:
    assert problems_of(recipe_of(layout={"tensor_parallel_degree": 7})) == {"layout.tensor_parallel_degree": "4, 8"}
    found = problems_of(recipe_of(layout={"tensor_parallel_degree": 8, "pipeline_parallel_degree": 3}))
    assert found == {"layout.pipeline_parallel_degree": "2, 4", "hardware.devices": "48"}
    found = problems_of(recipe_of(layout={"tensor_parallel_degree": 8, "data_parallel_degree": 3}, batch=96))
    assert found["layout.data_parallel_degree"].startswith("2")


@pytest.mark.parametrize(
    ("rule", "field", "nearest", "layout"),
    [
        ("layers", "virtual_pipeline_stages", "10", {"pipeline_parallel_degree": 8, "virtual_pipeline_stages": 100}),
        ("layers", "virtual_pipeline_stages", "2, 5", {"pipeline_parallel_degree": 8, "virtual_pipeline_stages": 4}),
        ("experts", "expert_parallel_degree", "1", {"expert_parallel_degree": 4}),
        ("group", "shard", "optimizer, gradients, parameters", {"shard": "none", "shard_group_size": 8}),
        ("group", "shard_group_size", "2", {"shard": "parameters", "shard_group_size": 1}),
        ("split", "sequence_parallel", "false", {"sequence_parallel": True, "tensor_parallel_degree": 1}),
        ("heads", "tensor_parallel_degree", "4, 8", {"tensor_parallel_degree": 7}),
        ("sequence", "context_parallel_degree", "512", {"context_parallel_degree": 4096, "tensor_parallel_degree": 8}),
    ],
)
def test_each_names_the_rule_that_it_breaks(rule: str, field: str, nearest: str, layout: dict[str, Any]) -> None:
    devices = 32768 if rule == "sequence" else 64
    with pytest.raises(LayoutError) as raised:
        plan(recipe_of(devices=devices, layout=layout, software="megatron"))
    found = {problem.arguments["field"]: problem.arguments for problem in raised.value.problems}
    assert found[f"layout.{field}"]["rule"] == rule
    assert found[f"layout.{field}"]["nearest"] == nearest


@pytest.mark.parametrize("field", ["tensor_parallel_degree", "pipeline_parallel_degree"])
def test_the_named_values_are_possible(field: str) -> None:
    for value in problems_of(recipe_of(layout={field: 3}))[f"layout.{field}"].split(", "):
        made = plan(recipe_of(layout={field: int(value)}))
        assert getattr(made.layout, field) == int(value)


@pytest.mark.parametrize(
    ("software", "layout", "problems"),
    [
        ("transformers", {"pipeline_parallel_degree": 2}, {"pipeline_parallel_degree": "1"}),
        ("litgpt", {"tensor_parallel_degree": 8}, {"tensor_parallel_degree": "1"}),
        ("litgpt", {"context_parallel_degree": 2}, {"context_parallel_degree": "1"}),
        ("nanotron", {"pipeline_parallel_degree": 8, "virtual_pipeline_stages": 2}, {"virtual_pipeline_stages": "1"}),
        (
            "deepspeed",
            {"pipeline_parallel_degree": 2, "shard": "gradients"},
            {"pipeline_parallel_degree": "1", "shard": "none, optimizer"},
        ),
    ],
)
def test_a_split_that_the_program_has_not_is_refused(
    software: str, layout: dict[str, Any], problems: dict[str, str]
) -> None:
    with pytest.raises(LayoutError) as raised:
        plan(recipe_of(layout=layout, software=software))
    found = {problem.arguments["field"]: problem.arguments for problem in raised.value.problems}
    for field, nearest in problems.items():
        assert found[f"layout.{field}"]["rule"] == "refused"
        assert found[f"layout.{field}"]["nearest"] == nearest


def test_an_update_in_the_backward_pass_names_its_micro_batch() -> None:
    recipe = resolve_recipe(
        {
            "model": {"preset": "llama-3.1-8b"},
            "training": {"steps": 10, "global_batch_size": 64, "optimizer": "adamw-in-backward"},
            "hardware": {"accelerator": "h100", "devices": 8},
            "layout": {"micro_batch_size": 1, "tensor_parallel_degree": 1},
        }
    )
    with pytest.raises(LayoutError) as raised:
        plan(recipe)
    (problem,) = raised.value.problems
    assert problem.arguments["field"] == "layout.micro_batch_size"
    assert (problem.arguments["rule"], problem.arguments["nearest"]) == ("update", "8")


def test_the_batch_and_the_devices_are_named_where_they_are_what_fails() -> None:
    layout = {"tensor_parallel_degree": 1, "pipeline_parallel_degree": 1, "context_parallel_degree": 1}
    found = problems_of(recipe_of(devices=24, batch=100, layout=layout))
    assert found["training.global_batch_size"] == "96, 120"
    for size in (96, 120):
        assert plan(recipe_of(devices=24, batch=size, layout=layout)).layout.data_parallel_degree == 24


def test_the_error_survives_pickling() -> None:
    with pytest.raises(LayoutError) as raised:
        plan(recipe_of(layout={"tensor_parallel_degree": 7}))
    again = pickle.loads(pickle.dumps(raised.value))
    assert (again.message_id, again.arguments) == (raised.value.message_id, raised.value.arguments)
    assert [str(one) for one in again.problems] == [str(one) for one in raised.value.problems]


@pytest.fixture
def unfit() -> tuple[Recipe, Plan]:
    recipe = recipe_of(devices=8, layout={"tensor_parallel_degree": 1, "shard": "none"})
    return recipe, plan(recipe)


def test_what_would_make_it_fit_does(unfit: tuple[Recipe, Plan]) -> None:
    recipe, made = unfit
    assert not made.memory.fits
    found = {message.id: message.arguments for message in nearest_fits(recipe, made, plan)}
    devices = int(found["plan-nearest-devices"]["devices"])
    assert plan(recipe_of(devices=devices)).memory.fits
    assert not plan(recipe_of(devices=devices // 2)).memory.fits


def test_a_layout_that_is_asked_for_may_be_all_that_is_wrong() -> None:
    recipe = recipe_of(devices=64, layout={"shard": "none", "tensor_parallel_degree": 1, "pipeline_parallel_degree": 1})
    made = plan(recipe)
    assert not made.memory.fits
    assert nearest_fits(recipe, made, plan)[0].id == "plan-nearest-layout"


def test_what_cannot_be_planned_is_no_near_recipe(unfit: tuple[Recipe, Plan]) -> None:
    def refuse(_recipe: Recipe) -> Plan:
        raise PlanError("plan-cpu-not-measured")

    assert nearest_fits(*unfit, refuse) == ()


def test_what_fits_needs_nothing() -> None:
    recipe = recipe_of()
    made = plan(recipe)
    assert nearest_fits(recipe, made, plan) == ()
    assert verdict(made).id == "plan-verdict-runs"
    assert verdict(made).arguments["devices"] == 64
    assert first_change(replace(made, warnings=())) is None


def test_the_verdict_tells_what_is_not_known(unfit: tuple[Recipe, Plan]) -> None:
    made = plan(recipe_of())
    partial = replace(made, cost=replace(made.cost, total_usd=None, known_usd=5.0))
    assert (verdict(partial).arguments["price"], verdict(partial).arguments["usd"]) == ("least", 5.0)
    unpriced = replace(made.cost, total_usd=None, known_usd=None)
    unknown = replace(made, memory=replace(made.memory, fits=None), reliability=None, cost=unpriced)
    found = verdict(unknown)
    assert found.id == "plan-verdict-unknown"
    assert (found.arguments["price"], found.arguments["failures"]) == ("unknown", "unknown")
    impossible = verdict(unfit[1])
    assert impossible.id == "plan-verdict-impossible"
    assert impossible.arguments["count"] == len(unfit[1].infeasible)
    assert first_change(unfit[1]) == unfit[1].infeasible[0]


def said(name: str, **arguments: float) -> Message:
    return Message(id=f"plan-warning-{name}", arguments=dict(arguments))


@pytest.mark.parametrize(
    ("warnings", "first"),
    [
        # Nearly all of each step is lost to the network, and the memory may just be too small.
        ([said("memory-tight", share=0.93), said("network-exposed", share=0.98)], "network-exposed"),
        ([said("memory-tight", share=1.05), said("network-exposed", share=0.2)], "memory-tight"),
        ([said("network-exposed", share=0.3), said("checkpoint-slow", share=0.4)], "checkpoint-slow"),
        ([said("network-exposed", share=0.3), said("checkpoint-interval", share=0.2, best=0.8)], "checkpoint-interval"),
        ([said("data-slow", ratio=4.0), said("network-exposed", share=0.7)], "data-slow"),
        ([said("start-price", now=10.0, best=9.0), said("start-carbon", now=10.0, best=5.0)], "start-carbon"),
        ([said("network-exposed", share=0.9), said("budget-usd", limit=1.0, value=2.0)], "budget-usd"),
        ([said("many-epochs", epochs=5.0), said("network-exposed", share=0.11)], "network-exposed"),
        ([said("network-assumed", rate=1.0), said("many-epochs", epochs=5.0)], "network-assumed"),
    ],
)
def test_what_loses_most_is_changed_first(warnings: list[Message], first: str) -> None:
    found = first_change(replace(plan(recipe_of()), warnings=tuple(warnings)))
    assert found is not None
    assert found.id == f"plan-warning-{first}"


def told_of(recipe: Recipe) -> dict[str, dict[str, Any]]:
    return {one.id: dict(one.arguments) for one in nearest_fits(recipe, plan(recipe), plan)}


def test_where_no_devices_suffice_the_largest_size_that_fits_is_told() -> None:
    """A hundred million tokens: the first and the last stage have a table each that no layout divides enough."""
    recipe = changed(recipe_of(devices=8, batch=32), model={"vocab_size": 10**8, "num_hidden_layers": 8})
    (told,) = nearest_fits(recipe, plan(recipe), plan)
    assert (told.id, told.arguments["field"]) == ("plan-nearest-size", "model.vocab_size")
    size = int(told.arguments["value"])
    fitting = plan(changed(recipe, model={"vocab_size": size}))
    assert fitting.memory.fits
    assert not plan(changed(recipe, model={"vocab_size": int(1.06 * size)})).memory.fits


def test_one_with_more_memory_is_told_where_more_devices_do_not_help() -> None:
    """One layer of one head and one sequence: nothing is left to divide among more devices."""
    single = {"num_hidden_layers": 1, "num_attention_heads": 1, "num_key_value_heads": 1, "head_dim": 8192}
    recipe = changed(recipe_of(devices=1, batch=1), model={**single, "intermediate_size": 90_001})
    told = told_of(recipe)
    assert "plan-nearest-devices" not in told
    named = told["plan-nearest-accelerator"]["accelerator"]
    assert plan(changed(recipe, hardware={"accelerator": named})).memory.fits
    assert "{" not in Translator("en").text("plan-nearest-accelerator", accelerator=named)


def test_where_neither_suffices_alone_both_are_told() -> None:
    recipe = changed(recipe_of(devices=8, batch=32), model={"vocab_size": 10**8})
    (told,) = nearest_fits(recipe, plan(recipe), plan)
    assert (told.id, told.arguments["field"]) == ("plan-nearest-both", "model.vocab_size")
    devices, size = int(told.arguments["devices"]), int(told.arguments["value"])
    assert not plan(changed(recipe, model={"vocab_size": size})).memory.fits
    assert plan(changed(recipe, model={"vocab_size": size}, hardware={"devices": devices})).memory.fits
