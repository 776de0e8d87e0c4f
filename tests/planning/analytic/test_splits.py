"""What splitting a model costs in communication, by hand: four layers of width 1,024, sequences of 2,048 in bf16."""

from dataclasses import replace

import numpy as np
import pytest

from headway.planning.analytic.layer import pass_times, tokens_of
from headway.planning.analytic.layouts import FULL, Layouts, layouts
from headway.planning.analytic.splits import (
    context_collective,
    context_seconds,
    expert_collective,
    expert_seconds,
    gathers_again,
    repeated,
    stage_collective,
    stage_seconds,
    tensor_collective,
    tensor_seconds,
)
from tests.planning.analytic.invented import array, job, llama, machines

BUFFER = 2048 * 1024 * 2
"""Bytes of the activations of one sequence between two products."""

MIXTURE = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=1024)
GROUPED = llama(
    architecture="deepseek_v3",
    num_experts=64,
    num_experts_per_tok=8,
    moe_intermediate_size=512,
    n_group=8,
    topk_group=4,
)


def test_a_layer_gathers_and_scatters_twice() -> None:
    split = layouts(tensor=8)
    one = tensor_collective(job(), split, tokens_of(job(), split))
    # Attention and the MLP of four layers: 16 calls of a whole buffer each.
    assert (float(one.sent_bytes[0]), float(np.max(one.calls))) == (16 * BUFFER, 16)  # type: ignore[index]
    # 7/8 of each over 1e11 B/s, of which products hide half where they are cut for it.
    seconds = 16 * BUFFER * 7 / 8 / 1e11
    plain = tensor_seconds(job(), machines(8), split, tokens_of(job(), split))
    assert plain[0][0] == pytest.approx(seconds)
    hidden = tensor_seconds(job(overlaps_tensor_communication=True), machines(8), split, tokens_of(job(), split))
    assert hidden[0][0] == pytest.approx(seconds / 2)


def test_experts_that_no_tensor_group_divides_need_no_collectives_of_it() -> None:
    whole, cut = layouts(tensor=4, expert=2, data=2), layouts(tensor=4, expert=1, data=2)
    calls = [float(np.max(tensor_collective(job(MIXTURE), one, array(2048.0)).calls)) for one in (whole, cut)]
    # Attention alone, two a layer; with the MLP's, four.
    assert calls == [8, 16]


def test_inputs_are_gathered_once_more_for_the_gradients_of_weights() -> None:
    found = gathers_again(job(), layouts(tensor=[1, 8, 8], sequence_parallel=[0, 1, 0]))
    assert list(found) == [0, 0.5, 0]


def test_a_token_goes_to_as_many_experts_as_it_chooses() -> None:
    split = layouts(data=8, expert=8)
    one = expert_collective(job(MIXTURE), machines(8), split, tokens_of(job(), split))
    # Two copies of each of 2,048 tokens, in four layers.
    assert float(one.sent_bytes[0]) == 2 * 4 * BUFFER  # type: ignore[index]
    assert expert_seconds(job(MIXTURE), machines(8), split, tokens_of(job(), split))[0] == pytest.approx(
        2 * 4 * BUFFER * 7 / 8 / 1e11
    )
    assert expert_seconds(job(), machines(8), split, tokens_of(job(), split))[0] == 0


def test_kernels_of_their_own_send_a_token_once_to_each_place() -> None:
    trained = job(MIXTURE, overlaps_expert_communication=True)
    split = layouts(data=8, expert=8)
    one = expert_collective(trained, machines(8), split, tokens_of(trained, split))
    # Two choices at random among eight devices fall on 8 (1 - (7/8)^2) = 1.875 of them.
    assert float(one.sent_bytes[0]) == pytest.approx(1.875 * 4 * BUFFER)  # type: ignore[index]
    assert float(one.crossing_bytes[0]) == pytest.approx(4 * BUFFER)  # type: ignore[index]


def test_a_router_that_limits_groups_limits_the_places() -> None:
    trained = job(GROUPED, overlaps_expert_communication=True)
    split = layouts(data=64, expert=64)
    one = expert_collective(trained, machines(64), split, tokens_of(trained, split))
    # Eight choices, in 4 of 8 groups: among 32 of 64 devices, and 4 of 8 servers.
    assert float(one.sent_bytes[0]) == pytest.approx(32 * (1 - (31 / 32) ** 8) * 4 * BUFFER)  # type: ignore[index]
    assert float(one.crossing_bytes[0]) == pytest.approx(4 * (1 - (3 / 4) ** 8) * 4 * BUFFER)  # type: ignore[index]


def test_keys_and_values_go_around() -> None:
    split = layouts(context=4)
    one = context_collective(job(), split, tokens_of(job(), split))
    # A quarter of the sequence, keys and values of eight heads of 128, three times in four layers.
    assert float(one.sent_bytes[0]) == 512 * 2 * 1024 * 2 * 3 * 4  # type: ignore[index]
    passes = pass_times(job(), machines(8), split)
    once = 512 * 2 * 1024 * 2 * 3 * 4 / 1e11
    forward, backward = context_seconds(job(), machines(8), split, tokens_of(job(), split), passes)
    assert forward[0] == pytest.approx(max(once - passes.forward["attention"][0] * 3 / 4, 0))
    assert backward[0] == pytest.approx(max(2 * once - passes.backward["attention"][0] * 3 / 4, 0))


def test_stages_send_results_forward_and_gradients_back() -> None:
    split = layouts(pipeline=4, virtual=2, micro_batches=8)
    one = stage_collective(job(), split, tokens_of(job(), split))
    assert (float(one.sent_bytes[0]), float(np.max(one.calls))) == (2 * 2 * 8 * BUFFER, 32)  # type: ignore[index]
    # Half of it hides behind computation, unless nothing does.
    shown = stage_seconds(job(), machines(8), split, tokens_of(job(), split))
    whole = stage_seconds(job(overlaps_communication=False), machines(8), split, tokens_of(job(), split))
    assert whole[0] == pytest.approx(32 * BUFFER / 1e11)
    assert shown[0] == pytest.approx((1 - machines(8).losses.neighbour_overlap) * whole[0])


def test_a_tensor_group_sends_a_part_each() -> None:
    split = layouts(tensor=2, pipeline=4)
    one = stage_collective(job(), split, tokens_of(job(), split))
    assert float(one.sent_bytes[0]) == 2 * BUFFER / 2  # type: ignore[index]


@pytest.mark.parametrize(
    ("split", "tensor", "expert"),
    [
        # Each of six micro-batches gathers forward and backward, half once more, and exchanges four times.
        (layouts(tensor=2, expert=2, data=2, micro_batches=6), 6 * 2.5, 24),
        # What is computed again gathers and exchanges once more.
        (layouts(tensor=2, expert=2, data=2, micro_batches=6, recompute=FULL), 6 * 3.5, 36),
        # A stage has half of the layers.
        (layouts(tensor=2, expert=2, data=2, pipeline=2, micro_batches=6), 3 * 2.5, 12),
    ],
)
def test_how_often_by_hand(split: Layouts, tensor: float, expert: float) -> None:
    trained = replace(job(MIXTURE), keeps=replace(job().keeps, gathers_inputs=0))
    found = {one.part: np.max(one.times) for one in repeated(trained, machines(8), split, tokens_of(trained, split))}
    assert found["tensor_communication_seconds"] == tensor
    assert found["expert_communication_seconds"] == expert
    assert found["pipeline_communication_seconds"] == 1
