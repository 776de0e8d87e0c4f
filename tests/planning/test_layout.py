from collections.abc import Callable

import pytest

from headway.errors import PlanError
from headway.machine import Machine
from headway.planning.device import resolve_device
from headway.planning.layout import SHARDS, Candidate, choose_layout
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def llama(make_recipe: MakeRecipe, **sections: dict[str, object]) -> Recipe:
    hardware = {"accelerator": "h100", "devices": 8, **sections.pop("hardware", {})}
    training = {"global_batch_size": 64, "sequence_length": 4096, **sections.pop("training", {})}
    return make_recipe(model={"preset": "llama-3.1-8b"}, hardware=hardware, training=training, **sections)


def choose(recipe: Recipe, machine: Machine | None = None) -> Candidate:
    return choose_layout(recipe, resolve_device(recipe, machine))[0]


def test_states_are_sharded_where_one_device_is_too_small(make_recipe: MakeRecipe) -> None:
    found = choose(llama(make_recipe))
    assert found.layout.data_parallel_degree == 8
    assert found.layout.shard != "none"
    assert found.memory.fits is True


def test_what_fits_is_not_sharded(make_recipe: MakeRecipe) -> None:
    found = choose(make_recipe(hardware={"accelerator": "h100", "devices": 8}))
    assert found.layout.shard == "none"


def test_more_sharding_is_not_taken_for_speed_alone(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(hardware={"accelerator": "h100", "devices": 8})
    chosen, others = choose_layout(recipe, resolve_device(recipe, None))
    # Each device updates an eighth of the weights where their moments are sharded.
    assert any(other.fits and other.step_seconds < chosen.step_seconds for other in others)
    assert all(SHARDS.index(chosen.layout.shard) <= SHARDS.index(other.shard) for other in others)


def test_the_fastest_that_fits_is_chosen(make_recipe: MakeRecipe, machine: Machine) -> None:
    recipe = make_recipe()
    device = resolve_device(recipe, machine)
    chosen, others = choose_layout(recipe, device)
    assert chosen.layout.gradient_accumulation_steps * chosen.layout.micro_batch_size == 16
    assert others
    assert all(other.step_seconds >= chosen.step_seconds for other in others)
    assert [other.step_seconds for other in others] == sorted(other.step_seconds for other in others)


def test_nothing_fits(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(
        model={"preset": "llama-3.1-405b"}, hardware={"accelerator": "h100"}, training={"sequence_length": 8192}
    )
    chosen, others = choose_layout(recipe, resolve_device(recipe, None))
    assert chosen.memory.fits is False
    assert chosen.layout.micro_batch_size == 1
    assert all(other.fits is False for other in others)


def test_the_recipe_decides(make_recipe: MakeRecipe) -> None:
    found = choose(llama(make_recipe, layout={"micro_batch_size": 4, "shard": "gradients"}))
    assert (found.layout.micro_batch_size, found.layout.shard) == (4, "gradients")
    assert found.layout.gradient_accumulation_steps == 2


def test_a_processor_takes_few_tokens_at_once(make_recipe: MakeRecipe, machine: Machine) -> None:
    large = make_recipe(training={"global_batch_size": 1024})
    assert choose(large, machine).layout.micro_batch_size * 256 <= 8192
    asked = make_recipe(training={"global_batch_size": 64}, layout={"micro_batch_size": 64})
    assert choose(asked, machine).layout.micro_batch_size == 64


@pytest.mark.parametrize(
    ("layout", "field"),
    [
        ({"tensor_parallel_degree": 2}, "layout.tensor_parallel_degree"),
        ({"pipeline_parallel_degree": 2}, "layout.pipeline_parallel_degree"),
        ({"context_parallel_degree": 2}, "layout.context_parallel_degree"),
        ({"expert_parallel_degree": 2}, "layout.expert_parallel_degree"),
        ({"recompute": "full"}, "layout.recompute"),
        ({"data_parallel_degree": 4}, "layout.data_parallel_degree"),
    ],
)
def test_splits_that_are_not_supported_yet(make_recipe: MakeRecipe, layout: dict[str, object], field: str) -> None:
    with pytest.raises(PlanError) as caught:
        choose(llama(make_recipe, layout=layout))
    assert caught.value.message_id == "plan-layout-unsupported"
    assert caught.value.arguments["field"] == field


def test_auto_degrees_are_one(make_recipe: MakeRecipe) -> None:
    found = choose(llama(make_recipe, layout={"tensor_parallel_degree": "auto", "recompute": "auto"}))
    assert (found.layout.tensor_parallel_degree, found.layout.recompute) == (1, "none")


def test_the_batch_must_divide(make_recipe: MakeRecipe) -> None:
    with pytest.raises(PlanError) as caught:
        choose(llama(make_recipe, training={"global_batch_size": 12}))
    assert caught.value.arguments == {"global_batch_size": 12, "devices": 8, "lower": 8, "upper": 16}
    with pytest.raises(PlanError) as caught:
        choose(llama(make_recipe, training={"global_batch_size": 24}, layout={"micro_batch_size": 2}))
    assert caught.value.message_id == "plan-micro-batch-not-divisible"
    assert caught.value.arguments == {"micro_batch_size": 2, "per_device": 3}
