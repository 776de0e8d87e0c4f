from collections.abc import Callable

import pytest

from headway import catalog
from headway.planning.network import bytes_sent, devices_per_node, plan_network
from headway.recipe import Recipe

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
    # Weights are gathered twice in bf16 and gradients scattered once in fp32, for each micro-batch.
    assert bytes_sent(1000, 4, "parameters", "bf16", 3) == 3 * 0.75 * (2 * 2000 + 4000)


def test_one_device_sends_nothing(make_recipe: MakeRecipe) -> None:
    found = plan_network(cluster(make_recipe, 1), H100, 0.0, degree=1, overlap_seconds=1.0)
    assert (found.scale_up_bytes_per_step, found.exposed_seconds) == (0.0, 0.0)


def test_one_node_uses_the_fast_link(make_recipe: MakeRecipe) -> None:
    found = plan_network(cluster(make_recipe, 8), H100, 3.6e12, degree=8, overlap_seconds=4.0)
    assert found.scale_out_bytes_per_step == 0
    assert found.total_seconds == pytest.approx(3.6e12 / (0.8 * 450e9))
    assert found.exposed_seconds == pytest.approx(6.0)


def test_several_nodes_send_less_outside_than_inside(make_recipe: MakeRecipe) -> None:
    recipe = cluster(make_recipe, 64, network="infiniband-ndr400")
    sent = bytes_sent(8 * 10**9, 64, "none", "bf16", 1)
    found = plan_network(recipe, H100, sent, degree=64, overlap_seconds=1e9)
    # Inside each node 7/8 of the buffer twice; between nodes an eighth of it, 7/8 twice.
    assert found.scale_up_bytes_per_step == pytest.approx(2 * 7 / 8 * 32e9)
    assert found.scale_out_bytes_per_step == pytest.approx(2 * 7 / 8 * 32e9 / 8)
    assert found.exposed_seconds == 0
    assert found.total_seconds is not None
    assert found.required_bytes_per_second == pytest.approx(found.scale_out_bytes_per_step / 1e9 / 0.8)


def test_an_unnamed_network_stays_unknown(make_recipe: MakeRecipe) -> None:
    found = plan_network(cluster(make_recipe, 64), H100, 1e9, degree=64, overlap_seconds=0.0)
    assert found.exposed_seconds is found.total_seconds is found.required_bytes_per_second is None
    assert found.scale_out_bytes_per_step > 0


def test_processors_have_only_the_network(make_recipe: MakeRecipe) -> None:
    recipe = make_recipe(hardware={"accelerator": "cpu", "devices": 2, "network": "roce-400gbe"})
    found = plan_network(recipe, None, 1e9, degree=2, overlap_seconds=0.0)
    assert found.scale_up_bytes_per_step == 0
    assert found.scale_out_bytes_per_step == 1e9


def test_devices_per_node(make_recipe: MakeRecipe) -> None:
    assert devices_per_node(cluster(make_recipe, 64), H100) == 8
    assert devices_per_node(cluster(make_recipe, 4), H100) == 4
    assert devices_per_node(cluster(make_recipe, 64, devices_per_node=4), H100) == 4
    assert devices_per_node(make_recipe(), None) == 1
