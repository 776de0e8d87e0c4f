"""States that lodge on the host: the same trainings to the last bit, and checkpoints that either kind goes on from."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from headway.recipe import Recipe
from headway.training.engines import Engine, build_engine
from headway.training.engines.torch.optimizers import lodging
from headway.training.engines.torch.optimizers.lodging import Lodging, LodgingAdamW, pieces
from tests.training.engines.contract import assert_equal, copy_of, make_batch, make_recipe

OPTIMIZERS = ("adamw", "adamw16bit", "adamw8bit", "muon")


def recipe_of(optimizer: str, *, lodges: bool, **training: Any) -> Recipe:
    recipe = make_recipe("torch", optimizer=optimizer, **training)
    return recipe.model_copy(update={"layout": recipe.layout.model_copy(update={"offload_optimizer": lodges})})


def losses(engine: Engine, steps: range) -> list[float]:
    return [engine.step([make_batch(step)], 1e-3).loss for step in steps]


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_training_is_the_same(optimizer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In pieces of a few rows, the last one of a matrix shorter; begun beside the weights, and gone on so."""
    monkeypatch.setattr(lodging, "PIECE", 500)
    beside, host = (build_engine(recipe_of(optimizer, lodges=lodges)) for lodges in (False, True))
    expected = losses(beside, range(4))
    assert losses(host, range(2)) == expected[:2]
    others = [build_engine(recipe_of(optimizer, lodges=lodges, seed=99)) for lodges in (False, True)]
    for other in others:
        other.load(copy_of(host.snapshot()))
        assert losses(other, range(2, 4)) == expected[2:]
        assert_equal(beside.snapshot(), other.snapshot())


def test_states_are_not_those_that_are_lent() -> None:
    """On an accelerator they are in other memory; here at least they are copies."""
    weight = torch.nn.Parameter(torch.ones(4, 3))
    kept = Lodging(is_host=True).keep({"exp_avg": torch.zeros(4, 3)})
    with Lodging(is_host=True).rows(kept, slice(1, 3), weight.device) as lent:
        lent["exp_avg"].fill_(2)
        assert not kept["exp_avg"].any()
    assert kept["exp_avg"][:, 0].tolist() == [0, 2, 2, 0]


def test_adamw_is_pytorchs() -> None:
    ours, theirs = (torch.nn.Parameter(torch.ones(5, 3)) for _ in range(2))
    settings: dict[str, Any] = {"lr": 1e-2, "betas": (0.9, 0.95), "eps": 1e-8}
    one = LodgingAdamW([{"params": [ours], "weight_decay": 0.1}], Lodging(is_host=True), **settings)
    other = torch.optim.AdamW([theirs], weight_decay=0.1, fused=True, **settings)
    for step in range(3):
        ours.grad = torch.randn(5, 3, generator=torch.Generator().manual_seed(step))
        theirs.grad = ours.grad.clone()
        one.step()
        other.step()
    assert torch.equal(ours, theirs)


def test_pieces_are_whole_rows() -> None:
    assert list(pieces(torch.ones(5, 3), 7)) == [slice(0, 2), slice(2, 4), slice(4, 6)]
    assert list(pieces(torch.ones(2, 9), 7)) == [slice(0, 1), slice(1, 2)]
    assert list(pieces(torch.ones(0, 3), 7)) == []
