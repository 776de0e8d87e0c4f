"""The weights that a training begins with, one after another, so that they never all exist at once."""

from __future__ import annotations

import math
from collections.abc import Iterator

import torch
from torch import Tensor

from headway.planning.parameters import weight_shapes as planned_shapes
from headway.recipe import ModelConfig
from headway.training.engines.torch.model import Llama


@torch.no_grad()
def initial_weights(config: ModelConfig, seed: int) -> Iterator[tuple[str, Tensor]]:
    """Yield each weight's name and value, fp32: normal(0, initializer_range); norms are one and biases zero.

    Projections into the residual stream are scaled by 1 / sqrt(2 x layers), so that its variance does not grow with
    depth. Source: Radford et al. 2019 (GPT-2), section 2.3.

    They depend on the seed alone, and not on how the model is divided.
    """
    generator = torch.Generator(device="cpu").manual_seed(seed)
    std = config.initializer_range
    residual_std = std / math.sqrt(2 * config.num_hidden_layers)
    for name, shape in weight_shapes(config).items():
        if len(shape) == 1:
            yield name, torch.full(shape, 0.0 if name.endswith("bias") else 1.0)
        else:
            is_residual = name.endswith(("o_proj.weight", "down_proj.weight"))
            yield name, torch.empty(shape).normal_(0.0, residual_std if is_residual else std, generator=generator)


def weight_shapes(config: ModelConfig) -> dict[str, torch.Size]:
    """Return the shape of every weight by its name, in the order of the model; tied weights have one name."""
    return {name: torch.Size(shape) for name, shape in planned_shapes(config).items()}


@torch.no_grad()
def initialize(model: Llama, seed: int) -> None:
    """Give a whole model the weights that a training of that seed begins with."""
    parameters = dict(model.named_parameters())
    for name, value in initial_weights(model.config, seed):
        parameters[name].copy_(value)
