"""The explanations of memory, time and network: they add up to the plan's numbers, and their inputs give them."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from headway import catalog
from headway.catalog.trainings import published_training
from headway.i18n import Translator
from headway.machine import Machine
from headway.planning import Plan, plan
from headway.planning.explanation import Explanation
from headway.planning.explanations import explain_memory, explain_network, explain_time
from headway.recipe import Recipe, resolve_recipe
from headway.recipe.sections import LayoutConfig

MakeRecipe = Callable[..., Recipe]

JOBS: dict[str, dict[str, Any]] = {
    "sharded": {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"steps": 1000, "global_batch_size": 64},
        "hardware": {"accelerator": "h100", "devices": 16, "network": "infiniband-ndr400"},
    },
    "pipeline": {
        "model": {"preset": "llama-3.1-70b"},
        "training": {"steps": 10, "global_batch_size": 128, "weights": "master"},
        "hardware": {"accelerator": "h100", "devices": 64, "network": "infiniband-ndr400"},
        "layout": {"tensor_parallel_degree": 4, "pipeline_parallel_degree": 4, "recompute": "full"},
    },
    "interleaved": {
        "model": {"preset": "llama-3.1-70b"},
        "training": {"steps": 10, "global_batch_size": 128, "sequence_length": 8192},
        "hardware": {"accelerator": "h100", "devices": 64},
        "layout": {"pipeline_parallel_degree": 8, "virtual_pipeline_stages": 5, "context_parallel_degree": 2},
    },
    "experts": {
        "model": {"preset": "mixtral-8x7b"},
        "training": {"steps": 10, "global_batch_size": 64},
        "hardware": {"accelerator": "h100", "devices": 32, "network": "infiniband-ndr400"},
        "layout": {"expert_parallel_degree": 8},
    },
    "without sequence parallelism": published_training("bloom-176b").to_recipe(),
    "backward update": {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"steps": 10, "global_batch_size": 2, "weights": "pure", "optimizer": "adamw-in-backward"},
        "hardware": {"accelerator": "h100", "devices": 1},
    },
    "adapter": {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"steps": 10, "global_batch_size": 8, "method": "qlora"},
        "hardware": {"accelerator": "a100", "devices": 1},
    },
    "offloaded": {
        "model": {"preset": "llama-3.1-8b"},
        "training": {"steps": 10, "global_batch_size": 8, "precision": "fp8"},
        "hardware": {"accelerator": "h100", "devices": 8},
        "layout": {"offload_optimizer": True},
    },
}

LAYOUTS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "tensor": {"tensor_parallel_degree": 4, "sequence_parallel": True},
    "tensor without division of activations": {"tensor_parallel_degree": 4, "sequence_parallel": False},
    "tensor that hides": {"tensor_parallel_degree": 4, "overlap_tensor_communication": True},
    "pipeline": {"pipeline_parallel_degree": 4, "virtual_pipeline_stages": 1},
    "zero bubble": {"pipeline_parallel_degree": 4, "pipeline_schedule": "zero-bubble"},
    "zero bubble in a V": {"pipeline_parallel_degree": 4, "pipeline_schedule": "zero-bubble-v"},
    "chunks": {"pipeline_parallel_degree": 4, "virtual_pipeline_stages": 4, "micro_batch_size": 1},
    "context": {"context_parallel_degree": 4},
    "experts": {"expert_parallel_degree": 4},
    "experts that are cut": {"expert_parallel_degree": 2, "expert_tensor_parallel_degree": 2},
    "tables as layers": {"pipeline_parallel_degree": 4, "count_tables_as_layers": True, "micro_batch_size": 1},
    "copies": {"shard": "none"},
    "optimizer": {"shard": "optimizer"},
    "gradients": {"shard": "gradients"},
    "groups": {"shard": "parameters", "shard_group_size": 8, "tensor_parallel_degree": 1},
    "kept weights": {"shard": "parameters", "reshard_after_forward": False},
    "nothing again": {"recompute": "none", "micro_batch_size": 1},
    "cheap again": {"recompute": "selective", "micro_batch_size": 2},
    "products again": {"recompute": "products", "micro_batch_size": 2},
    "all again": {"recompute": "full", "micro_batch_size": 4},
    "optimizer on the host": {"offload_optimizer": True},
    "activations on the host": {"offload_activations": True, "recompute": "none", "micro_batch_size": 1},
    "all of it on the host": {"offload_activations": True, "offload_optimizer": True, "recompute": "full"},
    "stages with activations on the host": {"offload_activations": True, "pipeline_parallel_degree": 4},
    "nothing hides": {"overlap_communication": False, "shard": "parameters"},
    "everything": {
        "data_parallel_degree": 2,
        "tensor_parallel_degree": 2,
        "pipeline_parallel_degree": 4,
        "virtual_pipeline_stages": 2,
        "context_parallel_degree": 2,
        "shard": "parameters",
        "shard_group_size": 2,
        "reshard_after_forward": True,
        "micro_batch_size": 2,
        "recompute": "full",
        "offload_optimizer": True,
        "offload_activations": True,
        "sequence_parallel": True,
        "overlap_communication": False,
        "overlap_tensor_communication": True,
        "overlap_expert_communication": True,
    },
}
"""Every option of a layout that a recipe may set."""

PART_STEPS = ("parameters", "gradients", "optimizer", "activations", "logits", "communication", "reserve")


@pytest.fixture(params=list(JOBS))
def job(request: pytest.FixtureRequest) -> tuple[Recipe, Plan]:
    recipe = resolve_recipe(JOBS[request.param])
    return recipe, plan(recipe)


@pytest.fixture
def here(make_recipe: MakeRecipe, machine: Machine) -> tuple[Recipe, Plan]:
    recipe = make_recipe(training={"evaluate_every_steps": 5})
    return recipe, plan(recipe, machine)


def by_id(steps: tuple[Explanation, ...]) -> dict[str, Explanation]:
    return {step.id.removeprefix("explain-"): step for step in steps}


def inputs(step: Explanation) -> dict[str, Any]:
    return dict(step.arguments)


def texts(steps: tuple[Explanation, ...]) -> list[str]:
    translator = Translator("en")
    return [translator.text(step.id, **step.arguments) for step in steps]


def test_memory_adds_up_to_the_peak(job: tuple[Recipe, Plan]) -> None:
    recipe, found = job
    steps = by_id(explain_memory(recipe, found))
    parts = [steps[f"memory-{name}"] for name in PART_STEPS]
    assert [step.value for step in parts] == [getattr(found.memory.parts, f"{name}_bytes") for name in PART_STEPS]
    assert sum(step.value for step in parts) == pytest.approx(found.memory.device_peak_bytes, rel=1e-9)
    assert steps["memory-peak"].value == found.memory.device_peak_bytes


@pytest.mark.parametrize("model", ["llama-3.1-8b", "mixtral-8x7b"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_every_option_is_explained_as_it_is_planned(name: str, model: str) -> None:
    if name.startswith("experts") and model == "llama-3.1-8b":
        model = "qwen3-30b-a3b"
    content = {
        "model": {"preset": model},
        "training": {"steps": 10, "global_batch_size": 64, "sequence_length": 4096},
        "hardware": {"accelerator": "h100", "devices": 32, "network": "infiniband-ndr400"},
        "layout": LAYOUTS[name],
    }
    recipe = resolve_recipe(content)
    one = (recipe, plan(recipe))
    test_memory_adds_up_to_the_peak(one)
    test_the_inputs_of_memory_give_its_numbers(one)
    test_time_adds_up_to_the_step(one)
    test_the_inputs_of_time_give_its_numbers(one)
    test_the_network_adds_up_to_what_shows(one)
    test_every_step_has_a_text_and_a_source(one)
    parts = [step.arguments["part"] for step in explain_time(*one) if step.id == "explain-time-part"]
    assert len(parts) == len({text.partition(":")[0] for text in texts(explain_time(*one)) if "of the step" in text})


def test_every_option_of_a_layout_is_among_them() -> None:
    assert {setting for layout in LAYOUTS.values() for setting in layout} == set(LayoutConfig.model_fields)


def test_the_inputs_of_memory_give_its_numbers(job: tuple[Recipe, Plan]) -> None:
    recipe, found = job
    steps = by_id(explain_memory(recipe, found))
    for name in ("parameters", "gradients"):
        given = inputs(steps[f"memory-{name}"])
        assert given["own_bytes"] + given["extra_bytes"] == pytest.approx(given["bytes"])
        is_freed = given.get("freed") == "yes"
        each_device = 0.0 if is_freed else given["weights"] * given["each_bytes"] / given["group"]
        assert given["own_bytes"] == pytest.approx(min(each_device, given["bytes"]))
        assert given["extra_bytes"] >= -1e-6 * given["bytes"]
    states = inputs(steps["memory-optimizer"])
    own_bytes = states["weights"] * (states["master_bytes"] + states["moment_bytes"])
    assert states["own_bytes"] == pytest.approx(0.0 if states["place"] == "host" else own_bytes)
    assert states["own_bytes"] + states["extra_bytes"] == pytest.approx(states["bytes"])
    kept = inputs(steps["memory-activations"])
    assert kept["kept_bytes"] * kept["layers"] + kept["extra_bytes"] == pytest.approx(kept["bytes"])
    assert 0 <= kept["extra_bytes"] < kept["bytes"] or kept["moment"] == "update"
    assert kept["kept_bytes"] <= kept["full_bytes"] * (1 + 1e-9)
    reserve = inputs(steps["memory-reserve"])
    assert reserve["context_bytes"] + reserve["share"] * reserve["allocated_bytes"] == pytest.approx(reserve["bytes"])


def test_time_adds_up_to_the_step(job: tuple[Recipe, Plan]) -> None:
    recipe, found = job
    steps = explain_time(recipe, found)
    parts = [
        step
        for step in steps
        if step.id.removeprefix("explain-time-") in ("operation", "recompute", "part", "measured")
    ]
    assert sum(step.value for step in parts) == pytest.approx(found.time.step_seconds, rel=1e-6)
    named = by_id(steps)
    assert named["time-step"].value == found.time.step_seconds
    assert named["time-total"].value == found.time.total_seconds


def test_the_inputs_of_time_give_its_numbers(job: tuple[Recipe, Plan]) -> None:
    steps = explain_time(*job)
    for step in steps:
        given = inputs(step)
        if step.id.endswith("operation"):
            once = given["forward_seconds"] + given["backward_seconds"]
            assert once * given["rounds"] / given["stages"] == pytest.approx(step.value)
        if step.id.endswith("recompute"):
            assert given["once_seconds"] * given["rounds"] / given["stages"] == pytest.approx(step.value)
        if step.id.endswith(("time-rate", "memory-rate")):
            assert given["peak_rate"] * given["share"] == pytest.approx(step.value)
            assert "efficiency" in step.source
        if step.id.endswith("time-utilization"):
            done = given["tokens_per_second"] * given["flops_per_token"]
            assert done / given["devices"] / given["peak_rate"] == pytest.approx(step.value)
    done = {name: by_id(steps)[name].value for name in ("time-utilization", "time-hardware-utilization")}
    assert done["time-hardware-utilization"] >= done["time-utilization"]
    training = inputs(by_id(steps)["time-training"])
    assert training["steps"] * training["step_seconds"] == pytest.approx(training["seconds"])


def test_the_network_adds_up_to_what_shows(job: tuple[Recipe, Plan]) -> None:
    recipe, found = job
    steps = explain_network(recipe, found)
    named = by_id(steps)
    assert named["network-up"].value == pytest.approx(
        inputs(named["network-up"])["stated_rate"] * inputs(named["network-up"])["share"]
    )
    parts = [step.value for step in steps if step.id.endswith("network-part")]
    assert sum(parts) == pytest.approx(named["network-exposed"].value)
    assert named["network-exposed"].value == found.network.exposed_seconds
    sent = found.network.scale_up_bytes_per_step + found.network.scale_out_bytes_per_step
    assert named["network-traffic"].value == sent
    kinds = [step for step in steps if step.id.endswith("network-kind")]
    assert sum(step.value for step in kinds) == pytest.approx(sent)
    assert sum(inputs(step)["seconds"] for step in kinds) == pytest.approx(found.network.total_seconds)
    shown = {step.arguments["part"] for step in steps if step.id.endswith("network-part")}
    assert shown <= {step.arguments["part"] for step in kinds}
    assert found.network.exposed_seconds <= (found.network.total_seconds or 0.0)


def test_every_step_has_a_text_and_a_source(job: tuple[Recipe, Plan]) -> None:
    for steps in (explain_memory(*job), explain_time(*job), explain_network(*job)):
        assert not [text for text in texts(steps) if "{" in text or "None" in text]
        assert all(step.source for step in steps)


def test_the_rate_that_a_recipe_states_is_its_own_source() -> None:
    content = {
        **JOBS["sharded"],
        "hardware": {"accelerator": "h100", "devices": 16, "network_bytes_per_second": "50 GB"},
    }
    recipe = resolve_recipe(content)
    out = by_id(explain_network(recipe, plan(recipe)))["network-out"]
    assert out.source.startswith("the recipe")
    assert inputs(out)["network"] == "none"


@pytest.mark.parametrize(
    ("accelerator", "source"), [("h100", "ml-engineering"), ("l40s", "assumed-server-network: 100 Gb/s of AWS")]
)
def test_a_network_that_nobody_names_is_an_assumption_with_a_source(accelerator: str, source: str) -> None:
    recipe = resolve_recipe({**JOBS["sharded"], "hardware": {"accelerator": accelerator, "devices": 16}})
    steps = explain_network(recipe, plan(recipe))
    out = by_id(steps)["network-out"]
    assert out.arguments["is_assumed"] == "yes"
    assert source in out.source
    assert any("Assumed is what such servers usually have" in text for text in texts(steps))


def test_processors_are_explained_too(here: tuple[Recipe, Plan]) -> None:
    recipe, found = here
    steps = explain_memory(recipe, found)
    assert sum(step.value for step in steps[:-1]) == pytest.approx(found.memory.device_peak_bytes, rel=1e-9)
    assert all(value >= 0 for step in steps for value in inputs(step).values() if isinstance(value, float))
    times = explain_time(recipe, found)
    parts = [step.value for step in times if step.id.endswith("measured")]
    assert sum(parts) == pytest.approx(found.time.step_seconds)
    for text in (*texts(steps), *texts(times), *texts(explain_network(recipe, found))):
        assert "{" not in text


@pytest.mark.parametrize(
    ("network", "stated_rate", "source"),
    [
        ({}, 1.25e9, "assumed-processor-network: 10 Gb/s"),
        ({"network": "roce-400gbe"}, 50e9, catalog.network("roce-400gbe").source),
        ({"network_bytes_per_second": 1e9}, 1e9, "the recipe"),
    ],
)
def test_the_network_between_processors_is_explained(
    make_recipe: MakeRecipe, machine: Machine, network: dict[str, Any], stated_rate: float, source: str
) -> None:
    recipe = make_recipe(hardware={"accelerator": "cpu", "devices": 2, **network})
    found = plan(recipe, machine)
    steps = explain_network(recipe, found)
    rate = by_id(steps)["network-processors"]
    assert inputs(rate)["stated_rate"] == stated_rate
    assert rate.source.startswith(source)
    assert inputs(rate)["is_assumed"] == ("no" if network else "yes")
    assert found.network.total_seconds == pytest.approx(found.network.scale_out_bytes_per_step / rate.value)
    assert ("Assumed is a slow one" in texts(steps)[0]) == (not network)


def test_a_run_that_never_ends_has_no_total(job: tuple[Recipe, Plan]) -> None:
    recipe, found = job
    endless = replace(found, time=replace(found.time, total_seconds=None))
    assert "time-total" in by_id(explain_time(recipe, found))
    assert "time-total" not in by_id(explain_time(recipe, endless))


def test_gradients_that_are_freed_are_not_counted_out() -> None:
    recipe = resolve_recipe(JOBS["backward update"])
    step = next(one for one in explain_memory(recipe, plan(recipe)) if one.id == "explain-memory-gradients")
    told = Translator("en").text(step.id, **step.arguments)
    assert " = 0 B" not in told
    assert "8.03B as soon as it exists" in told


def test_each_rate_is_of_its_own_format_and_each_line_of_its_own_operation() -> None:
    """A mixture in fp8: attention is in bf16, and what waits for the host is no norm."""
    recipe = resolve_recipe(
        {
            "model": {"preset": "mixtral-8x7b"},
            "training": {"steps": 10, "global_batch_size": 64, "precision": "fp8"},
            "hardware": {"accelerator": "h100", "devices": 64},
        }
    )
    steps = explain_time(recipe, plan(recipe))
    rate = next(one for one in steps if one.id == "explain-time-attention-rate")
    assert (rate.arguments["precision"], rate.arguments["peak_rate"]) == ("bf16", 989e12)
    told = [Translator("en").text(one.id, **one.arguments) for one in steps if one.id == "explain-time-operation"]
    assert len({text.partition(":")[0] for text in told}) == len(told)
    waits = next(text for text in told if text.startswith("Dispatch"))
    assert "memory traffic" not in waits
