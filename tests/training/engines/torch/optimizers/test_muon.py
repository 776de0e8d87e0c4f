"""Muon by hand, beside PyTorch's own, and on real text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from headway.training.engines import build_engine
from headway.training.engines.torch.optimizers.lodging import Lodging
from headway.training.engines.torch.optimizers.muon import Muon, is_hidden, orthogonalised
from tests.training.engines.contract import copy_of
from tests.training.engines.torch.real_text import batch_of, losses_of, recipe_of

SHAPES = [(32, 32), (16, 64), (64, 16)]

BESIDE = Lodging(is_host=False)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed))


def iterated(value: float) -> float:
    """Return what five iterations make of one singular value."""
    for _ in range(5):
        value = 3.4445 * value - 4.7750 * value**3 + 2.0315 * value**5
    return value


def test_singular_values_by_hand() -> None:
    """diag(3, 4) has the norm 5, and so the values 0.6 and 0.8; each goes its own way through the polynomial."""
    found = orthogonalised(torch.diag(torch.tensor([3.0, 4.0])))
    expected = torch.diag(torch.tensor([iterated(0.6), iterated(0.8)]))
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-6)
    assert iterated(0.6) == pytest.approx(0.955, abs=0.25)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_singular_values_are_near_one_and_vectors_stay(shape: tuple[int, int], dtype: torch.dtype) -> None:
    left, values, right = torch.linalg.svd(random(*shape), full_matrices=False)
    matrix = left @ torch.diag(torch.linspace(0.05, 1, len(values))) @ right
    found = orthogonalised(1000 * matrix, dtype)
    assert found.shape == shape
    turned = left.t() @ found @ right.t()
    diagonal = turned.diagonal()
    assert diagonal.min() > 0.6
    assert diagonal.max() < 1.3
    assert (turned - torch.diag(diagonal)).abs().max() < (1e-4 if dtype == torch.float32 else 0.05)


def test_a_matrix_of_zeros_stays_so() -> None:
    assert not orthogonalised(torch.zeros(4, 8)).any()


@pytest.mark.parametrize("shape", SHAPES)
def test_steps_are_those_of_pytorch(shape: tuple[int, int]) -> None:
    ours, theirs = torch.nn.Parameter(random(*shape)), torch.nn.Parameter(random(*shape))
    muon = Muon([ours], torch.bfloat16, BESIDE, decay=0.1)
    muon.param_groups[0]["lr"] = 1e-2
    other = torch.optim.Muon([theirs], lr=1e-2, weight_decay=0.1, adjust_lr_fn="match_rms_adamw")
    for step in range(5):
        for weight, optimizer in ((ours, muon), (theirs, other)):
            weight.grad = random(*shape, seed=step + 1)
            optimizer.step()
    moved = (theirs - random(*shape)).norm()
    assert (ours - theirs).norm() < 0.05 * moved


def test_an_update_is_as_large_as_one_of_adamw() -> None:
    """0.2 sqrt(max(rows, columns)) times an orthogonal matrix: a root mean square of about 0.2 for full rank."""
    for shape in SHAPES:
        weight = torch.nn.Parameter(torch.zeros(shape))
        muon = Muon([weight], torch.float32, BESIDE, decay=0.0)
        muon.param_groups[0]["lr"] = 1.0
        weight.grad = random(*shape)
        muon.step()
        assert weight.detach().square().mean().sqrt().item() == pytest.approx(0.2, rel=0.2)


def test_embeddings_head_norms_and_biases_are_for_adamw(text_folder: Path) -> None:
    engine = build_engine(recipe_of(optimizer="muon"))
    engine.step([batch_of(text_folder, 0)], 1e-3)
    snapshot = copy_of(engine.snapshot())
    for name, array in snapshot.parameters.items():
        hidden = {f"{name}.momentum_buffer"} if is_hidden(name, array.shape) else set()
        kept = {key for key in snapshot.optimizer if key.startswith(f"{name}.")}
        assert kept == (hidden or {f"{name}.exp_avg", f"{name}.exp_avg_sq"})
    assert is_hidden("model.layers.0.mlp.up_proj.weight", (4, 4))
    assert not any(
        is_hidden(name, shape)
        for name, shape in (
            ("model.embed_tokens.weight", (4, 4)), ("lm_head.weight", (4, 4)),
            ("model.layers.0.input_layernorm.weight", (4,)), ("model.layers.0.self_attn.q_proj.bias", (4,)),
        )
    )  # fmt: skip


def test_only_matrices_decay(text_folder: Path) -> None:
    """Without a gradient's help: what a decay of 0.5 takes away is what lies between two trainings."""
    ends = []
    for decay in (0.0, 0.5):
        engine = build_engine(recipe_of(optimizer="muon", weight_decay=decay))
        before = copy_of(engine.snapshot())
        engine.step([batch_of(text_folder, 0)], 1e-2)
        ends.append(copy_of(engine.snapshot()).parameters)
    for name, begun in before.parameters.items():
        taken = 1e-2 * 0.5 * begun if begun.ndim == 2 else 0 * begun
        np.testing.assert_allclose(ends[0][name] - ends[1][name], taken, atol=2e-7, err_msg=name)


def test_the_loss_falls_as_fast_as_with_adamw(text_folder: Path) -> None:
    muon, adamw = (np.array(losses_of(text_folder, 60, optimizer=name)) for name in ("muon", "adamw"))
    assert muon[-20:].mean() < adamw[-20:].mean() + 0.01
    assert muon[-1] < 0.6 * muon[0]
