"""Low-rank adapters beside frozen projections.

y = W x + (alpha / rank) B A x, where A [R, I] starts small and B [O, R] at zero, so that training starts from the model
as it was. Source: Hu et al. 2021 (arXiv:2106.09685), section 4.1; the start of A as in PEFT's ``LoraLayer``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from headway.recipe import ModelConfig, Recipe
from headway.training.adapters import DOWN, TARGETS, UP, adapter_alpha
from headway.training.engines.torch.initial import weight_shapes
from headway.training.engines.torch.model import Linear, Llama


@dataclass(frozen=True, kw_only=True)
class AdapterSettings:
    """What the adapters of a model are.

    Attributes:
        rank: channels between the two matrices.
        alpha: what their product is scaled by, times the rank.
        targets: names of the projections that have one.
    """

    rank: int
    alpha: float
    targets: tuple[str, ...]

    @property
    def scale(self) -> float:
        """What the product of both matrices is multiplied by."""
        return self.alpha / self.rank


def settings_of(recipe: Recipe) -> AdapterSettings | None:
    """Return the adapters of a recipe, or None where all weights are trained."""
    training = recipe.training
    if training.method == "full":
        return None
    return AdapterSettings(
        rank=training.adapter_rank, alpha=adapter_alpha(recipe), targets=TARGETS[training.adapter_targets]
    )


def add_adapters(model: Llama, settings: AdapterSettings) -> None:
    """Freeze a model and give its target projections adapters, in place."""
    model.requires_grad_(False)
    for name, module in model.named_modules():
        if isinstance(module, Linear) and name.rpartition(".")[2] in settings.targets:
            module.add_adapter(settings.rank, settings.scale)


def adapter_shapes(config: ModelConfig, settings: AdapterSettings) -> dict[str, torch.Size]:
    """Return the shape of every adapter matrix by its name, in the order of the model."""
    found: dict[str, torch.Size] = {}
    for name, shape in weight_shapes(config).items():
        projection = name.removesuffix(".weight")
        if projection != name and projection.rpartition(".")[2] in settings.targets:
            found[f"{projection}.{DOWN}"] = torch.Size((settings.rank, shape[1]))
            found[f"{projection}.{UP}"] = torch.Size((shape[0], settings.rank))
    return found


@torch.no_grad()
def initial_adapters(config: ModelConfig, settings: AdapterSettings, seed: int) -> Iterator[tuple[str, Tensor]]:
    """Yield each adapter matrix's name and value: uniform within 1 / sqrt(inputs), and zero."""
    generator = torch.Generator(device="cpu").manual_seed(seed)
    for name, shape in adapter_shapes(config, settings).items():
        if name.endswith(UP):
            yield name, torch.zeros(shape)
        else:
            bound = 1 / math.sqrt(shape[1])
            yield name, torch.empty(shape).uniform_(-bound, bound, generator=generator)
