"""The small run that is killed and stopped: two processes with FSDP over gloo."""

from __future__ import annotations

from pathlib import Path

from headway.recipe import Recipe, resolve_recipe

SAVE_EVERY_STEPS = 10


def recipe_of(steps: int, folder: Path) -> Recipe:
    """Return a run of so many steps; its tokens are kept in a folder."""
    return resolve_recipe(
        {
            "name": "survive",
            "model": {
                "hidden_size": 64,
                "intermediate_size": 160,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 512,
                "max_position_embeddings": 64,
                "tie_word_embeddings": True,
            },
            "data": {"source": "python-stdlib", "max_bytes": 500_000, "cache": str(folder / "cache")},
            "training": {"steps": steps, "global_batch_size": 8, "learning_rate": 1e-3, "precision": "fp32"},
            "layout": {"data_parallel_degree": 2, "shard": "parameters", "micro_batch_size": 4},
            "hardware": {"accelerator": "cpu", "devices": 2, "devices_per_node": 2, "threads": 1},
            "resilience": {"checkpoint_every_steps": SAVE_EVERY_STEPS, "keep_last": 3, "max_restarts": 100_000},
        }
    )
