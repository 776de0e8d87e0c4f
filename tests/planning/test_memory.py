from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.machine import Machine
from headway.machine.measurements import Measurements
from headway.planning.activations import head_bytes, kept_bytes
from headway.planning.adapters import Adapters
from headway.planning.device import Processors, processors
from headway.planning.measured import MeasuredDevice
from headway.planning.memory import Memory, Share, plan_memory
from headway.planning.operations import Workload
from headway.planning.parameters import count_parameters
from headway.recipe import ModelConfig, Recipe, resolve_recipe

MakeRecipe = Callable[..., Recipe]
SHARDS = ("none", "optimizer", "gradients", "parameters")


BARE = Processors(
    cost=MeasuredDevice(()),
    peak_flops_per_second=1.0,
    capacity_bytes=None,
    measurements=Measurements(measured_at="", elapsed_seconds=0.0),
)
"""Without a framework, so that nothing but the model's own bytes and the heap's slack counts."""


def llama_recipe() -> Recipe:
    return resolve_recipe({"model": {"preset": "llama-3.2-1b"}, "training": {"steps": 1}})


def llama_memory(
    *, sequences: int = 1, length: int = 512, dtype: str = "bf16", share: Share | None = None, accumulations: int = 1
) -> Memory:
    recipe = llama_recipe()
    work = Workload(model=recipe.model, sequences=sequences, sequence_length=length, dtype=dtype)
    return plan_memory(work, BARE, share or Share(), accumulations=accumulations)


def test_the_forward_moment_by_hand() -> None:
    found = llama_memory(sequences=8, length=2048)
    recipe = llama_recipe()
    work = Workload(model=recipe.model, sequences=8, sequence_length=2048, dtype="bf16")
    parameters = count_parameters(recipe.model)
    # 16 layers of 2048 x (2048 + 512 + 512 + 2048) + 3 x 2048 x 8192 weights are kept rounded to 2 bytes.
    rounded = 16 * (2048 * (2 * 2048 + 2 * 512) + 3 * 2048 * 8192)
    assert found.moment == "forward"
    assert found.parts.parameters_bytes == 4 * parameters + 2 * rounded
    assert found.parts.gradients_bytes == 4 * parameters
    assert found.parts.optimizer_bytes == 8 * parameters
    assert found.parts.activations_bytes == kept_bytes(work)
    assert found.parts.logits_bytes == head_bytes(work)
    coming = found.parts.activations_bytes + found.parts.logits_bytes
    staying = found.parts.optimizer_bytes + found.parts.gradients_bytes
    assert found.parts.reserve_bytes == pytest.approx(0.25 * min(staying, coming) + 0.25 * coming)
    assert found.parts.communication_bytes == 0


def test_without_accumulation_gradients_come_when_activations_go() -> None:
    accumulating, single = (
        llama_memory(sequences=8, length=2048),
        llama_memory(sequences=8, length=2048, accumulations=0),
    )
    assert single.device_peak_bytes < accumulating.device_peak_bytes
    assert single.parts.gradients_bytes == 0


def test_tiny_batches_peak_at_the_update() -> None:
    found = llama_memory(sequences=1, length=1, dtype="fp32", accumulations=0)
    assert found.moment == "update"
    assert found.parts.activations_bytes == 0


def test_the_backward_pass_can_be_the_peak(machine: Machine) -> None:
    recipe = resolve_recipe(
        {
            "model": {
                "hidden_size": 64, "intermediate_size": 4096, "num_hidden_layers": 1, "num_attention_heads": 2,
                "vocab_size": 64, "max_position_embeddings": 512,
            },
            "training": {"steps": 1},
            "hardware": {"accelerator": "cpu"},
        }
    )  # fmt: skip
    work = Workload(model=recipe.model, sequences=8, sequence_length=512, dtype="fp32")
    found = plan_memory(work, processors(recipe, machine), Share(), accumulations=1)
    assert found.moment == "backward"


def test_waiting_gradients_of_fp32_pin_more_of_the_heap() -> None:
    for dtype, accumulations, share in (("fp32", 1, 0.7), ("fp32", 0, 0.25), ("bf16", 1, 0.25)):
        parts = llama_memory(dtype=dtype, accumulations=accumulations).parts
        coming = parts.activations_bytes + parts.logits_bytes
        staying = parts.optimizer_bytes + parts.gradients_bytes
        assert parts.reserve_bytes == pytest.approx(share * min(staying, coming) + 0.25 * coming)


@pytest.mark.parametrize(
    ("shard", "gradients", "optimizer", "weights"),
    [("none", 1, 1, 1), ("optimizer", 1, 8, 1), ("gradients", 8, 8, 1), ("parameters", 8, 8, 8)],
)
def test_stages_divide_what_they_say(shard: str, gradients: int, optimizer: int, weights: int) -> None:
    parts = llama_memory(dtype="fp32", share=Share(degree=8, shard=shard)).parts
    parameters = count_parameters(llama_recipe().model)
    assert parts.gradients_bytes == pytest.approx(4 * parameters / gradients)
    assert parts.optimizer_bytes == pytest.approx(8 * parameters / optimizer)
    assert parts.parameters_bytes == pytest.approx(4 * parameters / weights)
    assert parts.communication_bytes > 0


def test_a_cpu_counts_the_whole_process(machine: Machine, make_recipe: MakeRecipe) -> None:
    recipe = make_recipe()
    work = Workload(model=recipe.model, sequences=8, sequence_length=256, dtype="bf16")
    found = plan_memory(work, processors(recipe, machine), Share(), accumulations=1)
    assert found.parts.reserve_bytes > 350 * 2**20
    assert found.device_capacity_bytes == 8 * 2**30
    assert found.fits is True


@given(
    sequences=st.integers(1, 64),
    length=st.integers(1, 8192),
    dtype=st.sampled_from(["fp32", "bf16"]),
    degree=st.integers(1, 1024),
    shard=st.sampled_from(SHARDS),
    accumulations=st.integers(0, 3),
)
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_parts_sum_to_the_peak(
    sequences: int, length: int, dtype: str, degree: int, shard: str, accumulations: int
) -> None:
    found = llama_memory(
        sequences=sequences,
        length=length,
        dtype=dtype,
        share=Share(degree=degree, shard=shard),
        accumulations=accumulations,
    )
    parts = [getattr(found.parts, name) for name in found.parts.__dataclass_fields__]
    assert sum(parts) == pytest.approx(found.device_peak_bytes)
    assert min(parts) >= 0
    assert found.device_peak_bytes_low < found.device_peak_bytes < found.device_peak_bytes_high


@given(degree=st.integers(2, 4096), more=st.integers(1, 4096), shard=st.sampled_from(SHARDS))
@settings(deadline=None)
def test_more_devices_never_need_more_memory_each(degree: int, more: int, shard: str) -> None:
    few = llama_memory(share=Share(degree=degree, shard=shard)).device_peak_bytes
    many = llama_memory(share=Share(degree=degree + more, shard=shard)).device_peak_bytes
    assert many <= few


@given(sequences=st.integers(1, 63))
@settings(deadline=None)
def test_more_sequences_never_need_less_memory(sequences: int) -> None:
    assert (
        llama_memory(sequences=sequences).device_peak_bytes <= llama_memory(sequences=sequences + 1).device_peak_bytes
    )


def test_a_base_in_4_bits_by_hand(tiny: ModelConfig) -> None:
    """Projections in 4 bits, the rest in bf16; and one of them expanded at a time, the largest."""
    plans = {
        packed: plan_memory(
            Workload(
                model=tiny, sequences=1, sequence_length=8, dtype="bf16",
                adapters=Adapters(rank=2, targets="all", packed=packed),
            ),
            BARE, Share(), accumulations=0,
        )
        for packed in (False, True)
    }  # fmt: skip
    # A layer: q and o 4 x 4, k and v 2 x 4, gate and up 6 x 4, down 4 x 6.
    rows = {4: 4 + 4 + 2 + 2 + 6 + 6, 6: 4}
    packed = sum(count * (columns // 2 + 1 + 4) for columns, count in rows.items())
    plain = 2 * sum(count * columns for columns, count in rows.items())
    parts = {name: planned.parts for name, planned in plans.items()}
    assert parts[False].parameters_bytes - parts[True].parameters_bytes == 2 * (plain - packed)
    assert {planned.moment for planned in plans.values()} <= {"forward", "backward"}
