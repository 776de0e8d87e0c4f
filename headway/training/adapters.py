"""Adapters as files: merged into the weights that they belong to, and in the form of Hugging Face's peft.

Source: peft's ``LoraConfig`` and ``save_pretrained``: ``adapter_config.json`` and ``adapter_model.safetensors``, whose
names begin with ``base_model.model.``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.planning.adapters import is_target
from headway.recipe import Recipe
from headway.resilience.checkpoint.snapshot import Arrays, LazyArrays
from headway.training.weight_files import WeightFiles

_PROJECTIONS = (
    *(f"self_attn.{name}_proj" for name in ("q", "k", "v", "o")),
    *(f"mlp.{name}_proj" for name in ("gate", "up", "down")),
)

TARGETS = {
    targets: tuple(name.rpartition(".")[2] for name in _PROJECTIONS if is_target(targets, name))
    for targets in ("all", "attention", "query-value")
}
"""Projections with an adapter, by the recipe's word."""

DOWN, UP = "lora_A.weight", "lora_B.weight"

PREFIX = "base_model.model."
CONFIG_FILE, WEIGHTS_FILE = "adapter_config.json", "adapter_model.safetensors"


def adapter_alpha(recipe: Recipe) -> float:
    """Return what the product of both matrices is multiplied by, times the rank: twice the rank by default."""
    training = recipe.training
    return training.adapter_alpha if training.adapter_alpha is not None else 2.0 * training.adapter_rank


@final
class Merged(LazyArrays):
    """Weights with their adapters added: W + scale B A, in fp32, one matrix at a time.

    Args:
        base: weights by name.
        adapters: both matrices of each adapter by name.
        scale: alpha / rank.
        held: what a layer's projection is beside its adapter in training, where that is not what the base has.

    Raises:
        CheckpointError: an adapter belongs to no weight.
    """

    def __init__(
        self, base: Arrays, adapters: Arrays, scale: float, held: Callable[[NDArray[Any]], NDArray[Any]] | None = None
    ) -> None:
        self.shapes = base.shapes if isinstance(base, LazyArrays) else {name: base[name].shape for name in base}
        self._base, self._adapters, self._scale, self._held = base, adapters, np.float32(scale), held
        for name, down in adapters.items():
            if not name.endswith(DOWN):
                continue
            projection = name.removesuffix(DOWN)
            weight = f"{projection}weight"
            shape = (adapters[f"{projection}{UP}"].shape[0], down.shape[1])
            if self.shapes.get(weight) != shape:
                found = str(self.shapes.get(weight, "missing"))
                raise CheckpointError("checkpoint-mismatch", name=weight, found=found, expected=str(shape))

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one weight, merged where it has an adapter.

        Raises:
            KeyError: there is none of that name.
        """
        weight = self._base[name]
        if self._held is not None and is_projection(name):
            weight = self._held(weight)
        projection = name.removesuffix("weight")
        down = self._adapters.get(f"{projection}{DOWN}")
        if down is None:
            return weight
        up = self._adapters[f"{projection}{UP}"]
        return np.asarray(weight + self._scale * (up @ down), dtype=np.float32)


def is_projection(name: str) -> bool:
    """Say whether a weight is the matrix of a layer's projection, by its name."""
    return name.startswith("model.layers.") and name.endswith("_proj.weight")


def to_peft(recipe: Recipe, adapters: Arrays) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the configuration that peft loads."""
    config = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": recipe.training.init_from,
        "r": recipe.training.adapter_rank,
        "lora_alpha": adapter_alpha(recipe),
        "lora_dropout": 0.0,
        "bias": "none",
        "target_modules": list(TARGETS[recipe.training.adapter_targets]),
        "inference_mode": True,
    }
    return {f"{PREFIX}{name}": np.asarray(array) for name, array in adapters.items()}, config


def read_peft(folder: Path) -> dict[str, NDArray[Any]]:
    """Return the adapter matrices of a folder that peft wrote, by the names that training uses, fp32.

    Raises:
        CheckpointError: there is no adapter, it cannot be read, or it is of another kind.
    """
    try:
        config = json.loads((folder / CONFIG_FILE).read_text(encoding="utf-8"))
        kind = config.get("peft_type")
    except (OSError, ValueError, AttributeError) as error:
        raise CheckpointError(
            "training-weights-unreadable", path=str(folder / CONFIG_FILE), reason=str(error)
        ) from error
    if kind != "LORA":
        raise CheckpointError("training-adapter-kind", path=str(folder), kind=str(kind))
    return {name.removeprefix(PREFIX): array for name, array in WeightFiles([folder / WEIGHTS_FILE]).items()}
