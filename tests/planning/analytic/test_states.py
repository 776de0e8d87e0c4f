"""States of one device, held to ZeRO's counting and worked by hand."""

from dataclasses import replace

import pytest

from headway.planning.analytic.holdings import holdings
from headway.planning.analytic.job import Adapter, Job
from headway.planning.analytic.keeping import COMPILED, EAGER, HAND_FUSED
from headway.planning.analytic.layouts import Layouts, layouts
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.states import States, device_states
from tests.planning.analytic.invented import habits, job

HALF = numerics("fp16", "master", half_gradients=True)
WEIGHTS = float(holdings(job(), layouts()).local[0])
UNIT = 2 * 32000 * 1024
"""Weights that are gathered at a time: both tables are more than two layers."""


def states(split: Layouts, **changes: object) -> States:
    trained: Job = job(**{"numerics": HALF, **changes})  # type: ignore[arg-type]
    return device_states(trained, split, holdings(trained, split))


@pytest.mark.parametrize(
    ("shard", "each"),
    [(0, 16), (1, 4 + 12 / 8), (2, 2 + 14 / 8), (3, 16 / 8)],
)
def test_zero_divides_16_bytes_a_weight(shard: int, each: float) -> None:
    """Rajbhandari et al. 2020, figure 1: 16 psi; 4 psi + 12 psi / N; 2 psi + 14 psi / N; 16 psi / N."""
    found = states(layouts(data=8, shard=shard))
    held = found.parameters[0] + found.gradients[0] + found.optimizer[0]
    travelling = 4 * UNIT if shard == 3 else 0
    assert held - travelling == pytest.approx(each * WEIGHTS)


def test_a_pipeline_adds_gradients_up_before_it_divides_them() -> None:
    whole, divided = (
        states(layouts(data=8, pipeline=stages, shard=2, micro_batches=8), numerics=numerics("bf16", "master"))
        for stages in (2, 1)
    )
    alone = states(layouts(data=8, pipeline=2, shard=1, micro_batches=8), numerics=numerics("bf16", "master"))
    assert whole.gradients[0] == alone.gradients[0]
    assert divided.gradients[0] == pytest.approx(4 * WEIGHTS / 8)


def test_fp32_gradients_are_written_out_for_the_update_only() -> None:
    found = states(layouts(data=4, shard=1))
    assert found.update[0] == found.flat_update[0] == 4 * WEIGHTS / 4
    assert states(layouts(), numerics=numerics("bf16", "master")).update[0] == 0


def test_an_optimizer_may_write_out_roots() -> None:
    found = states(layouts(), numerics=numerics("bf16", "pure"), keeps=EAGER)
    assert found.update[0] == 2 * WEIGHTS
    assert found.flat_update[0] == 0
    split = layouts(data=2, shard=[1, 3])
    whole, some = states(split, numerics=numerics("bf16", "pure"), keeps=replace(EAGER, update_elements=1e6)).update
    assert (whole, some) == (2 * WEIGHTS / 2, 2 * 1e6)


def test_gathered_weights_stay_where_they_are_not_dropped() -> None:
    drops, keeps = states(layouts(data=8, shard=3, reshards=[1, 0])).parameters
    assert drops - 2 * WEIGHTS / 8 == pytest.approx(2 * UNIT)
    assert keeps - 2 * WEIGHTS / 8 == pytest.approx(2 * WEIGHTS)


def test_autocast_keeps_rounded_weights() -> None:
    found = states(layouts(), numerics=numerics("bf16", "fp32"))
    assert found.parameters[0] == 6 * WEIGHTS


def test_the_host_may_hold_the_optimizer_and_the_weights() -> None:
    found = states(layouts(offload_optimizer=1))
    assert found.optimizer[0] == found.update[0] == 0
    assert found.parameters[0] == 2 * WEIGHTS
    undivided = states(layouts(offload_optimizer=1), keeps=replace(COMPILED, offloads_weights=True))
    assert undivided.parameters[0] == undivided.gradients[0] == 2 * WEIGHTS
    everything = states(layouts(data=8, shard=3, offload_optimizer=1), keeps=replace(COMPILED, offloads_weights=True))
    assert everything.parameters[0] == everything.gradients[0] == pytest.approx(2 * UNIT)


def test_gradients_applied_at_once_are_few() -> None:
    found = states(layouts(), numerics=numerics("bf16", "pure", "adamw-in-backward"))
    assert found.gradients[0] == 2 * UNIT
    assert found.update[0] == 0


def test_ddp_copies_gradients_to_buckets() -> None:
    alone, together = states(layouts(data=[1, 8]), keeps=EAGER).gradients
    assert together == 2 * alone == 4 * WEIGHTS


def test_deepspeed_flattens_a_bucket_and_its_own_part() -> None:
    found = states(layouts(data=4, shard=1), keeps=replace(habits("megatron-deepspeed"), bucket_elements=1e6))
    assert found.gradients[0] == pytest.approx(2 * (WEIGHTS + 1e6 + WEIGHTS / 4))
    plain, flat = (
        states(layouts(data=4, shard=3), keeps=replace(HAND_FUSED, flat_copies=copies)).gradients[0]
        for copies in (0, 1)
    )
    assert plain == flat


def test_rounded_gradients_may_stay_beside_their_sums() -> None:
    precise = numerics("bf16", "master")
    kept = states(layouts(), numerics=precise, keeps=replace(HAND_FUSED, rounded_gradients=True))
    assert kept.gradients[0] == 6 * WEIGHTS


def test_a_pipeline_may_keep_whole_gradients_to_the_end() -> None:
    split = layouts(data=4, pipeline=2, shard=3, micro_batches=4)
    divided, whole = (
        states(split, keeps=replace(COMPILED, holds_unsharded_gradients=holds)).gradients[0] for holds in (False, True)
    )
    local = float(holdings(job(), split).trained_local[0])
    assert whole == pytest.approx(2 * local)
    assert divided < whole


def test_a_quantised_base_is_gathered_as_it_lies() -> None:
    adapter = Adapter(rank=8, base_bytes=0.5, expands=True)
    alone, divided = states(layouts(data=[1, 8], shard=[0, 3]), adapter=adapter).parameters
    layers = WEIGHTS - UNIT
    own = float(holdings(job(adapter=adapter), layouts()).trained_local[0])
    assert alone == pytest.approx(0.5 * layers + 2 * UNIT + 2 * own)
    assert divided == pytest.approx((0.5 * layers + 2 * UNIT) / 8 + 2 * own + 0.5 * UNIT)


@pytest.mark.parametrize(("product", "each"), [("fp8", 1.0), ("nvfp4", 0.5)])
def test_rounded_weights_are_kept_twice(product: str, each: float) -> None:
    """Transformer Engine keeps a rounded weight and its transpose over the micro-batches of a step."""
    plain = states(layouts(), numerics=numerics("bf16", "master"), keeps=HAND_FUSED).parameters[0]
    rounded = states(layouts(), numerics=numerics(product, "master"), keeps=HAND_FUSED).parameters[0]
    layers = float(holdings(job(), layouts()).layers[0])
    assert rounded - plain == pytest.approx(2 * each * layers)
    compiled = states(layouts(), numerics=numerics(product, "master"), keeps=COMPILED).parameters[0]
    assert compiled == plain
    split = layouts(data=8, shard=3)
    divided = [
        states(split, numerics=numerics(each_product, "master"), keeps=HAND_FUSED).parameters[0]
        for each_product in (product, "bf16")
    ]
    assert divided[0] - divided[1] == pytest.approx(2 * each * min(UNIT, layers))


def test_frozen_weights_that_are_divided_with_trained_ones_have_gradients() -> None:
    """Lightning-AI/litgpt#1417: as though nothing were frozen; whole while they accumulate over micro-batches."""
    adapter = Adapter(rank=8)
    split = layouts(data=4, shard=3, micro_batches=[1, 8])
    mixes = replace(EAGER, mixes_frozen=True, accumulates_unsharded=True)
    once, many = states(split, keeps=mixes, adapter=adapter).gradients
    everything = float(holdings(job(adapter=adapter), layouts()).local[0])
    assert once == pytest.approx(2 * (everything / 4 + UNIT))
    assert many == pytest.approx(2 * everything)
    alone = states(layouts(), keeps=mixes, adapter=adapter).gradients[0]
    assert alone == 2 * float(holdings(job(adapter=adapter), layouts()).trained_local[0])
