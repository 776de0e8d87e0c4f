from collections.abc import Callable

import pytest

from headway import catalog
from headway.errors import PlanError
from headway.planning.analytic.layouts import SHARDS, layouts
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.traffic import step_traffic
from headway.planning.network import bytes_sent, devices_per_node, network_rate, plan_network
from headway.planning.parameters import count_parameters
from headway.recipe import Recipe
from tests.planning.analytic.invented import job, llama, machines

MakeRecipe = Callable[..., Recipe]
H100 = catalog.accelerator("h100")


def cluster(make_recipe: MakeRecipe, devices: int, **hardware: object) -> Recipe:
    return make_recipe(
        model={"preset": "llama-3.1-8b"},
        training={"global_batch_size": devices},
        hardware={"accelerator": "h100", "devices": devices, **hardware},
    )


def test_volumes_by_hand() -> None:
    assert bytes_sent(1000, 1, "none", "bf16", 1) == 0
    # A ring all-reduce sends 2 (n - 1) / n of the fp32 gradients.
    assert bytes_sent(1000, 4, "none", "bf16", 1) == 2 * 0.75 * 4000
    assert bytes_sent(1000, 4, "gradients", "bf16", 1) == 0.75 * 8000
    # Divided gradients are scattered for each micro-batch, and weights come back once; divided moments wait for sums.
    assert bytes_sent(1000, 4, "gradients", "bf16", 3) == 0.75 * (3 * 4000 + 4000)
    assert bytes_sent(1000, 4, "optimizer", "bf16", 3) == 0.75 * 8000
    # Weights are gathered twice in bf16 and gradients scattered once in fp32, for each micro-batch.
    assert bytes_sent(1000, 4, "parameters", "bf16", 3) == 3 * 0.75 * (2 * 2000 + 4000)


def servers(make_recipe: MakeRecipe, **hardware: object) -> Recipe:
    return make_recipe(hardware={"accelerator": "cpu", "devices": 2, **hardware})


def test_one_device_sends_nothing(make_recipe: MakeRecipe) -> None:
    found = plan_network(servers(make_recipe), 0.0, degree=1, overlap_seconds=1.0)
    assert (found.scale_up_bytes_per_step, found.exposed_seconds) == (0.0, 0.0)


def test_servers_have_only_the_network(make_recipe: MakeRecipe) -> None:
    # A port of 400 Gb/s is 50 GB/s, of which four fifths are reached.
    found = plan_network(servers(make_recipe, network="roce-400gbe"), 4e11, degree=2, overlap_seconds=4.0)
    assert (found.scale_up_bytes_per_step, found.scale_out_bytes_per_step) == (0, 4e11)
    assert found.total_seconds == pytest.approx(10.0)
    assert found.exposed_seconds == pytest.approx(6.0)
    assert found.required_bytes_per_second == pytest.approx(4e11 / 4 / 0.8)
    stated = servers(make_recipe, network_bytes_per_second="100 GB")
    assert plan_network(stated, 4e11, degree=2, overlap_seconds=0.0).total_seconds == pytest.approx(5.0)


def test_an_unnamed_network_is_assumed_and_takes_time(make_recipe: MakeRecipe) -> None:
    found = plan_network(servers(make_recipe), 1e9, degree=2, overlap_seconds=0.4)
    # 10 Gb/s, of which four fifths are reached.
    assert found.assumed_bytes_per_second == 1.25e9
    assert found.total_seconds == pytest.approx(1.0)
    assert found.exposed_seconds == pytest.approx(0.6)
    named = plan_network(servers(make_recipe, network="roce-400gbe"), 1e9, degree=2, overlap_seconds=0.4)
    assert named.assumed_bytes_per_second is None
    assert plan_network(servers(make_recipe), 0.0, degree=1, overlap_seconds=0.4).assumed_bytes_per_second is None


def test_devices_per_node(make_recipe: MakeRecipe) -> None:
    assert devices_per_node(cluster(make_recipe, 64), H100) == 8
    assert devices_per_node(cluster(make_recipe, 4), H100) == 4
    assert devices_per_node(cluster(make_recipe, 64, devices_per_node=4), H100) == 4
    assert devices_per_node(cluster(make_recipe, 64), catalog.accelerator("gb200")) == 4
    assert devices_per_node(make_recipe(), None) == 1


@pytest.mark.parametrize("shard", SHARDS)
@pytest.mark.parametrize("rounds", [1, 3])
def test_both_planners_count_the_same_volumes(shard: str, rounds: int) -> None:
    """Processors and accelerators send the same bytes where weights and gradients are fp32 on both."""
    trained = job(numerics=numerics("fp32", "fp32"), global_batch_size=8 * rounds)
    split = layouts(data=8, shard=SHARDS.index(shard), micro_batches=rounds)
    found = step_traffic(trained, machines(8), split)["data_communication_seconds"]
    sent = bytes_sent(count_parameters(llama()), 8, shard, "fp32", rounds)
    assert found.up_bytes + found.out_bytes == pytest.approx(sent)


def test_a_link_inside_servers_joins_no_servers(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(hardware={"accelerator": "cpu", "devices": 2, "network": "nvlink-4"})
    with pytest.raises(PlanError) as caught:
        network_rate(recipe)
    assert caught.value.message_id == "plan-network-inside-server"
    assert network_rate(make_recipe(hardware={"accelerator": "cpu", "network": "roce-400gbe"}))[1] is False
