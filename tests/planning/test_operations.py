import pytest

from headway.planning.flops import forward_flops_per_token, training_flops_per_token
from headway.planning.operations import Traffic, Workload, micro_batch_operations, update_operations
from headway.recipe import ModelConfig, resolve_recipe
from tests.planning.conftest import TINY


def work_of(model: ModelConfig, dtype: str = "fp32", **rest: object) -> Workload:
    return Workload(model=model, sequences=2, sequence_length=8, dtype=dtype, **rest)  # type: ignore[arg-type]


@pytest.mark.parametrize("preset", ["llama-3.2-1b", "gpt2", "mixtral-8x7b", "qwen3-0.6b"])
def test_the_operations_have_the_flops_of_the_formula(preset: str) -> None:
    model = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1}}).model
    work = Workload(model=model, sequences=2, sequence_length=512, dtype="bf16")
    operations = micro_batch_operations(work)
    forward = forward_flops_per_token(model, 512)
    counted = {"forward": 0.0, "backward": 0.0}
    for operation in operations:
        counted[operation.passes] += operation.flops * operation.repeats
    attention = forward.attention_scores + forward.attention_values
    # The head does all of its work in the forward pass, and fused attention half a pass more in the backward one.
    assert counted["forward"] == pytest.approx(work.tokens * (forward.total + 2 * forward.head), rel=1e-6)
    total = work.tokens * (training_flops_per_token(model, 512) + 0.5 * attention)
    assert sum(counted.values()) == pytest.approx(total, rel=1e-6)


def test_a_layer_in_operations(tiny: ModelConfig) -> None:
    operations = micro_batch_operations(work_of(tiny))
    linears = {op.name: op for op in operations if op.kind == "linear" and op.passes == "forward"}
    assert {name.rpartition(".")[2] for name in linears} == {
        *("q_proj", "k_proj", "v_proj", "o_proj"),
        *("gate_proj", "up_proj", "down_proj"),
    }
    gate = linears["mlp.gate_proj"]
    assert gate.shape == (16, 4, 6)
    assert gate.flops == 2 * 16 * 24
    assert gate.moved_bytes == 4 * (16 * 4 + 16 * 6 + 24)
    assert gate.repeats == 2
    attention = next(op for op in operations if op.kind == "attention")
    assert attention.shape == (2, 2, 1, 8, 2)
    assert attention.flops == 4 * 16 * 2 * 2 * 4.5


def test_rounding_of_weights_moves_bytes_in_bf16_only(tiny: ModelConfig) -> None:
    assert Traffic(casts=1).bytes_per_element("fp32") == 0
    assert Traffic(casts=1).bytes_per_element("bf16") == 6
    assert Traffic(plain=2, fp32=1).bytes_per_element("bf16") == 8


def test_a_compiler_moves_less(tiny: ModelConfig) -> None:
    eager = sum(op.moved_bytes * op.repeats for op in micro_batch_operations(work_of(tiny)))
    fused = sum(op.moved_bytes * op.repeats for op in micro_batch_operations(work_of(tiny, is_compiled=True)))
    assert fused < eager


def test_experts_share_the_tokens() -> None:
    model = ModelConfig.model_validate({**TINY, "num_experts": 4, "num_experts_per_tok": 1})
    gate = next(op for op in micro_batch_operations(work_of(model)) if op.name == "mlp.experts.{expert}.gate_proj")
    assert gate.shape == (4, 4, 6)
    assert gate.repeats == 2 * 4


def test_latent_attention_is_as_wide_as_its_keys() -> None:
    model = resolve_recipe({"model": {"preset": "deepseek-v3"}, "training": {"steps": 1}}).model
    attention = next(op for op in micro_batch_operations(work_of(model)) if op.kind == "attention")
    assert attention.shape[-1] == 192


def test_the_end_of_a_step() -> None:
    assert [op.name for op in update_operations(100, accumulations=0)] == ["adamw"]
    adamw, accumulate = update_operations(100, accumulations=3)
    # Weight, gradient and two moments are read, three are written; the norm reads the gradient, clipping scales it.
    assert adamw.moved_bytes == 10 * 400
    assert accumulate.moved_bytes == 3 * 400
    assert accumulate.repeats == 3
