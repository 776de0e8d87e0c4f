from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from headway.errors import PlanError
from headway.machine import Machine
from headway.planning.choice import Choice
from headway.planning.device import processors
from headway.planning.processors import choose_on_processors
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def choose(recipe: Recipe, machine: Machine) -> Choice:
    return choose_on_processors(recipe, processors(recipe, machine))


def several(make_recipe: MakeRecipe, **sections: dict[str, object]) -> Recipe:
    hardware = {"accelerator": "cpu", "devices": 4, "network_bytes_per_second": "1 MB"}
    return make_recipe(hardware=hardware, **sections)


def test_the_fastest_that_fits_is_chosen(make_recipe: MakeRecipe, machine: Machine) -> None:
    chosen = choose(make_recipe(), machine)
    assert chosen.layout.gradient_accumulation_steps * chosen.layout.micro_batch_size == 16
    others = [other.step_seconds for other in chosen.alternatives]
    assert others
    assert others == sorted(others)
    assert min(others) >= chosen.step_seconds
    assert sum(chosen.parts_seconds.values()) == chosen.step_seconds


def test_what_fits_is_not_sharded(make_recipe: MakeRecipe, machine: Machine) -> None:
    chosen = choose(several(make_recipe), machine)
    assert (chosen.layout.data_parallel_degree, chosen.layout.shard) == (4, "none")
    assert "communication_seconds" in chosen.parts_seconds


def test_states_are_sharded_where_one_server_is_too_small(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = several(make_recipe, model={"preset": "llama-3.2-1b"}, training={"sequence_length": 128})
    assert choose(recipe, machine).layout.shard != "none"


def test_nothing_fits(make_recipe: MakeRecipe, machine: Machine) -> None:
    small = replace(machine.inventory.memory, total_bytes=2**20)
    chosen = choose(make_recipe(), replace(machine, inventory=replace(machine.inventory, memory=small)))
    assert chosen.memory.fits is False
    assert chosen.layout.micro_batch_size == 1
    assert all(other.fits is False for other in chosen.alternatives)


def test_the_recipe_decides(make_recipe: MakeRecipe, machine: Machine) -> None:
    found = choose(several(make_recipe, layout={"micro_batch_size": 2, "shard": "gradients"}), machine)
    assert (found.layout.micro_batch_size, found.layout.shard) == (2, "gradients")
    assert found.layout.gradient_accumulation_steps == 2


def test_conversations_need_the_mask_of_documents(make_recipe: MakeRecipe, machine: Machine) -> None:
    def peak_bytes(**data: Any) -> float:
        recipe = make_recipe(data=data, layout={"micro_batch_size": 2})
        return choose(recipe, machine).memory.device_peak_bytes

    masked = peak_bytes(attention_within_documents=True)
    assert peak_bytes(format="chat") == masked > peak_bytes()


def test_few_tokens_at_once(make_recipe: MakeRecipe, machine: Machine) -> None:
    large = make_recipe(training={"global_batch_size": 1024})
    assert choose(large, machine).layout.micro_batch_size * 256 <= 8192
    asked = make_recipe(training={"global_batch_size": 64}, layout={"micro_batch_size": 64})
    assert choose(asked, machine).layout.micro_batch_size == 64


@pytest.mark.parametrize(
    ("section", "field"),
    [
        ({"layout": {"tensor_parallel_degree": 2}}, "layout.tensor_parallel_degree"),
        ({"layout": {"pipeline_parallel_degree": 2}}, "layout.pipeline_parallel_degree"),
        ({"layout": {"virtual_pipeline_stages": 2}}, "layout.virtual_pipeline_stages"),
        ({"layout": {"context_parallel_degree": 2}}, "layout.context_parallel_degree"),
        ({"layout": {"expert_parallel_degree": 2}}, "layout.expert_parallel_degree"),
        ({"layout": {"offload_optimizer": True}}, "layout.offload_optimizer"),
        ({"layout": {"offload_activations": True}}, "layout.offload_activations"),
        ({"layout": {"sequence_parallel": True}}, "layout.sequence_parallel"),
        ({"layout": {"overlap_tensor_communication": True}}, "layout.overlap_tensor_communication"),
        ({"layout": {"overlap_expert_communication": True}}, "layout.overlap_expert_communication"),
        ({"layout": {"data_parallel_degree": 2}}, "layout.data_parallel_degree"),
        ({"training": {"precision": "fp8"}}, "training.precision"),
        ({"training": {"software": "megatron"}}, "training.software"),
        ({"training": {"dropout": 0.1}}, "training.dropout"),
    ],
)
def test_splits_that_processors_do_not_do(
    make_recipe: MakeRecipe, machine: Machine, section: dict[str, dict[str, object]], field: str
) -> None:
    with pytest.raises(PlanError) as caught:
        choose(several(make_recipe, **section), machine)
    kind = "layout" if field.startswith("layout.") else "setting"
    assert caught.value.message_id == f"plan-{kind}-unsupported"
    assert caught.value.arguments["field"] == field


def test_the_batch_must_divide(make_recipe: MakeRecipe, machine: Machine) -> None:
    with pytest.raises(PlanError) as caught:
        choose(several(make_recipe, training={"global_batch_size": 6}), machine)
    assert caught.value.arguments == {"global_batch_size": 6, "devices": 4, "lower": 4, "upper": 8}
    with pytest.raises(PlanError) as caught:
        choose(several(make_recipe, training={"global_batch_size": 12}, layout={"micro_batch_size": 2}), machine)
    assert caught.value.message_id == "plan-micro-batch-not-divisible"
    assert caught.value.arguments == {"micro_batch_size": 2, "per_device": 3}
