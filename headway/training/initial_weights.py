"""Weights to start from: a Hugging Face folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.recipe import Recipe
from headway.training.engines import Engine


def load_initial_weights(engine: Engine, recipe: Recipe) -> None:
    """Load ``[training] init_from`` into the engine; nothing happens where the recipe does not name any.

    Raises:
        CheckpointError: the folder holds no safetensors, or they do not fit the model.
    """
    if recipe.training.init_from is not None:
        engine.load_weights(read_weights(Path(recipe.training.init_from)))


def read_weights(folder: Path) -> dict[str, NDArray[Any]]:
    """Read all ``model*.safetensors`` of a folder, as fp32.

    Raises:
        CheckpointError: there are none, or one cannot be read.
    """
    from safetensors import SafetensorError, safe_open

    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise CheckpointError("training-no-weights", folder=str(folder))
    weights: dict[str, NDArray[Any]] = {}
    for file in files:
        try:
            # Through torch, since NumPy has no bfloat16 of its own.
            with safe_open(file, framework="pt") as opened:
                for name in opened.keys():  # noqa: SIM118 - not a mapping
                    weights[name] = opened.get_tensor(name).float().numpy()
        except (OSError, SafetensorError) as error:
            raise CheckpointError("training-weights-unreadable", path=str(file), reason=str(error)) from error
    return {name: np.asarray(array) for name, array in weights.items()}
