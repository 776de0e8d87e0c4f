"""How the numbers on the space and the rates of storage came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headway.planning.explanation import Explanation
from headway.planning.storage import checkpoint_interval_seconds, saved_bytes_per_weight
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan


def explain_storage(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps to the space and the rates of storage.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    storage = plan.storage
    interval_seconds = checkpoint_interval_seconds(recipe, plan.time.step_seconds, storage.checkpoint_write_seconds)
    return (
        Explanation(
            id="explain-storage-checkpoint",
            quantity="bytes",
            value=storage.checkpoint_bytes,
            arguments={
                "parameters": plan.model.parameters,
                "each_bytes": saved_bytes_per_weight(recipe.training),
                "method": recipe.training.method,
                "bytes": storage.checkpoint_bytes,
            },
            source="headway/resilience/checkpoint; headway/planning/storage.py, saved_bytes_per_weight",
        ),
        Explanation(
            id="explain-storage-space",
            quantity="bytes",
            value=storage.total_bytes,
            arguments={
                "checkpoints_bytes": storage.checkpoints_bytes,
                "dataset_bytes": storage.dataset_bytes or 0,
                "keep_last": storage.checkpoints_bytes // storage.checkpoint_bytes - 1,
                "bytes": storage.total_bytes,
            },
            source="the recipe",
        ),
        Explanation(
            id="explain-storage-write",
            quantity="bytes_per_second",
            value=storage.checkpoint_write_bytes_per_second,
            arguments={
                "bytes": storage.checkpoint_bytes,
                "interval_seconds": interval_seconds,
                "share": recipe.site.max_stall_share,
                "rate": storage.checkpoint_write_bytes_per_second,
                "node_rate": storage.node_write_bytes_per_second,
            },
            source="stall C = T s / (1 - s)",
        ),
        Explanation(
            id="explain-storage-read",
            quantity="bytes_per_second",
            value=storage.read_bytes_per_second,
            arguments={
                "rate": storage.read_bytes_per_second,
                "burst_rate": storage.burst_read_bytes_per_second,
                "share": recipe.site.max_stall_share,
            },
            source="tokens of a step over its time",
        ),
    )
