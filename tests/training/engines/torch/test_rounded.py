"""Products of 8-bit integers: near to the exact ones in both passes, and really made."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from headway.planning.choice import Layout
from headway.resilience.checkpoint import CheckpointStore
from headway.training.engines import build_engine
from headway.training.engines.torch import rounded
from headway.training.engines.torch.model import Linear, Llama
from headway.training.engines.torch.products import project
from headway.training.engines.torch.rounded import int8_product, round_rows
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.real_text import losses_of, recipe_of, run


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_a_product_by_hand() -> None:
    """Rows (2, -1) and (0, 0) by row (4, 1): scales 2/127, 0 and 4/127; codes (127, -64) and (127, 32)."""
    a, b = torch.tensor([[2.0, -1.0], [0.0, 0.0]]), torch.tensor([[4.0, 1.0]])
    codes, scales = round_rows(a)
    assert codes.tolist() == [[127, -64], [0, 0]]
    assert scales.flatten().tolist() == pytest.approx([2 / 127, 0])
    expected = (127 * 127 - 64 * 32) * (2 / 127) * (4 / 127)
    assert int8_product(a, b).flatten().tolist() == pytest.approx([expected, 0.0])


@pytest.mark.parametrize(("rows", "inner", "columns"), [(64, 32, 16), (3, 5, 7), (1, 1, 1), (17, 8, 9)])
def test_any_shape_is_multiplied(rows: int, inner: int, columns: int) -> None:
    """Shapes that the kernel of an accelerator does not take are filled up with zeros."""
    a, b = random(rows, inner), random(columns, inner, seed=1)
    codes = [round_rows(one)[0].double() for one in (a, b)]
    scales = [round_rows(one)[1].double() for one in (a, b)]
    exact = codes[0] @ codes[1].t() * scales[0] * scales[1].t()
    torch.testing.assert_close(int8_product(a, b).double(), exact, rtol=1e-5, atol=1e-6)


def test_both_passes_are_near_to_exact_ones_and_differ_from_them() -> None:
    x, weight = random(2, 24, 64).requires_grad_(), random(48, 64, seed=1).requires_grad_()
    bias, gradient = random(48, seed=2).requires_grad_(), random(2, 24, 48, seed=3)
    found = []
    for product in (project(x, weight, "int8"), torch.nn.functional.linear(x, weight)):
        y = product + bias
        found.append((y.detach(), *torch.autograd.grad(y, (x, weight, bias), gradient)))
    for ours, exact in zip(found[0][:3], found[1][:3], strict=True):
        error = ((ours - exact).norm() / exact.norm()).item()
        assert 1e-4 < error < 2e-2
    torch.testing.assert_close(found[0][3], found[1][3])


def test_what_is_not_finite_stays_so() -> None:
    a = random(20, 16)
    a[3, 5] = torch.inf
    assert not torch.isfinite(int8_product(a, random(8, 16, seed=1))[3]).any()
    assert torch.isfinite(int8_product(a, random(8, 16, seed=1))[4]).all()


def test_gradients_that_nobody_needs_are_not_computed() -> None:
    x, weight = random(20, 16), random(8, 16, seed=1).requires_grad_()
    project(x, weight, "int8").sum().backward()
    assert x.grad is None
    assert weight.grad is not None


@pytest.mark.parametrize(("training", "count"), [({}, 14), ({"method": "lora", "adapter_rank": 4}, 14)])
def test_the_layers_products_are_rounded_and_no_others(training: dict[str, Any], count: int, text_folder: Path) -> None:
    """Seven projections of two layers, and neither the output projection nor adapters."""
    engine: Any = build_engine(recipe_of(precision="int8", **training))
    (model,) = engine._parts
    assert isinstance(model, Llama)
    assert model.dtype == torch.bfloat16
    found = [name for name, module in model.named_modules() if isinstance(module, Linear) and module.products == "int8"]
    assert len(found) == count
    assert not any("lora" in name or "head" in name for name in found)
    assert run(engine, text_folder, range(2))[0] == pytest.approx(np.log(256), rel=0.01)


def test_losses_are_near_to_bf16_and_differ(text_folder: Path) -> None:
    wide, narrow = losses_of(text_folder, 60, precision="bf16"), losses_of(text_folder, 60, precision="int8")
    assert wide[0] != narrow[0]
    assert np.abs(np.array(wide) - narrow).max() < 2e-2
    assert abs(np.mean(wide[-20:]) - np.mean(narrow[-20:])) < 1e-2
    assert narrow[-1] < 0.6 * narrow[0]


def test_resume_is_exact(text_folder: Path, tmp_path: Path) -> None:
    straight, first = (build_engine(recipe_of(precision="int8")) for _ in range(2))
    losses = run(straight, text_folder, range(6))
    run(first, text_folder, range(3))
    CheckpointStore(tmp_path).save(copy_of(first.snapshot(), step=3))
    loaded, _ = CheckpointStore(tmp_path).load_newest()
    assert loaded is not None
    second = build_engine(recipe_of(precision="int8", seed=99))
    second.load(loaded)
    assert run(second, text_folder, range(3, 6)) == losses[3:]
    assert_equal(straight.snapshot(), second.snapshot())


@pytest.mark.parametrize(("level", "again"), [("none", 0), ("selective", 0), ("products", 2 * 4), ("full", 2 * 7)])
def test_what_is_computed_again_is_the_same(
    level: str, again: int, text_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of seven products of two layers, every second is kept where products are."""
    made = []

    def counted(x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        made.append(x.shape)
        return round_rows(x)

    layout = Layout(
        data_parallel_degree=1, shard="none", micro_batch_size=8, gradient_accumulation_steps=1, recompute=level
    )
    kept, other = build_engine(recipe_of(precision="int8")), build_engine(recipe_of(precision="int8"), layout=layout)
    expected = run(kept, text_folder, range(2))
    monkeypatch.setattr(rounded, "round_rows", counted)
    assert run(other, text_folder, range(2)) == expected
    assert len(made) == 2 * 2 * (2 * 7 * 3 + again)
