"""The PyTorch engine keeps the contract, and does its arithmetic as it says."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
import torch

from headway.errors import MissingDependencyError, TrainingError
from headway.planning.choice import Layout
from headway.recipe import resolve_recipe
from headway.training.engines import build_engine
from headway.training.engines.torch.engine import _require_named_device
from tests.training.engines.contract import EngineContract, copy_of, make_batch, make_recipe


class TestTorchEngine(EngineContract):
    engine_name = "torch"


def test_update_is_adamw_with_decay_on_matrices_only() -> None:
    """One step by hand. Source: Loshchilov and Hutter 2019 (arXiv:1711.05101), algorithm 2."""
    engine = build_engine(make_recipe("torch", weight_decay=0.5, gradient_clip_norm=1e9))
    before = copy_of(engine.snapshot())
    rate, epsilon = 1e-2, 1e-8
    engine.step([make_batch(0)], rate)
    after = engine.snapshot()
    for name, decay in (("model.layers.0.mlp.up_proj.weight", 0.5), ("model.norm.weight", 0.0)):
        gradient = after.optimizer[f"{name}.exp_avg"].astype(np.float64) / (1 - 0.9)
        update = gradient / (np.abs(gradient) + epsilon)
        expected = before.parameters[name] * (1 - rate * decay) - rate * update
        np.testing.assert_allclose(after.parameters[name], expected, atol=2e-6)


def test_gradient_norm_is_exact() -> None:
    engine = build_engine(make_recipe("torch", gradient_clip_norm=1e9))
    result = engine.step([make_batch(0)], 1e-3)
    moments = engine.snapshot().optimizer
    squares = [np.square(array.astype(np.float64) / (1 - 0.9)).sum() for name, array in moments.items()
               if name.endswith(".exp_avg")]  # fmt: skip
    assert result.gradient_norm == pytest.approx(np.sqrt(sum(squares)), rel=1e-6)


@pytest.mark.parametrize(
    ("preset", "architecture"), [("gpt2", "gpt2"), ("mixtral-8x7b", "mixtral"), ("deepseek-v3", "deepseek_v3")]
)
def test_models_it_does_not_have_are_refused(preset: str, architecture: str) -> None:
    recipe = resolve_recipe({"model": {"preset": preset}, "training": {"steps": 1, "sequence_length": 8}})
    with pytest.raises(TrainingError) as refused:
        build_engine(recipe)
    assert refused.value.arguments["architecture"] == architecture


@pytest.mark.skipif(torch.cuda.is_available(), reason="the refusal needs a machine without CUDA")
def test_a_missing_accelerator_is_refused() -> None:
    recipe = make_recipe("torch")
    hardware = recipe.hardware.model_copy(update={"accelerator": "h100-sxm-80gb"})
    with pytest.raises(TrainingError, match="training-no-accelerator"):
        build_engine(recipe.model_copy(update={"hardware": hardware}))


def test_a_layout_for_more_processes_than_there_are_is_refused() -> None:
    layout = Layout(data_parallel_degree=4, shard="none", micro_batch_size=1, gradient_accumulation_steps=2)
    with pytest.raises(TrainingError, match="training-world-size") as refused:
        build_engine(make_recipe("torch"), layout=layout)
    assert refused.value.arguments == {"layout": 4, "size": 1}


@pytest.mark.parametrize("found", ["NVIDIA A100-SXM4-80GB", "An unknown device"])
def test_another_accelerator_than_the_planned_one_is_refused(found: str) -> None:
    _require_named_device("h100-sxm-80gb", "NVIDIA H100 80GB HBM3")
    with pytest.raises(TrainingError, match="training-other-accelerator"):
        _require_named_device("h100-sxm-80gb", found)


def test_a_missing_framework_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "headway.training.engines.torch.engine", None)
    monkeypatch.delitem(sys.modules, "headway.training.engines.torch.engine")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingDependencyError) as missing:
        build_engine(make_recipe("torch"))
    assert missing.value.arguments == {"engine": "torch", "extra": "torch"}


def test_a_process_does_not_wait_for_the_compiler() -> None:
    """PyTorch imports its compiler, and that a library for algebra, at many places: half of the time to start."""
    program = """
import sys
import headway.training.worker
from headway.training.engines import build_engine
from tests.training.engines.contract import make_batch, make_recipe
engine = build_engine(make_recipe("torch"))
engine.step([make_batch(0)], 1e-3)
engine.evaluate([make_batch(1)])
engine.load(engine.snapshot())
print([name for name in ("torch._dynamo", "sympy", "torch.distributed.tensor") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="needs a CUDA device")
def test_cuda_step_equals_cpu_step() -> None:
    recipe = make_recipe("torch")
    on_cpu = build_engine(recipe)
    hardware = recipe.hardware.model_copy(update={"accelerator": "auto"})
    on_gpu = build_engine(recipe.model_copy(update={"hardware": hardware}))
    on_gpu.load(copy_of(on_cpu.snapshot()))
    for step in range(3):
        batch = [make_batch(step)]
        assert on_gpu.step(batch, 1e-3).loss == pytest.approx(on_cpu.step(batch, 1e-3).loss, rel=1e-4)


@pytest.mark.filterwarnings("default")  # PyTorch's compiler warns of its own code
def test_compiled_model_learns_the_same() -> None:
    eager, compiled = build_engine(make_recipe("torch")), build_engine(make_recipe("torch", compile=True))
    for step in range(3):
        batch = [make_batch(step)]
        assert compiled.step(batch, 1e-3).loss == pytest.approx(eager.step(batch, 1e-3).loss, rel=1e-4)
