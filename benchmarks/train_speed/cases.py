"""What all sides train: one shape, one stream of batches, one number of steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

PRESET = "headway-tiny-11m"
BATCH, WARM_UP, STEPS = 8, 3, 8
LEARNING_RATE = 1e-3
SIDES = ("headway", "transformers.Trainer", "litgpt", "nano")
"""Headway first; the others are what it is measured against."""


def recipe_of(precision: str, **sections: dict[str, Any]) -> Any:
    """Return the recipe that all sides train."""
    from headway.recipe import resolve_recipe

    return resolve_recipe(
        {
            "model": {"preset": PRESET},
            "training": {
                "steps": 1000,
                "global_batch_size": BATCH,
                "precision": precision,
                "learning_rate": LEARNING_RATE,
            },
            "hardware": {"accelerator": "cpu"},
            **sections,
        }
    )


def write_batches(path: Path) -> None:
    """Write the batches of all steps, int64 [steps, B, T + 1]: the standard library's sources in a run's order."""
    from headway.training.data import prepare

    recipe = recipe_of("fp32")
    corpus = prepare(recipe.data, vocab_size=recipe.model.vocab_size, seed=recipe.training.seed)
    stream = corpus.train_stream(recipe.training.sequence_length, BATCH)
    np.save(path, np.stack([stream.batch(step).tokens for step in range(WARM_UP + STEPS + 1)]))
