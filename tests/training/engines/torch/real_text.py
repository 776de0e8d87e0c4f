"""Short trainings on real text, to compare number formats and optimizers by their losses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from headway.recipe import Recipe, resolve_recipe
from headway.training.data import Batch
from headway.training.engines import Engine, build_engine

LENGTH, ROWS = 64, 8


def recipe_of(**training: Any) -> Recipe:
    """Return the recipe of a small model of bytes."""
    return resolve_recipe(
        {
            "model": {
                "hidden_size": 64,
                "intermediate_size": 160,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 256,
                "max_position_embeddings": LENGTH,
                "tie_word_embeddings": False,
            },
            "training": {
                "steps": 100,
                "sequence_length": LENGTH,
                "global_batch_size": ROWS,
                "precision": "fp32",
                **training,
            },
            "hardware": {"accelerator": "cpu", "threads": 1},
        }
    )


def batch_of(folder: Path, step: int) -> Batch:
    """Return some pieces of the text of a folder."""
    text = np.frombuffer(b"".join(file.read_bytes() for file in sorted(folder.iterdir())), np.uint8)
    starts = np.random.default_rng(step).integers(0, len(text) - LENGTH - 1, ROWS)
    return Batch(np.stack([text[start : start + LENGTH + 1] for start in starts]).astype(np.int64))


def losses_of(folder: Path, steps: int, *, rate: float = 1e-3, **training: Any) -> list[float]:
    """Return the losses of a training from its first step on."""
    engine = build_engine(recipe_of(**training))
    found = run(engine, folder, range(steps), rate)
    engine.close()
    return found


def run(engine: Engine, folder: Path, steps: range, rate: float = 1e-3) -> list[float]:
    """Train some steps and return their losses."""
    return [engine.step([batch_of(folder, step)], rate).loss for step in steps]
