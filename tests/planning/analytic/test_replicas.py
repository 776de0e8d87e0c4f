"""What replicas send each other, by hand: 1e11 B/s inside a domain of eight, 1e10 between them."""

from dataclasses import replace

import numpy as np
import pytest

from headway.planning.analytic.holdings import holdings
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.layouts import Layouts, layouts
from headway.planning.analytic.replicas import (
    StagePasses,
    exposed_seconds,
    repeated,
    replica_collectives,
    replica_rounds,
)
from tests.planning.analytic.invented import array, habits, job, llama, machines

NO_TIME = StagePasses(forward=array(0.0), backward=array(0.0))
MIXTURE = llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2, moe_intermediate_size=1024)


def parameters(trained: Job) -> float:
    return trained.shape.parameters


def sent(trained: Job, split: Layouts) -> dict[str, list[float]]:
    """Return the buffers of each kind of collective."""
    kinds = replica_collectives(trained, machines(8), split, holdings(trained, split))
    return {
        name: [float(np.max(one.sent_bytes)) for one in getattr(kinds, name)] for name in ("reduce", "gather", "outer")
    }


def test_an_all_reduce_is_a_scatter_and_a_gathering_of_fp32_gradients() -> None:
    trained, split = job(), layouts(data=8)
    found = sent(trained, split)
    assert found == {"reduce": [4 * parameters(trained)], "gather": [4 * parameters(trained)], "outer": []}
    (scatter,) = replica_collectives(trained, machines(8), split, holdings(trained, split)).reduce
    assert (scatter.group[0], scatter.in_tree[0], scatter.calls[0]) == (8, 1, machines(8).losses.buckets)  # type: ignore


def test_divided_states_gather_rounded_weights() -> None:
    trained = job()
    for shard in (1, 2, 3):
        found = sent(trained, layouts(data=8, shard=shard))
        assert found["reduce"] == [4 * parameters(trained)]
        assert found["gather"] == [2 * parameters(trained)]


def test_frozen_weights_travel_only_where_they_are_divided() -> None:
    trained = job(adapter=Adapter(rank=8))
    whole, divided = (sent(trained, layouts(data=8, shard=shard)) for shard in (0, 3))
    assert whole["gather"][0] < 0.05 * parameters(trained)
    assert divided["gather"][0] == pytest.approx(2 * parameters(trained), rel=0.02)
    assert divided["reduce"] == whole["reduce"]


def test_experts_are_shared_by_fewer_devices() -> None:
    trained, split = job(MIXTURE), layouts(data=8, expert=4)
    kinds = replica_collectives(trained, machines(8), split, holdings(trained, split))
    shared, experts = kinds.reduce
    # Eight devices hold a quarter of the experts each: two copies of each of them.
    assert (shared.group[0], experts.group[0], experts.stride) == (8, 2, 4)
    assert float(experts.sent_bytes[0]) == pytest.approx(4 * trained.shape.expert_parameters / 4)  # type: ignore[index]


def test_a_group_averages_its_part_with_the_other_groups() -> None:
    trained, split = job(), layouts(data=16, shard=3, shard_group=8)
    (outer,) = replica_collectives(trained, machines(16), split, holdings(trained, split)).outer
    # An eighth of the fp32 gradients, scattered and gathered between two groups.
    assert (float(outer.sent_bytes[0]), outer.group[0]) == (pytest.approx(2 * 4 * parameters(trained) / 8), 2)  # type: ignore


@pytest.mark.parametrize(
    ("split", "reduce", "gather"),
    [
        (layouts(data=8, micro_batches=6), 1, 1),
        (layouts(data=8, micro_batches=6, shard=1), 1, 1),
        # Divided gradients leave with every micro-batch; in a pipeline they add up first.
        (layouts(data=8, micro_batches=6, shard=2), 6, 1),
        (layouts(data=2, pipeline=4, micro_batches=6, shard=2), 1, 1),
        # Divided weights are gathered for both passes, or for one where they stay until the other.
        (layouts(data=8, micro_batches=6, shard=3), 6, 12),
        (layouts(data=8, micro_batches=6, shard=3, reshards=0), 6, 6),
        # In a pipeline they stay until the last micro-batch.
        (layouts(data=2, pipeline=4, micro_batches=6, shard=3), 6, 12),
        (layouts(data=2, pipeline=4, micro_batches=6, shard=3, reshards=0), 6, 1),
    ],
)
def test_how_often_by_hand(split: Layouts, reduce: float, gather: float) -> None:
    rounds = replica_rounds(job(), split)
    assert (rounds.reduce[0], rounds.gather[0], rounds.outer[0]) == (reduce, gather, 1)
    times = {one.times[0] for one in repeated(job(), machines(8), split, holdings(job(), split))}  # type: ignore[index]
    assert times <= {reduce, gather, 1}


def test_a_program_may_hold_gradients_until_the_last_micro_batch_of_a_pipeline() -> None:
    holding = job(keeps=habits("torchtitan"))
    staged = layouts(data=2, pipeline=4, micro_batches=6, shard=3)
    assert replica_rounds(holding, staged).reduce[0] == 1
    assert replica_rounds(holding, layouts(data=8, micro_batches=6, shard=3)).reduce[0] == 6


def test_with_nothing_to_hide_behind_all_of_it_shows() -> None:
    trained, split = job(), layouts(data=8, micro_batches=4)
    found = exposed_seconds(trained, machines(8), split, holdings(trained, split), [NO_TIME])
    # A scatter and a gathering, each 7/8 of the buffer over 1e11 B/s.
    assert found[0] == pytest.approx(2 * 7 / 8 * 4 * parameters(trained) / 1e11)


def test_long_passes_hide_all_but_the_last_bucket() -> None:
    trained, split = job(), layouts(data=8, micro_batches=4)
    long = StagePasses(forward=array(1e3), backward=array(1e3))
    found = exposed_seconds(trained, machines(8), split, holdings(trained, split), [long])
    once = 7 / 8 * 4 * parameters(trained) / 1e11
    assert found[0] == pytest.approx(2 * once / machines(8).losses.buckets)
    # Where nothing overlaps, all of it shows, however long the passes are.
    plain = exposed_seconds(
        replace(trained, overlaps_communication=False), machines(8), split, holdings(trained, split), [long]
    )
    assert plain[0] == pytest.approx(2 * once)


def test_a_stage_with_time_to_spare_may_be_over_first() -> None:
    """Of two stages alike, the one that waits for the other each time hides in that what it sends at the end."""
    trained, split = job(), layouts(data=4, pipeline=2, micro_batches=4)
    held = holdings(trained, split)
    slow = StagePasses(forward=array(0.0), backward=array(0.0), spare=array(0.0))
    quick = replace(slow, spare=array(1.0))
    alone = exposed_seconds(trained, machines(8), split, held, [slow])
    assert exposed_seconds(trained, machines(8), split, held, [quick, slow])[0] == alone[0]
    assert exposed_seconds(trained, machines(8), split, held, [quick, quick])[0] == pytest.approx(alone[0] - 4)
