"""AdamW of 16- and 8-bit moments is AdamW, but for the rounding."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from headway.training.engines.torch.native import activate_native, load_native
from headway.training.engines.torch.optimizers import compact
from headway.training.engines.torch.optimizers.compact import CompactAdamW
from headway.training.engines.torch.optimizers.lodging import Lodging
from headway.training.engines.torch.optimizers.moments import FORMS

RATE, BETAS, EPSILON, DECAY = 1e-2, (0.9, 0.95), 1e-8, 0.1

BESIDE = Lodging(is_host=False)


def trained(make: Callable[[list[dict[str, object]]], torch.optim.Optimizer], steps: int) -> list[torch.Tensor]:
    """Return a matrix and a vector after some steps on the same gradients."""
    generator = torch.Generator().manual_seed(0)
    weights = [torch.nn.Parameter(torch.randn(shape, generator=generator)) for shape in ((24, 64), (64,))]
    groups = [{"params": weights[:1], "weight_decay": DECAY}, {"params": weights[1:], "weight_decay": 0.0}]
    optimizer = make(groups)
    for _ in range(steps):
        for weight in weights:
            weight.grad = torch.randn(weight.shape, generator=generator)
        optimizer.step()
    return [weight.detach() for weight in weights]


def of_torch(groups: list[dict[str, object]]) -> torch.optim.Optimizer:
    return torch.optim.AdamW(groups, lr=RATE, betas=BETAS, eps=EPSILON)


@pytest.mark.parametrize(("name", "bound"), [("adamw16bit", 4e-3), ("adamw8bit", 2e-2)])
def test_it_moves_weights_as_adamw_does(name: str, bound: float) -> None:
    """The first step has no rounded moments yet; after twenty, errors are within a share of what was moved."""
    ours, theirs = (
        trained(lambda groups: CompactAdamW(groups, FORMS[name], BESIDE, lr=RATE, betas=BETAS, eps=EPSILON), 1),
        trained(of_torch, 1),
    )
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-6, atol=1e-7)
    begun = trained(of_torch, 0)
    ours, theirs = (
        trained(lambda groups: CompactAdamW(groups, FORMS[name], BESIDE, lr=RATE, betas=BETAS, eps=EPSILON), 20),
        trained(of_torch, 20),
    )
    for one, other, start in zip(ours, theirs, begun, strict=True):
        assert (one - other).norm() < bound * (other - start).norm()
    assert not torch.equal(ours[0], theirs[0])


@pytest.mark.parametrize("name", FORMS)
def test_pieces_change_nothing_but_which_way_is_rounded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def make(groups: list[dict[str, object]]) -> torch.optim.Optimizer:
        return CompactAdamW(groups, FORMS[name], BESIDE, lr=RATE, betas=BETAS, eps=EPSILON)

    whole = trained(make, 5)
    monkeypatch.setattr(compact, "PIECE", 64 * 5)
    pieces = trained(make, 5)
    for one, other in zip(whole, pieces, strict=True):
        torch.testing.assert_close(one, other, rtol=0, atol=0 if name == "adamw8bit" else 1e-3)


@pytest.mark.parametrize(("name", "each"), [("adamw16bit", 4), ("adamw8bit", 2 * (1 + 4 / 64))])
def test_a_state_takes_what_is_planned(name: str, each: float) -> None:
    """Of a matrix with rows of 64: one block a row."""
    weight = torch.nn.Parameter(torch.zeros(32, 64))
    optimizer = CompactAdamW([{"params": [weight]}], FORMS[name], BESIDE, lr=RATE, betas=BETAS, eps=EPSILON)
    weight.grad = torch.ones_like(weight)
    optimizer.step()
    held = sum(value.nbytes for key, value in optimizer.state[weight].items() if key != "step")
    assert held == each * weight.numel()


@pytest.mark.parametrize("shape", [(300, 1001), (512, 768), (7,), (4, 34), (100, 5000)])
@pytest.mark.parametrize("name", FORMS)
def test_the_compiled_update_gives_the_same_bytes(name: str, shape: tuple[int, ...]) -> None:
    """Over four steps, with gradients of falling size; matrices of several pieces, of whole blocks, and of none."""
    if load_native() is None:
        pytest.fail("there is a C compiler where this is tested")
    found = []
    for is_active in (False, True):
        activate_native(is_active=is_active)
        generator = torch.Generator().manual_seed(0)
        weight = torch.nn.Parameter(torch.randn(shape, generator=generator))
        groups = [{"params": [weight], "weight_decay": DECAY}]
        optimizer = CompactAdamW(groups, FORMS[name], BESIDE, lr=RATE, betas=BETAS, eps=EPSILON)
        for step in range(4):
            weight.grad = torch.randn(shape, generator=generator) * 10**-step
            optimizer.step()
        found.append({"weight": weight.detach(), **optimizer.state[weight]})
    for key, tensor in found[0].items():
        assert torch.equal(tensor, found[1][key]), key
