"""The short version of a recipe: a few steps on little text, and every other setting as it is."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from headway.recipe import Recipe

STEPS = 24
"""Optimizer steps of each run."""

SAVE_EVERY_STEPS = 4

MOST_TEXT_BYTES = 4 * 2**20
"""Of the data, where it is not prepared already."""


def shortened(recipe: Recipe, folder: Path) -> Recipe:
    """Return the short version.

    Args:
        recipe: the resolved recipe.
        folder: of the drill, which holds its tokens, and the second copies of its checkpoints where the recipe wants
            such: the user's own are not to be touched.
    """
    training, data, resilience = recipe.training, recipe.data, recipe.resilience
    place = folder.absolute()
    reading: dict[str, Any] = {}
    if not data.prepared:
        most = min(data.max_bytes or MOST_TEXT_BYTES, MOST_TEXT_BYTES)
        reading = {"max_bytes": most, "cache": str(place / "cache")}
    return recipe.model_copy(
        update={
            "name": "drill",
            "phases": (),
            "data": data.model_copy(update=reading),
            "training": training.model_copy(
                update={"steps": STEPS, "tokens": None, "warmup_steps": min(training.warmup_steps, STEPS // 4)}
            ),
            "resilience": resilience.model_copy(
                update={
                    "checkpoint_every_steps": SAVE_EVERY_STEPS,
                    "second_copy": None if resilience.second_copy is None else str(place / "second-copy"),
                }
            ),
        }
    )


def with_settings(recipe: Recipe, settings: Mapping[str, Mapping[str, Any]]) -> Recipe:
    """Return a recipe with other values.

    Args:
        recipe: the recipe.
        settings: by the dotted name of their section, such as ``resilience.guards``.
    """
    for section, values in settings.items():
        recipe = _changed(recipe, section.split("."), values)
    return recipe


def _changed(section: Any, path: list[str], values: Mapping[str, Any]) -> Any:
    if not path:
        return section.model_copy(update=dict(values))
    inner = _changed(getattr(section, path[0]), path[1:], values)
    return section.model_copy(update={path[0]: inner})
