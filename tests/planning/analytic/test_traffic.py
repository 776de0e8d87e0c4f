from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.planning.analytic.layouts import layouts
from headway.planning.analytic.step import COMMUNICATION, step_times
from headway.planning.analytic.traffic import Traffic, required_bytes_per_second, step_traffic
from tests.planning.analytic.invented import job, llama, machines
from tests.planning.analytic.test_step import random_layouts

CONTEXT = "context_communication_seconds"
DATA = "data_communication_seconds"


def test_gradients_inside_and_between_servers() -> None:
    found = step_traffic(job(), machines(64), layouts(data=64, micro_batch=1))
    # An all-reduce of fp32 gradients: 63 of 64 parts of 8 bytes a weight, one in eight of them to another server.
    sent = 63 / 64 * 8 * job().shape.parameters
    assert set(found) == {DATA}
    assert found[DATA].up_bytes == pytest.approx(sent * 7 / 8)
    assert found[DATA].out_bytes == pytest.approx(sent / 8)
    # Eight ports of a server together are slower than its fast link: 1e10 B/s each.
    assert found[DATA].total_seconds == pytest.approx(sent / 8 / 1e10)


def test_shard_groups_of_a_server_still_average_over_the_network() -> None:
    split = layouts(data=64, shard=3, shard_group=8, micro_batch=1, micro_batches=2)
    found = step_traffic(job(), machines(64), split)[DATA]
    weights = job().shape.parameters
    # Inside: weights twice and gradients once for each micro-batch; between: an eighth of the gradients, all-reduced.
    assert found.up_bytes == pytest.approx(2 * 7 / 8 * weights * (2 + 2 + 4))
    assert found.out_bytes == pytest.approx(2 * 7 / 8 * weights / 8 * 4)


def test_tensor_parallelism_over_servers() -> None:
    split = layouts(tensor=16, sequence_parallel=0, micro_batch=1)
    wide = job(llama(num_attention_heads=16, num_key_value_heads=16, head_dim=64))
    found = step_traffic(wide, machines(16), split)["tensor_communication_seconds"]
    # Four collectives a layer and pass, of 2,048 x 1,024 values; forward and backward; fifteen sixteenths.
    sent = 2 * 4 * 4 * 2048 * 1024 * 2 * 15 / 16
    assert (found.up_bytes, found.out_bytes) == (pytest.approx(sent * 7 / 8), pytest.approx(sent / 8))
    # Where sequences are divided, half of a pass's collectives come a third time, for the gradients of weights.
    divided = step_traffic(wide, machines(16), layouts(tensor=16, micro_batch=1))["tensor_communication_seconds"]
    assert divided.up_bytes == pytest.approx(1.25 * found.up_bytes)


def test_experts_keys_and_stages() -> None:
    mixed = job(llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=2048))
    found = step_traffic(mixed, machines(16), layouts(data=16, expert=8, micro_batch=1))
    tokens = 2048 * 1024 * 2
    # Four exchanges in four layers of two copies of each token, of which seven in eight leave the device.
    assert found["expert_communication_seconds"].up_bytes == pytest.approx(4 * 4 * 2 * tokens * 7 / 8)
    assert found["expert_communication_seconds"].out_bytes == 0
    # Two devices hold the same experts, each in another server; half of fp32 gradients and of the sums.
    experts = 4 * 3 * 1024 * 2048
    shared = mixed.shape.parameters - 8 * experts
    assert found[DATA].out_bytes == pytest.approx(15 / 16 * 8 * shared / 8 + 0.5 * 8 * experts, rel=1e-3)
    split = layouts(context=2, pipeline=8, micro_batch=1, micro_batches=8)
    deep = job(llama(num_hidden_layers=8))
    around = step_traffic(deep, machines(16), split)
    # Keys and values of half a sequence, once forward and twice backward, in each of a stage's layers.
    assert around["context_communication_seconds"].up_bytes == pytest.approx(8 * 3 * 2 * tokens / 2)
    # Four stages of two devices in a server: of four sends one leaves it.
    stages = around["pipeline_communication_seconds"]
    assert stages.up_bytes + stages.out_bytes == pytest.approx(2 * 8 * tokens / 2)
    assert stages.out_bytes == pytest.approx((2 * 8 * tokens / 2) / 4)


def test_a_router_that_limits_groups_crosses_to_fewer_servers() -> None:
    """64 experts on 64 devices of eight servers, in 8 groups of a server each, of which a token reaches 2."""
    shape = {"architecture": "mixtral", "num_experts": 64, "num_experts_per_tok": 4, "moe_intermediate_size": 256}
    free, limited = (
        step_traffic(
            job(llama(**shape, **groups), overlaps_expert_communication=True),
            machines(64),
            layouts(data=64, expert=64, micro_batch=1),
        )["expert_communication_seconds"]
        for groups in ({}, {"n_group": 8, "topk_group": 2})
    )
    tokens = 4 * 4 * 2048 * 1024 * 2
    # Four choices fall on 8 (1 - (7/8)^4) of eight servers, or on 2 (1 - (1/2)^4) of two; seven in eight are others.
    assert free.out_bytes == pytest.approx(tokens * 7 / 8 * 8 * (1 - (7 / 8) ** 4))
    assert limited.out_bytes == pytest.approx(tokens * 7 / 8 * 2 * (1 - (1 / 2) ** 4))
    # Inside, on 64 or 16 devices.
    assert limited.up_bytes == pytest.approx(tokens * 7 / 8 * 16 * (1 - (15 / 16) ** 4))


def test_devices_beyond_the_key_heads_pass_copies_around() -> None:
    grouped = job(llama(num_key_value_heads=2))
    sent = [
        step_traffic(grouped, machines(16), layouts(tensor=tensor, context=2, micro_batch=1))[CONTEXT]
        for tensor in (1, 2, 8)
    ]
    # Two heads, one, and one: of 128, keys and values, for half a sequence, in four layers, three times.
    one = 4 * 3 * 1024 * 2 * 128 * 2
    assert [found.up_bytes + found.out_bytes for found in sent] == pytest.approx([2 * one, one, one])


@given(seed=st.integers(0, 2**32 - 1), overlaps=st.booleans())
@settings(deadline=None, max_examples=30)
def test_what_shows_is_part_of_all(seed: int, overlaps: bool) -> None:
    trained, cluster = job(overlaps_communication=overlaps), machines(512)
    split = random_layouts(seed, 4)
    for index in range(4):
        one = split.take([index])
        times = step_times(trained, cluster, one)
        total = sum(step_traffic(trained, cluster, one).values(), Traffic()).total_seconds
        assert sum(float(times.parts[name][0]) for name in COMMUNICATION) <= total * (1 + 1e-9)


def test_the_required_rate_is_true_to_the_time_of_a_step() -> None:
    cluster = machines(64)
    for split in (
        layouts(data=64, micro_batch=1, micro_batches=4),
        layouts(data=64, shard=3, micro_batch=1, micro_batches=4),
        layouts(data=64, shard=3, shard_group=8, micro_batch=4),
        layouts(tensor=4, pipeline=4, data=4, micro_batch=1, micro_batches=8),
    ):
        rate = required_bytes_per_second(job(), cluster, split)
        assert rate is not None

        def step(out_bytes_per_second: float, split: object = split) -> float:
            machines_there = replace(cluster, out_bytes_per_second=out_bytes_per_second)
            return float(step_times(job(), machines_there, split).seconds[0])  # type: ignore[arg-type]

        best = step(1e18)
        assert step(rate) == pytest.approx(1.01 * best, rel=1e-3)
        assert step(rate / 2) > 1.015 * best


def test_one_server_needs_no_network() -> None:
    assert required_bytes_per_second(job(), machines(8), layouts(data=8)) is None


def test_a_network_that_hardly_matters_may_be_as_slow_as_any() -> None:
    lone = job(global_batch_size=1)
    assert required_bytes_per_second(lone, machines(16), layouts(micro_batch=1)) == pytest.approx(1e6)
