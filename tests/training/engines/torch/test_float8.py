"""Products of 8-bit floats: near to the exact ones in both passes, really made, and emulated on a processor."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from headway.resilience.checkpoint import CheckpointStore
from headway.training.engines import build_engine
from headway.training.engines.torch.float8 import GRADIENTS, VALUES, float8_product, is_emulated, round_matrix
from headway.training.engines.torch.products import project
from tests.training.engines.contract import assert_equal, copy_of
from tests.training.engines.torch.real_text import losses_of, recipe_of, run


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def test_a_product_by_hand() -> None:
    """The largest of (2, -1) becomes 448, so that 1 is 224; of (4, 1.7), 1.7 is 190.4, nearest to 192 of e4m3."""
    a, b = torch.tensor([[2.0, -1.0]]), torch.tensor([[4.0, 1.7]])
    codes, scale = round_matrix(b, VALUES)
    assert codes.float().tolist() == [[448, 192]]
    assert scale.item() == pytest.approx(4 / 448)
    expected = 2 * 4 - 1 * 192 * 4 / 448
    assert float8_product(a, b, False).item() == pytest.approx(expected)
    codes, scale = round_matrix(b, GRADIENTS)
    assert codes.float().tolist() == [[57344, 24576]], "of e5m2, whose largest is 57,344, with two digits fewer"
    assert float8_product(b, a, True).item() == pytest.approx(2 * 4 - 24576 * 4 / 57344)


def test_both_passes_are_near_to_exact_ones_and_differ_from_them() -> None:
    x, weight = random(2, 24, 64).requires_grad_(), random(48, 64, seed=1).requires_grad_()
    gradient = random(2, 24, 48, seed=3)
    found = [
        (y.detach(), *torch.autograd.grad(y, (x, weight), gradient))
        for y in (project(x, weight, "fp8"), torch.nn.functional.linear(x, weight))
    ]
    errors = [((ours - exact).norm() / exact.norm()).item() for ours, exact in zip(*found, strict=True)]
    assert 1e-2 < errors[0] < 5e-2, "three digits behind the point"
    assert all(errors[0] < error < 1e-1 for error in errors[1:]), "gradients have two"


def test_zeros_and_what_is_not_finite_stay_so() -> None:
    assert torch.equal(float8_product(torch.zeros(4, 8), random(3, 8), True), torch.zeros(4, 3))
    wrong = random(4, 8)
    wrong[1, 2] = torch.inf
    assert not torch.isfinite(float8_product(wrong, random(3, 8), False)[1]).any()


def test_a_processor_emulates() -> None:
    assert is_emulated(torch.device("cpu"))
    assert build_engine(recipe_of(precision="fp8")).notices == ("training-float8-emulated",)
    assert build_engine(recipe_of(precision="bf16")).notices == ()


def test_losses_are_near_to_fp32_and_differ(text_folder: Path) -> None:
    wide, narrow = losses_of(text_folder, 60), losses_of(text_folder, 60, precision="fp8")
    assert wide[0] != narrow[0]
    assert np.abs(np.array(wide) - narrow).max() < 1.5e-2
    assert abs(np.mean(wide[-20:]) - np.mean(narrow[-20:])) < 5e-3
    assert narrow[-1] < 0.6 * narrow[0]


def test_resume_is_exact(text_folder: Path, tmp_path: Path) -> None:
    straight, first = (build_engine(recipe_of(precision="fp8")) for _ in range(2))
    losses = run(straight, text_folder, range(4))
    run(first, text_folder, range(2))
    CheckpointStore(tmp_path).save(copy_of(first.snapshot(), step=2))
    loaded, _ = CheckpointStore(tmp_path).load_newest()
    assert loaded is not None
    second = build_engine(recipe_of(precision="fp8", seed=99))
    second.load(loaded)
    assert run(second, text_folder, range(2, 4)) == losses[2:]
    assert_equal(straight.snapshot(), second.snapshot())
