"""The layout that a run trains under: what the plan chose."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from headway.errors import TrainingError
from headway.planning.choice import Layout
from headway.recipe import Recipe

UNPLANNED_MICRO_BATCH_SIZE = 8
"""The largest micro-batch where no plan could say what fits."""


def layout_of(recipe: Recipe, plan: Mapping[str, Any], begun_with: int | None = None) -> Layout:
    """Return the layout of a run.

    Args:
        recipe: the resolved recipe.
        plan: of the run; empty where none could be made.
        begun_with: the micro-batch size of the checkpoint that the run goes on from.

    Raises:
        TrainingError: there are several devices, and no plan says how the work is split over them; or the micro-batch
            does not divide a device's share.
    """
    planned = plan.get("layout")
    if planned is None:
        if recipe.hardware.devices > 1:
            raise TrainingError("training-no-layout", devices=recipe.hardware.devices)
        planned = {"data_parallel_degree": 1, "shard": "none", "micro_batch_size": None}
    known = {field.name for field in fields(Layout)}
    chosen = {name: value for name, value in planned.items() if name in known}
    share = recipe.training.global_batch_size // chosen["data_parallel_degree"]
    size = _micro_batch_size(recipe, chosen["micro_batch_size"] if begun_with is None else begun_with, share)
    return Layout(**{**chosen, "micro_batch_size": size, "gradient_accumulation_steps": math.ceil(share / size)})


def _micro_batch_size(recipe: Recipe, chosen: int | None, share: int) -> int:
    """Return the recipe's, else the one that the run began with, else the plan's, else a small one."""
    if recipe.layout.micro_batch_size != "auto":
        return min(recipe.layout.micro_batch_size, share)
    if chosen is not None:
        return min(int(chosen), share)
    return max(size for size in range(1, min(share, UNPLANNED_MICRO_BATCH_SIZE) + 1) if share % size == 0)
