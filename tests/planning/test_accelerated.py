from collections.abc import Callable
from typing import Any

import pytest

from headway.errors import PlanError
from headway.planning.accelerated import choose_on_accelerators, hardware_of, job_of, wishes_of
from headway.planning.analytic.intervals import memory_spread
from headway.planning.choice import Choice
from headway.recipe import Recipe

MakeRecipe = Callable[..., Recipe]


def llama(make_recipe: MakeRecipe, **sections: dict[str, Any]) -> Recipe:
    training = {"global_batch_size": 128, "sequence_length": 4096, **sections.pop("training", {})}
    hardware = {"accelerator": "h100", "devices": 8, **sections.pop("hardware", {})}
    return make_recipe(model={"preset": "llama-3.1-8b"}, training=training, hardware=hardware, **sections)


def choose(recipe: Recipe) -> Choice:
    return choose_on_accelerators(recipe, recipe.hardware.accelerator)


def test_a_recipe_as_a_job(make_recipe: MakeRecipe) -> None:
    plain = job_of(llama(make_recipe))
    assert (plain.kernels, plain.attention, plain.loss, plain.adapter) == ("eager", "fused", "chunked", None)
    assert (plain.numerics.weight_bytes, plain.numerics.value_bytes) == (4, 2)
    quantized = job_of(llama(make_recipe, training={"method": "qlora", "adapter_rank": 8, "compile": True}))
    assert quantized.kernels == "fused"
    assert quantized.adapter is not None
    assert (quantized.adapter.rank, quantized.adapter.expands) == (8, True)
    assert 0.5 < quantized.adapter.base_bytes < 0.53


def test_a_recipe_as_hardware_and_wishes(make_recipe: MakeRecipe) -> None:
    recipe = llama(
        make_recipe,
        hardware={"devices": 64, "network": "infiniband-ndr400", "network_bytes_per_second": "10 GB"},
        layout={"tensor_parallel_degree": 2, "shard": "optimizer"},
    )
    # What is stated wins over the catalogue.
    assert hardware_of(recipe, "h100").out_bytes_per_second == 10e9
    wishes = wishes_of(recipe)
    assert (wishes.tensor, wishes.shard, wishes.pipeline, wishes.micro_batch) == (2, "optimizer", None, None)


def test_wishes_are_granted(make_recipe: MakeRecipe) -> None:
    layout = {
        "tensor_parallel_degree": 2,
        "pipeline_parallel_degree": 2,
        "virtual_pipeline_stages": 2,
        "micro_batch_size": 1,
        "recompute": "full",
        "shard": "optimizer",
    }
    found = choose(llama(make_recipe, layout=layout)).layout
    assert (found.tensor_parallel_degree, found.pipeline_parallel_degree, found.virtual_pipeline_stages) == (2, 2, 2)
    assert (found.data_parallel_degree, found.micro_batch_size, found.recompute, found.shard) == (
        *(2, 1, "full", "optimizer"),
    )
    assert found.gradient_accumulation_steps == 64


def test_the_choice_fits_and_nothing_simple_is_much_faster(make_recipe: MakeRecipe) -> None:
    chosen = choose(llama(make_recipe))
    assert chosen.memory.fits is True
    assert chosen.considered > 100
    assert chosen.alternatives
    assert all(other.step_seconds > 0.9 * chosen.step_seconds for other in chosen.alternatives)
    assert chosen.removed["memory"] > 0


def test_a_layout_that_surely_fits_is_preferred(make_recipe: MakeRecipe) -> None:
    recipe = llama(make_recipe)
    chosen = choose(recipe)
    _, high = memory_spread(job_of(recipe))
    assert chosen.memory.device_capacity_bytes is not None
    assert high * chosen.memory.device_peak_bytes <= chosen.memory.device_capacity_bytes


def test_fp32_is_as_slow_as_the_device_states_and_tf32_holds_as_much(make_recipe: MakeRecipe) -> None:
    """67 TFLOP/s beside 494.5 on an H100, from the same arrays."""
    plain, rounding = (
        choose_on_accelerators(
            make_recipe(
                model={"preset": "llama-3.1-8b"},
                training={"precision": precision},
                hardware={"accelerator": "h100", "devices": 8},
                layout={
                    "data_parallel_degree": 8,
                    "micro_batch_size": 1,
                    "recompute": "full",
                    "shard": "parameters",
                    "reshard_after_forward": True,
                },
            ),
            "h100",
        )
        for precision in ("fp32", "tf32")
    )
    assert (plain.peak_flops_per_second, rounding.peak_flops_per_second) == (67e12, 494.5e12)
    assert plain.memory == rounding.memory
    # Norms and gates take the memory's time in either.
    computing = [choice.parts_seconds["compute_seconds"] for choice in (plain, rounding)]
    assert 4 < computing[0] / computing[1] < 494.5 / 67


def test_what_fits_nowhere_is_as_lean_as_can_be(make_recipe: MakeRecipe) -> None:
    found = choose(
        make_recipe(model={"preset": "llama-3.1-405b"}, hardware={"accelerator": "h100"}, training={"steps": 1})
    )
    assert found.memory.fits is False
    assert found.memory.device_peak_bytes > 16 * 405e9
    assert found.alternatives == ()


def test_experts_are_divided(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(
        model={"preset": "mixtral-8x7b"},
        training={"sequence_length": 4096, "global_batch_size": 128, "weights": "master", "compile": True},
        hardware={"accelerator": "h100", "devices": 32, "network": "infiniband-ndr400"},
    )
    found = choose(recipe)
    assert found.memory.fits is True
    assert 8 % found.layout.expert_parallel_degree == 0


def test_nothing_keeps_the_rules(make_recipe: MakeRecipe) -> None:
    with pytest.raises(PlanError) as caught:
        choose(llama(make_recipe, layout={"tensor_parallel_degree": 3}))
    assert caught.value.message_id == "plan-layout-impossible"
    with pytest.raises(PlanError) as caught:
        choose(llama(make_recipe, layout={"shard_group_size": 3}))
    assert caught.value.message_id == "plan-layout-impossible"


def test_a_network_that_is_not_named_is_assumed_as_usual(make_recipe: MakeRecipe) -> None:
    unnamed, roce = (
        choose(llama(make_recipe, hardware={"devices": 64, **network})) for network in ({}, {"network": "roce-400gbe"})
    )
    assert unnamed.network.assumed_bytes_per_second == 50e9
    assert roce.network.assumed_bytes_per_second is None
    # What is assumed is never better than what is usual.
    assert unnamed.step_seconds == pytest.approx(roce.step_seconds)
    assert choose(llama(make_recipe)).network.assumed_bytes_per_second is None


def test_a_plan_at_the_required_rate_and_at_half_of_it(make_recipe: MakeRecipe) -> None:
    layout = {"shard": "parameters", "shard_group_size": 8, "micro_batch_size": 2, "tensor_parallel_degree": 1}
    rest = {"pipeline_parallel_degree": 1, "context_parallel_degree": 1, "recompute": "full"}

    def at(rate: float) -> Choice:
        hardware = {"devices": 64, "network_bytes_per_second": rate}
        return choose(llama(make_recipe, hardware=hardware, layout={**layout, **rest}))

    # Parameters are sharded in each server, and gradients averaged between servers: not nothing.
    fast = at(1e12)
    assert fast.network.scale_out_bytes_per_step > 1e9
    rate = fast.network.required_bytes_per_second
    assert rate is not None
    best = at(1e15).step_seconds
    assert at(rate).step_seconds == pytest.approx(1.01 * best, rel=1e-3)
    assert at(rate / 2).step_seconds > 1.015 * best


def test_nothing_crosses_servers_at_one_byte_a_second(make_recipe: MakeRecipe) -> None:
    layout = {"tensor_parallel_degree": 4, "pipeline_parallel_degree": 16, "context_parallel_degree": 1}
    hardware = {"devices": 64, "network_bytes_per_second": 1.0}
    assert choose(llama(make_recipe, hardware=hardware, layout=layout)).step_seconds > 1e6
