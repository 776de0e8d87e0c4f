import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headway.planning.analytic.holdings import holdings
from headway.planning.analytic.job import Adapter
from headway.planning.analytic.layer import pass_times
from headway.planning.analytic.layouts import Layouts, layouts
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.pace import pace
from headway.planning.analytic.replicas import StagePasses, exposed_seconds
from headway.planning.analytic.step import StepTimes, step_times, update_seconds
from tests.planning.analytic.invented import array, job, llama, machines


def parts(found: StepTimes) -> dict[str, float]:
    return {name.removesuffix("_seconds"): float(values[0]) for name, values in found.parts.items()}


def test_one_device_only_computes() -> None:
    found = parts(step_times(job(), machines(), layouts(micro_batch=4, micro_batches=16)))
    busy = {name for name, seconds in found.items() if seconds > 0}
    assert busy == {"compute", "head", "optimizer"}


def test_a_step_is_as_many_micro_batches() -> None:
    one, many = (parts(step_times(job(), machines(), layouts(micro_batch=4, micro_batches=count))) for count in (1, 16))
    assert many["compute"] == pytest.approx(16 * one["compute"])
    assert many["optimizer"] == pytest.approx(one["optimizer"])


def test_the_bubble_by_hand() -> None:
    """With p stages and m micro-batches a step waits (p - 1) / m of its work; with v chunks a stage, a v-th of that."""
    split = layouts(pipeline=4, virtual=[1, 1], micro_batch=1, micro_batches=[8, 16])
    found = step_times(job(llama(vocab_size=64)), machines(4), split)
    work = found.parts["compute_seconds"] + found.parts["head_seconds"]
    assert found.parts["bubble_seconds"][0] / work[0] == pytest.approx(3 / 8, rel=0.05)
    assert found.parts["bubble_seconds"][1] / work[1] == pytest.approx(3 / 16, rel=0.05)
    deep = job(llama(num_hidden_layers=8, vocab_size=64))
    plain, interleaved = (
        step_times(deep, machines(4), layouts(pipeline=4, virtual=chunks, micro_batch=1, micro_batches=8))
        for chunks in (1, 2)
    )
    assert interleaved.parts["bubble_seconds"][0] == pytest.approx(plain.parts["bubble_seconds"][0] / 2)


def test_a_head_fills_the_ends_of_a_step_once() -> None:
    """The last stage has it in every micro-batch; at the ends a stage waits for the others, of which one has it."""
    found = parts(step_times(job(), machines(4), layouts(pipeline=4, micro_batch=1, micro_batches=8)))
    layers, head = found["compute"] * 4 / 8, found["head"] / 8
    assert head > 0.5 * layers
    assert found["bubble"] == pytest.approx(3 * (layers + head) / 4)


def test_no_stage_is_without_layers() -> None:
    """32 layers on 24 stages: eight stages of two and sixteen of one, the last of these with the head.

    A head that takes as long as four layers makes the last stage the slowest: one layer and the head.
    """
    deep = job(llama(num_hidden_layers=32, vocab_size=128_000))
    split = layouts(pipeline=24, micro_batch=1, micro_batches=1)
    passes = pass_times(deep, machines(24), split)
    layer = (passes.layers_forward + passes.layers_backward) / 32
    head = passes.head_forward + passes.head_backward
    assert head > 2 * layer
    found = pace(deep, machines(24), split, (passes.layers_forward, passes.layers_backward), passes)
    assert found.stages[0].forward + found.stages[0].backward == pytest.approx(layer + head)


def test_the_fullest_stage_sets_the_pace() -> None:
    # Five layers over four stages: one stage has two of them, and all wait for it.
    uneven = job(llama(num_hidden_layers=5, vocab_size=64))
    found = parts(step_times(uneven, machines(4), layouts(pipeline=4, micro_batch=1, micro_batches=1000)))
    per_layer = found["compute"] / 5
    assert found["compute"] + found["head"] == pytest.approx(2 * per_layer * 4, rel=0.05)


def test_tensor_parallel_communication_by_hand() -> None:
    """Two blocks of four layers, each gathering and scattering 2,048 x 1,024 values of two bytes, both ways."""
    split = layouts(tensor=8, micro_batch=1, micro_batches=1)
    found = parts(step_times(job(), machines(8), split))
    bytes_each = 2048 * 1024 * 2
    assert found["tensor_communication"] == pytest.approx(2 * (2 * 2 * 4) * bytes_each * 7 / 8 / 1e11)
    hidden = parts(step_times(job(overlaps_tensor_communication=True), machines(8), split))
    assert hidden["tensor_communication"] == pytest.approx(found["tensor_communication"] / 2)


def test_gradients_hide_behind_the_backward_pass() -> None:
    split = layouts(data=8, micro_batch=8, micro_batches=1)
    hidden = parts(step_times(job(), machines(8), split))
    shown = parts(step_times(job(overlaps_communication=False), machines(8), split))
    weights = job().shape.parameters
    # Without overlap: an all-reduce of fp32 gradients, twice seven eighths of 4 bytes a weight.
    assert shown["data_communication"] == pytest.approx(2 * 7 / 8 * 4 * weights / 1e11)
    assert hidden["data_communication"] == pytest.approx(shown["data_communication"] / 12)


def test_divided_weights_travel_for_every_micro_batch() -> None:
    split = layouts(data=8, shard=3, micro_batch=1, micro_batches=[1, 4], reshards=[1, 1])
    found = step_times(job(overlaps_communication=False), machines(8), split)
    once, often = found.parts["data_communication_seconds"]
    assert often == pytest.approx(4 * once)
    weights = job().shape.parameters
    assert once == pytest.approx(7 / 8 * weights * (2 + 2 + 4) / 1e11)
    kept = step_times(
        job(overlaps_communication=False), machines(8), layouts(data=8, shard=3, micro_batch=1, reshards=0)
    )
    assert kept.parts["data_communication_seconds"][0] == pytest.approx(7 / 8 * weights * (2 + 4) / 1e11)


def test_experts_exchange_their_tokens() -> None:
    mixed = job(llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=2048))
    alone, apart = (
        parts(step_times(mixed, machines(8), layouts(data=8, expert=degree, micro_batch=1))) for degree in (1, 8)
    )
    assert alone["expert_communication"] == 0
    # Two copies of each token; dispatch and combine, forward and backward, in four layers.
    sent = 2048 * 2 * 1024 * 2
    assert apart["expert_communication"] == pytest.approx(4 * 4 * sent * 7 / 8 / 1e11)
    # Kernels that are scheduled beside computation send once to each of 8 (1 - (7/8)^2) devices.
    once = job(mixed.model, overlaps_expert_communication=True)
    found = parts(step_times(once, machines(8), layouts(data=8, expert=8, micro_batch=1)))
    share = (1 - machines().losses.expert_overlap) * 8 * (1 - (7 / 8) ** 2) / 2
    assert found["expert_communication"] == pytest.approx(share * apart["expert_communication"])
    # Products that are cut into pieces hide no exchange.
    cut = parts(step_times(job(mixed.model, overlaps_tensor_communication=True), machines(8),
                           layouts(data=8, expert=8, micro_batch=1)))  # fmt: skip
    assert cut == apart


def test_keys_and_values_hide_behind_attention() -> None:
    fast = parts(step_times(job(), machines(2, up_bytes_per_second=1e14), layouts(context=2, micro_batch=1)))
    slow = parts(step_times(job(), machines(2, up_bytes_per_second=1e6), layouts(context=2, micro_batch=1)))
    assert fast["context_communication"] == 0
    assert slow["context_communication"] > 0


def test_a_slow_host_is_what_exceeds_the_device() -> None:
    quick, slow = (
        parts(step_times(job(), machines(host_seconds=each), layouts(micro_batch=1, micro_batches=4)))
        for each in (1e-9, 1e-3)
    )
    assert quick["host"] == 0
    # 52 operations of a layer at a millisecond each, less what the device computes meanwhile.
    assert slow["host"] + slow["compute"] + slow["head"] == pytest.approx(4 * 4 * 52e-3, rel=0.01)


def test_divided_gradients_leave_in_every_micro_batch() -> None:
    """ZeRO's second stage scatters fp32 gradients for each micro-batch and gathers 16-bit weights once."""
    split = layouts(data=8, shard=2, micro_batch=1, micro_batches=[1, 4])
    once, often = step_times(job(overlaps_communication=False), machines(8), split).parts["data_communication_seconds"]
    weights = 7 / 8 * job().shape.parameters / 1e11
    assert once == pytest.approx((4 + 2) * weights)
    assert often == pytest.approx((4 * 4 + 2) * weights)
    # The first stage adds gradients up first.
    split = layouts(data=8, shard=1, micro_batch=1, micro_batches=4)
    first = step_times(job(overlaps_communication=False), machines(8), split).parts["data_communication_seconds"]
    assert first[0] == pytest.approx((4 + 2) * weights)
    # Each scatter hides behind its own backward pass, and the last bucket of all behind nothing.
    split = layouts(data=8, shard=2, micro_batch=8, micro_batches=4)
    hidden = step_times(job(), machines(8), split).parts["data_communication_seconds"][0]
    assert hidden == pytest.approx((4 + 2) * weights / 12)


def test_each_scatter_of_divided_gradients_has_only_its_own_backward_pass_to_hide_behind() -> None:
    split = layouts(data=8, shard=2, micro_batch=1, micro_batches=4)
    scatter, gather = (7 / 8 * each * job().shape.parameters / 1e11 for each in (4, 2))
    passes = StagePasses(forward=array(gather), backward=array(scatter / 2))
    shown = exposed_seconds(job(), machines(8), split, holdings(job(), split), [passes])
    # Half of each of four scatters, and the last bucket of twelve.
    assert shown[0] == pytest.approx(4 * scatter / 2 + (scatter + gather) / 12)


def test_a_pipeline_over_servers_needs_the_network() -> None:
    split = layouts(tensor=4, pipeline=4, micro_batch=1, micro_batches=8)
    fast, slow = (
        parts(step_times(job(), machines(16, out_bytes_per_second=rate), split))["pipeline_communication"]
        for rate in (1e15, 1e6)
    )
    # Eight micro-batches, there and back, of 2,048 x 1,024 values of two bytes, a quarter each: half of it hidden.
    sent = 2 * 8 * 2048 * 1024 * 2 / 4
    assert fast == pytest.approx(0.5 * sent / 5e14)
    assert slow == pytest.approx(0.5 * sent / 5e5)


def test_communication_hides_behind_a_slow_host_too() -> None:
    """While the device waits for its host, gradients travel: the step is the longer of the two, not their sum."""
    slow = machines(8, host_seconds=1e-3)
    split = layouts(data=8, micro_batch=1, micro_batches=1)
    found = parts(step_times(job(), slow, split))
    assert found["data_communication"] == pytest.approx(8 * 7 / 8 * job().shape.parameters / 1e11 / 12)


@given(
    host=st.sampled_from([0.0, 1e-6, 2e-5, 1e-3]),
    network=st.sampled_from([1e8, 1e9, 1e10]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=20)
def test_more_work_is_never_faster(host: float, network: float, seed: int) -> None:
    """Whatever waits for what: host, network, the slowest stage, or communication that slows what hides it."""
    split = random_layouts(seed, 300)
    cluster = machines(512, host_seconds=host, out_bytes_per_second=network)
    cluster = replace(cluster, losses=replace(cluster.losses, contention=0.12))
    mixed = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=2048)
    near = replace(split, offload_activations=np.zeros(len(split)))
    for short in (
        job(kernels="eager"),
        job(document_length=128),
        job(kernels="eager", attention="unfused", adapter=Adapter(rank=8)),
        job(mixed, kernels="eager", overlaps_tensor_communication=True, overlaps_expert_communication=True),
    ):
        more = [
            (replace(short, sequence_length=2 * short.sequence_length), cluster, split),
            (short, cluster, replace(split, micro_batch=2 * split.micro_batch)),
            (short, cluster, replace(split, micro_batches=2 * split.micro_batches)),
            (short, replace(cluster, out_bytes_per_second=network / 2), split),
        ]
        base = step_times(short, cluster, split).seconds
        for changed in more:
            assert np.all(step_times(*changed).seconds >= base * (1 - 1e-9))
        # What recomputation spares of the way to the host is left aside.
        levels = [
            step_times(short, cluster, replace(near, recompute=np.full(len(split), level))).seconds
            for level in (0.0, 1.0, 2.0, 3.0)
        ]
        for less, again in itertools.pairwise(levels):
            assert np.all(again >= less * (1 - 1e-9))


def test_every_doubling_costs_its_share() -> None:
    waiting = replace(machines(1024).losses, waiting_per_doubling=0.01)
    found = parts(step_times(job(), replace(machines(1024), losses=waiting), layouts(data=1024, micro_batch=1)))
    others = sum(seconds for name, seconds in found.items() if name != "waiting")
    assert found["waiting"] == pytest.approx(0.1 * others)


def test_what_layers_keep_travels_to_the_host_while_they_compute() -> None:
    split = layouts(micro_batch=1, micro_batches=4, offload_activations=1)
    assert parts(step_times(job(), machines(), split))["offload"] > 0
    slow = machines(matmul_16bit_efficiency=0.001)
    assert parts(step_times(job(), slow, split))["offload"] == 0


@pytest.mark.parametrize(
    ("weights", "moved_bytes"),
    [
        # Master copy and two moments read and written, an fp32 gradient touched three times, rounded weights written.
        ("master", 2 * 12 + 3 * 4 + 2),
        # The weights themselves are precise: read and written with the moments, and nothing besides.
        ("fp32", 2 * (4 + 8) + 3 * 4),
        ("pure", 2 * (2 + 4) + 3 * 2),
    ],
)
def test_what_an_update_moves(weights: str, moved_bytes: int) -> None:
    trained = job(numerics=numerics("bf16", weights))  # type: ignore[arg-type]
    found = parts(step_times(trained, machines(), layouts(micro_batch=1)))
    assert found["optimizer"] == pytest.approx(moved_bytes * trained.shape.parameters / 1e12)


def test_kernels_of_an_update_grow_with_the_weights() -> None:
    slow = machines(kernel_seconds=1.0)
    one, eight = (
        float(update_seconds(job(), slow, split, holdings(job(), split))[0])
        for split in (layouts(micro_batch=1), layouts(data=8, shard=1, micro_batch=1))
    )
    # 133 million weights in kernels of 21 million, or an eighth of them.
    assert (round(one), round(eight)) == (7, 1)


def test_moments_on_the_host_are_slower() -> None:
    near, far = (
        parts(step_times(job(), machines(), layouts(micro_batch=1, offload_optimizer=where))) for where in (0, 1)
    )
    assert far["optimizer"] > 5 * near["optimizer"]


def test_states_that_come_and_go() -> None:
    """AdamW's 8 bytes of each weight go over the host's link twice; the update itself is the device's."""
    one = job(keeps=replace(job().keeps, streams_states=True))
    near, far = (
        parts(step_times(one, machines(), layouts(micro_batch=1, offload_optimizer=where))) for where in (0, 1)
    )
    updated = holdings(one, layouts(micro_batch=1)).updated[0]
    link = machines().losses.host_link_bytes_per_second
    expected = 2 * one.numerics.optimizer_bytes * updated / link
    assert far["optimizer"] - near["optimizer"] == pytest.approx(expected)


def random_layouts(seed: int, count: int) -> Layouts:
    random = np.random.default_rng(seed)

    def some(*values: float) -> np.ndarray:
        return random.choice(np.asarray(values, dtype=np.float64), count)

    data, context = some(1, 2, 8, 64), some(1, 2)
    return layouts(
        data=data, tensor=some(1, 2, 4, 8), pipeline=some(1, 2, 3, 4), virtual=some(1, 2), context=context,
        micro_batch=some(1, 2, 4), micro_batches=some(4, 8, 16), shard=some(0, 1, 2, 3),
        shard_group=np.minimum(some(8, 128), data * context), reshards=some(0, 1), recompute=some(0, 1, 2, 3),
        recompute_share=some(0.5, 1), offload_activations=some(0, 1),
    )  # fmt: skip


@given(seed=st.integers(0, 2**32 - 1), precision=st.sampled_from(["bf16", "fp8"]))
@settings(deadline=None, max_examples=25)
def test_parts_are_never_negative_and_many_layouts_cost_what_each_costs(seed: int, precision: str) -> None:
    trained = job(numerics=numerics(precision, "master"))
    split = random_layouts(seed, 700)
    found = step_times(trained, machines(64), split)
    assert found.seconds == pytest.approx(np.asarray(sum(found.parts.values())))
    for name, values in found.parts.items():
        assert np.all(values >= -1e-12), name
        assert np.all(np.isfinite(values)), name
    picked = [0, 350, 699]
    alone = np.asarray([step_times(trained, machines(64), split.take([index])).seconds[0] for index in picked])
    # Passes that layouts share are worked out once; nothing changes by it.
    assert found.seconds[picked] == pytest.approx(alone)


def test_shares_that_no_step_counts_are_worked_out_one_by_one() -> None:
    """Where no whole number tells layouts apart, each is worked out alone, with the same result."""
    split = replace(random_layouts(3, 700), recompute_share=np.linspace(0.1, 0.9, 700))
    found = step_times(job(), machines(64), split)
    alone = [step_times(job(), machines(64), split.take([index])).seconds[0] for index in (0, 699)]
    assert found.seconds[[0, 699]] == pytest.approx(np.asarray(alone))
