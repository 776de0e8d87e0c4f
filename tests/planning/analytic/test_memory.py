"""The peak of one device: by hand, against published trainings, and what must hold for every layout."""

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.plan_accuracy.rows import MEMORY, read_rows
from benchmarks.plan_accuracy.score import score_fits, score_memory
from headway import units
from headway.planning.analytic.activations import kept_bytes_per_layer, logits_bytes, output_bytes, transient_bytes
from headway.planning.analytic.hardware import hardware
from headway.planning.analytic.job import Adapter
from headway.planning.analytic.keeping import EAGER, HAND_FUSED
from headway.planning.analytic.layer import tokens_of
from headway.planning.analytic.layouts import FULL, PARAMETERS, Layouts, layouts
from headway.planning.analytic.memory import MemoryParts, memory, moments
from headway.planning.analytic.numerics import numerics
from headway.planning.analytic.reserves import reserves
from tests.planning.analytic.invented import habits, job, llama, machines

NANOTRON, DEEPSPEED = habits("nanotron"), habits("megatron-deepspeed")
ROWS = {row["id"]: row for row in read_rows(MEMORY)}


def part(found: MemoryParts, name: str) -> float:
    return float(getattr(found, f"{name}_bytes")[0])


def test_the_peak_of_one_device_by_hand() -> None:
    """All layers' activations, the stream before the loss, and the logits, beside 18 bytes a weight."""
    split = layouts()
    found = memory(job(), machines(), split)
    tokens = tokens_of(job(), split)
    kept = float(kept_bytes_per_layer(job(), split, tokens)[0])
    logits = float(logits_bytes(job(), split, tokens)[0])
    weights = job().shape.parameters
    assert part(found, "activations") == 4 * kept + 2048 * 1024 * 2
    assert part(found, "logits") == logits == 2048 * 32000 * 14
    assert [part(found, name) for name in ("parameters", "gradients", "optimizer")] == [
        each * weights for each in (2, 4, 12)
    ]
    assert part(found, "communication") == 0


def test_where_the_layers_work_is_more_than_the_logits_it_counts() -> None:
    small = job(llama(vocab_size=64))
    split = layouts(recompute=FULL)
    tokens = tokens_of(small, split)
    found = memory(small, machines(), split)
    kept = 2048 * 1024 * 2
    again = float(kept_bytes_per_layer(small, layouts(), tokens)[0]) - kept
    work = again + float(transient_bytes(small, split, tokens)[0])
    assert part(found, "logits") == 0
    assert part(found, "activations") == pytest.approx(4 * kept + 2048 * 1024 * 2 + work)


def test_the_update_counts_where_it_takes_more_than_the_passes() -> None:
    pure = job(sequence_length=8, numerics=numerics("bf16", "pure"), keeps=EAGER)
    found = memory(pure, machines(), layouts())
    assert part(found, "activations") == part(found, "logits") == 0
    assert part(found, "optimizer") == (4 + 2) * pure.shape.parameters


@pytest.mark.parametrize(("stages", "rounds", "held"), [(4, 8, 4), (4, 2, 2), (2, 8, 2)])
def test_the_first_stage_holds_as_many_micro_batches_as_there_are_stages(stages: int, rounds: int, held: int) -> None:
    """Narayanan et al. 2021, section 2.2.1: one forward and one backward in turn."""
    deep = job(llama(num_hidden_layers=8, vocab_size=64))
    split = layouts(pipeline=stages, micro_batches=rounds)
    tokens = tokens_of(deep, split)
    kept = float(kept_bytes_per_layer(deep, split, tokens)[0])
    found = memory(deep, machines(stages), split)
    work = float(transient_bytes(deep, split, tokens)[0])
    assert part(found, "activations") == pytest.approx(held * 8 / stages * kept + work)


def test_interleaving_holds_more() -> None:
    """Korthikanti et al. 2022, section 4.2.3: 1 + (p - 1) / (p v) times as much as without."""
    deep = job(llama(num_hidden_layers=16, vocab_size=64))
    plain, interleaved = memory(
        deep, machines(4), layouts(pipeline=4, virtual=[1, 4], micro_batches=8)
    ).activations_bytes
    split = layouts(pipeline=4)
    tokens = tokens_of(deep, split)
    work = transient_bytes(deep, split, tokens)[0]
    assert (interleaved - work) / (plain - work) == pytest.approx(1 + 3 / 16)


def test_the_last_stage_alone() -> None:
    deep = job(llama(num_hidden_layers=8))
    split = layouts(pipeline=4, micro_batches=8)
    kept = float(kept_bytes_per_layer(deep, split, tokens_of(deep, split))[0])
    last = memory(deep, machines(4), split, stage="last")
    assert part(last, "activations") == pytest.approx(2 * kept + 2048 * 1024 * 2)
    assert part(last, "logits") > 0
    assert memory(deep, machines(4), split).total_bytes[0] >= last.total_bytes[0]


def test_deepspeed_keeps_what_a_stage_sends() -> None:
    deep = job(llama(num_hidden_layers=8, vocab_size=64), keeps=HAND_FUSED)
    split = layouts(pipeline=4, micro_batches=8)
    without = memory(deep, machines(4), split)
    kept = memory(replace(deep, keeps=replace(HAND_FUSED, keeps_outputs=True)), machines(4), split)
    sent = output_bytes(deep, split, tokens_of(deep, split))[0]
    assert part(kept, "activations") - part(without, "activations") == pytest.approx(4 * sent)


def test_a_division_that_weighs_the_head_gives_the_first_stage_more_layers() -> None:
    """The head weighs as 1.95 of the layers: 8 layers in 4 stages are then 3 in the first."""
    deep = job(llama(num_hidden_layers=8), keeps=replace(HAND_FUSED, balances_head=True))
    split = layouts(pipeline=4, micro_batches=1)
    found = memory(deep, machines(4), split)
    kept = float(kept_bytes_per_layer(deep, split, tokens_of(deep, split))[0])
    assert part(found, "activations") > 3 * kept
    assert NANOTRON.balances_head


def test_offloaded_activations_leave_two_layers_on_the_device() -> None:
    deep = job(llama(num_hidden_layers=16, vocab_size=64))
    stays, goes = memory(deep, machines(), layouts(offload_activations=[0, 1])).activations_bytes
    kept = float(kept_bytes_per_layer(deep, layouts(), tokens_of(deep, layouts()))[0])
    assert stays - goes == pytest.approx(14 * kept)


def test_a_process_takes_more_on_the_first_generations() -> None:
    assert reserves().context(hardware("a100", devices=1)) == 1.4 * units.GIB
    assert reserves().context(hardware("h100", devices=1)) == 0.75 * units.GIB


def test_caches_never_take_more_than_there_is() -> None:
    roomy = machines()
    trained = job(numerics=numerics("fp16", "master", half_gradients=True), keeps=DEEPSPEED, kernels="fused")
    split = layouts(micro_batch=8)
    free = memory(trained, roomy, split)
    usual = reserves().context(roomy) + 0.044 * part(free, "parameters")
    assert part(free, "reserve") > usual
    tight = replace(roomy, entry=replace(roomy.entry, memory_bytes=int(free.total_bytes[0] - 1e8)))
    assert memory(trained, tight, split).total_bytes[0] == pytest.approx(free.total_bytes[0] - 1e8)
    full = replace(roomy, entry=replace(roomy.entry, memory_bytes=1))
    assert part(memory(trained, full, split), "reserve") == pytest.approx(
        reserves().context(roomy) + 0.044 * float(free.allocated_bytes[0])
    )
    unknown = replace(roomy, entry=replace(roomy.entry, memory_bytes=None))
    assert memory(trained, unknown, split).total_bytes[0] == pytest.approx(free.total_bytes[0])


PUBLISHED = [
    ("mcore-ci-small-018", 0.03), ("mcore-ci-small-053", 0.04), ("mcore-ci-small-108", 0.04),
    ("mcore-ci-small-164", 0.08), ("bigscience-032", 0.11), ("bigscience-047", 0.13), ("bigscience-081", 0.13),
    ("torchtitan-001", 0.02), ("torchtitan-005", 0.06), ("torchtitan-008", 0.03), ("torchtune-003", 0.05),
    ("torchtune-005", 0.02), ("torchtune-006", 0.04), ("torchtune-007", 0.03), ("torchtune-012", 0.01),
    ("litgpt-014", 0.07), ("litgpt-016", 0.04), ("litgpt-thunder-001", 0.05), ("litgpt-thunder-003", 0.02),
    ("peft-bench-033", 0.01), ("qwen-012", 0.03), ("qwen-030", 0.06), ("internevo-066", 0.03),
    ("nanotron-007", 0.15), ("nanotron-024", 0.12),
]  # fmt: skip


@pytest.mark.parametrize(("name", "bound"), PUBLISHED)
def test_published_peaks(name: str, bound: float) -> None:
    """The bound is the error reached, rounded up; nothing of a program is fitted to its own peaks."""
    assert abs(score_memory(ROWS[name]).error) <= bound


@pytest.mark.parametrize(
    "name", ["bigscience-082", "bigscience-089", "litgpt-019", "litgpt-045", "litgpt-047", "hf-4bit-009"]
)
def test_published_trainings_that_ran_out_of_memory(name: str) -> None:
    assert score_fits(ROWS[name])


@pytest.mark.parametrize("name", ["hf-4bit-003", "hf-4bit-007", "hf-4bit-012", "bigscience-045", "qwen-079"])
def test_published_trainings_that_fit(name: str) -> None:
    assert score_fits(ROWS[name])


DEGREES = st.sampled_from([1, 2, 4, 8])
SPLITS = st.fixed_dictionaries(
    {
        "data": DEGREES, "tensor": DEGREES, "pipeline": st.sampled_from([1, 2, 4]), "virtual": st.sampled_from([1, 2]),
        "context": st.sampled_from([1, 2]), "shard": st.integers(0, 3), "reshards": st.integers(0, 1),
        "micro_batch": st.integers(1, 8), "micro_batches": st.sampled_from([4, 8, 64]),
        "recompute": st.integers(0, 3), "recompute_share": st.sampled_from([0.25, 1.0]),
        "offload_optimizer": st.integers(0, 1), "offload_activations": st.integers(0, 1),
    }
)  # fmt: skip
KEEPS = st.sampled_from([HAND_FUSED, EAGER, DEEPSPEED, NANOTRON])
METHODS = st.sampled_from(
    [None, Adapter(rank=8), Adapter(rank=16, targets="query-value", base_bytes=0.52, expands=True)]
)


def _split(columns: dict[str, float]) -> Layouts:
    return layouts(**columns)


def _devices(split: Layouts) -> int:
    return int((split.data * split.tensor * split.pipeline * split.context)[0])


@settings(max_examples=200, deadline=None)
@given(columns=SPLITS, keeps=KEEPS, adapter=METHODS, experts=st.booleans())
def test_parts_are_never_negative_and_sum_to_the_total(columns, keeps, adapter, experts) -> None:
    model = llama(num_hidden_layers=8)
    if experts:
        model = llama(architecture="mixtral", num_hidden_layers=8, num_experts=8, num_experts_per_tok=2)
    split = _split(columns)
    for stage in ("fullest", "last"):
        found = memory(job(model, keeps=keeps, adapter=adapter), machines(_devices(split)), split, stage=stage)
        values = [float(getattr(found, field.name)[0]) for field in fields(found)]
        assert min(values) >= 0
        assert np.isfinite(values).all()
        assert found.total_bytes[0] == pytest.approx(sum(values))
        assert found.allocated_bytes[0] <= found.total_bytes[0]


@settings(max_examples=200, deadline=None)
@given(columns=SPLITS, keeps=KEEPS, axis=st.sampled_from(["data", "tensor", "context"]), factor=st.sampled_from([2, 4]))
def test_more_devices_never_raise_what_tensors_take_on_one(columns, keeps, axis, factor) -> None:
    """The micro-batch and the micro-batches of a device stay; what joins two devices at all has a price of its own, and
    so have the buffers of a group of more than two."""
    few = _split({**columns, "data": max(columns["data"], 2), "tensor": max(columns["tensor"], 2),
                  "context": max(columns["context"], 2), "sequence_parallel": 1})  # fmt: skip
    many = replace(few, **{axis: getattr(few, axis) * factor})
    many = replace(many, shard_group=many.replicas)
    trained = job(llama(num_hidden_layers=8, num_attention_heads=32, head_dim=32, num_key_value_heads=32), keeps=keeps)
    before, after = (
        found.total_bytes[0] - found.communication_bytes[0]
        for found in (memory(trained, machines(_devices(split)), split) for split in (few, many))
    )
    assert after <= before * (1 + 1e-12)


@settings(max_examples=300, deadline=None)
@given(
    columns=SPLITS,
    keeps=KEEPS,
    axis=st.sampled_from(["data", "tensor", "context"]),
    factor=st.sampled_from([2, 4, 8]),
    shard=st.integers(0, 3),
)
def test_the_first_division_raises_only_what_travels(columns, keeps, axis, factor, shard) -> None:
    """From one device on: moments, activations and logits never grow, whatever is divided.

    Weights and gradients may: buckets of gradients, and layers that are gathered, are there from two devices on.
    """
    few = _split({**columns, "shard": shard, "sequence_parallel": 1, axis: 1})
    many = replace(few, **{axis: getattr(few, axis) * factor})
    many = replace(many, shard_group=many.replicas)
    trained = job(llama(num_hidden_layers=8, num_attention_heads=32, head_dim=32, num_key_value_heads=32), keeps=keeps)
    before, after = (memory(trained, machines(_devices(split)), split) for split in (few, many))

    def still(parts: MemoryParts) -> float:
        return part(parts, "optimizer") + part(parts, "activations") + part(parts, "logits")

    assert still(after) <= still(before) * (1 + 1e-12)
    if shard == 0 and axis == "data":
        assert part(after, "parameters") == part(before, "parameters")
        assert part(after, "gradients") >= part(before, "gradients")


@settings(max_examples=100, deadline=None)
@given(columns=SPLITS, keeps=KEEPS)
def test_more_recomputation_never_keeps_more_between_layers(columns, keeps) -> None:
    """A layer in work may hold more; what all layers keep does not grow."""
    trained = job(llama(num_hidden_layers=8), keeps=keeps)
    columns = {**columns, "recompute": [0, 1, 3], "recompute_share": 1.0}
    split = _split(columns)
    kept = kept_bytes_per_layer(trained, split, tokens_of(trained, split))
    assert kept[0] >= kept[1] >= kept[2] > 0


@pytest.mark.parametrize("shard", [0, 1, 2])
def test_the_next_stage_of_zero_never_takes_more(shard: int) -> None:
    trained = job(llama(num_hidden_layers=32, vocab_size=64))
    less, more = memory(trained, machines(8), layouts(data=8, shard=[shard + 1, shard], micro_batches=4)).total_bytes
    assert less < more
    assert PARAMETERS == 3


def test_collectives_need_buffers_for_each_group() -> None:
    """392 MiB for a group of eight or four, 342 MiB for one of two (the catalogue's nccl-buffer)."""
    alone = memory(job(), machines(), layouts())
    split = layouts(data=[8, 2, 1], tensor=[1, 4, 4], pipeline=[1, 1, 2])
    buffers = memory(job(), machines(8), split).communication_bytes / units.MIB
    assert part(alone, "communication") == 0
    assert list(buffers) == [392, 342 + 392, 392 + 342]


def test_the_moment_of_the_peak_is_told() -> None:
    """Whole logits; eight more tokens' worth of work in a layer than in a small loss; an update of few tokens."""
    small = job(llama(vocab_size=64))
    pure = job(sequence_length=8, numerics=numerics("bf16", "pure"), keeps=EAGER)
    found = [moments(trained, layouts())[0] for trained in (job(), small, pure)]
    assert found == ["forward", "backward", "update"]


def test_products_work_in_larger_buffers_since_hopper() -> None:
    split = layouts()
    bare, early, late = (
        part(memory(job(), machine, split), "activations")
        for machine in (machines(), hardware("a100", devices=1), hardware("h100", devices=1))
    )
    assert early - bare == 12 * units.MIB
    assert late - bare == 64 * units.MIB


def test_experts_work_on_four_streams() -> None:
    mixture = job(llama(architecture="mixtral", num_experts=8, num_experts_per_tok=2))
    bare, late = (
        part(memory(mixture, machine, layouts()), "activations")
        for machine in (machines(), hardware("h100", devices=1))
    )
    assert late - bare == (32 + 32 + 4 * 32) * units.MIB
