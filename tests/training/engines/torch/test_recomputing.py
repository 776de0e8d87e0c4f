"""Recomputation changes what is kept, and not one bit of what is learnt."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode

from headway.planning.choice import Layout
from headway.recipe import resolve_recipe
from headway.training.engines import build_engine
from headway.training.engines.torch.initial import initialize
from headway.training.engines.torch.linear import DEFAULT, use_linear_kernel
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.recomputing import recompute_layers
from tests.training.engines.contract import make_batch, make_recipe

LEVELS = ("none", "selective", "products", "full")


class Allocations(TorchDispatchMode):
    """Remembers every tensor that an operation makes, for as long as somebody keeps it."""

    def __init__(self) -> None:
        super().__init__()
        self._storages: dict[int, tuple[Any, int]] = {}

    def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        result = function(*args, **(kwargs or {}))
        for tensor in result if isinstance(result, tuple) else (result,):
            if isinstance(tensor, torch.Tensor):
                storage = tensor.untyped_storage()
                self._storages[storage.data_ptr()] = (weakref.ref(storage), storage.nbytes())
        return result

    def kept_bytes(self) -> int:
        """Return the bytes of what is still kept."""
        gc.collect()
        return sum(size for reference, size in self._storages.values() if reference() is not None)


def layout(level: str, share: float = 1.0) -> Layout:
    return Layout(
        data_parallel_degree=1,
        shard="none",
        micro_batch_size=8,
        gradient_accumulation_steps=1,
        recompute=level,
        recompute_share=share,
    )


@pytest.mark.parametrize("level", LEVELS[1:])
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_learns_the_same_to_the_last_bit(level: str, precision: str) -> None:
    recipe = make_recipe("torch", precision=precision)
    plain, again = build_engine(recipe), build_engine(recipe, layout=layout(level))
    for step in range(3):
        assert plain.step([make_batch(step)], 1e-3) == again.step([make_batch(step)], 1e-3)
    for name, array in plain.snapshot().parameters.items():
        np.testing.assert_array_equal(again.snapshot().parameters[name], array, err_msg=name)


def products_of_a_pass(level: str, share: float = 1.0) -> int:
    """Return how many matrix products forward and backward passes of a model take."""
    model = _model()
    recompute_layers(model, level, share)
    tokens = torch.randint(0, 97, (2, 25))

    class Counter(TorchDispatchMode):
        count = 0

        def __torch_dispatch__(self, function: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            Counter.count += function in (torch.ops.aten.mm.default, torch.ops.aten.addmm.default)
            return function(*args, **(kwargs or {}))

    Counter.count = 0
    with Counter():
        model.loss(tokens[:, :-1], tokens[:, 1:]).backward()
    return Counter.count


def _model() -> Llama:
    recipe = resolve_recipe(
        {
            "model": {
                "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 4, "num_attention_heads": 4,
                "num_key_value_heads": 2, "vocab_size": 97, "max_position_embeddings": 24,
            },
            "training": {"steps": 1, "sequence_length": 24},
        }
    )  # fmt: skip
    model = Llama(recipe.model)
    initialize(model, 1)
    return model


def test_products_are_done_again_as_often_as_the_level_says() -> None:
    """A layer has seven products, four of attention and three of the MLP; nobody needs the result of the last again.

    PyTorch's own products know that before they are done, functions that are ours only afterwards.
    """
    use_linear_kernel(DEFAULT)
    plain = products_of_a_pass("none")
    assert products_of_a_pass("selective") == plain
    assert products_of_a_pass("products") == plain + 4 * 3
    assert products_of_a_pass("full") == plain + 4 * 6
    assert products_of_a_pass("full", share=0.5) == plain + 2 * 6


def test_each_level_keeps_less_than_the_one_before() -> None:
    kept = []
    for level in LEVELS:
        model = _model()
        recompute_layers(model, level)
        tokens = torch.randint(0, 97, (8, 25))
        with Allocations() as allocations:
            loss = model.loss(tokens[:, :-1], tokens[:, 1:])
            kept.append(allocations.kept_bytes())
        loss.backward()
    assert kept == sorted(kept, reverse=True)
    assert kept[-1] < 0.5 * kept[0]
