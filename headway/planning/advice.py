"""What a plan warns about, what makes it impossible, and what to watch while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import units
from headway.planning import site_advice
from headway.planning.ineffective import without_effect
from headway.planning.message import Argument, Message
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

TIGHT_MEMORY_SHARE = 0.9
"""Of the capacity, that the upper end of the peak may fill without a word. Our choice: the driver, other processes and
the allocator's holes take a few percent, and batches of other lengths some more."""

EXPOSED_NETWORK_SHARE = 0.1
"""Of a step, that communication may show without a word. Our choice: below, another network gains less than the
interval of the step time is wide."""

WORTHWHILE_GOODPUT = 0.02
"""Share of the wall time that another interval of checkpoints must save to be named. Our choice."""

GOOD_EPOCHS = 4
"""Passes over the data that are nearly as good as new data. Source: Muennighoff et al. 2023 (arXiv:2305.16264),
section 1."""


def obstacles(plan: Plan) -> Iterator[Message]:
    """Yield what makes the plan impossible."""
    memory, layout = plan.memory, plan.layout
    if memory.fits is False and memory.device_capacity_bytes is not None:
        yield Message(
            id="plan-infeasible-memory",
            arguments={
                "needed_bytes": memory.device_peak_bytes,
                "capacity_bytes": memory.device_capacity_bytes,
                "micro_batch_size": layout.micro_batch_size,
                "shard": layout.shard,
                "largest_part": _largest_part(plan),
            },
        )
    disk_bytes = plan.storage.free_bytes
    if disk_bytes is not None and plan.storage.total_bytes > disk_bytes:
        yield Message(
            id="plan-infeasible-disk",
            arguments={"needed_bytes": plan.storage.total_bytes, "free_bytes": disk_bytes},
        )
    yield from site_advice.obstacles(plan)
    if plan.time.total_seconds is None and plan.reliability is not None:
        yield Message(
            id="plan-infeasible-goodput",
            arguments={
                "mtbf_seconds": plan.reliability.mtbf_hours * units.SECONDS_PER_HOUR,
                "write_seconds": plan.storage.checkpoint_write_seconds or 0.0,
                "is_known": "no" if plan.storage.checkpoint_write_seconds is None else "yes",
                "restart_seconds": plan.reliability.restart_seconds,
            },
        )


def _largest_part(plan: Plan) -> str:
    parts = plan.memory.parts
    names = [name for name in parts.__dataclass_fields__ if name.endswith("_bytes")]
    return max(names, key=lambda name: getattr(parts, name)).removesuffix("_bytes")


def warnings(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    """Yield what the reader should know before starting."""
    yield from _budget(recipe, plan)
    yield from site_advice.warnings(recipe, plan)
    yield from without_effect(recipe, plan)
    memory = plan.memory
    if memory.fits and memory.device_capacity_bytes:
        share = memory.device_peak_bytes_high / memory.device_capacity_bytes
        if share > TIGHT_MEMORY_SHARE:
            yield Message(
                id="plan-warning-memory-tight",
                arguments={"share": share, "micro_batch_size": plan.layout.micro_batch_size},
            )
    checkpoints = plan.storage.checkpoint_time_share
    if checkpoints is not None and checkpoints > recipe.site.max_stall_share:
        yield Message(id="plan-warning-checkpoint-slow", arguments={"share": checkpoints})
    yield from _checkpointing(plan)
    assumed = plan.network.assumed_bytes_per_second
    if assumed is not None:
        yield Message(id="plan-warning-network-assumed", arguments={"rate": assumed})
    exposed = plan.network.exposed_seconds
    if exposed > EXPOSED_NETWORK_SHARE * plan.time.step_seconds:
        yield Message(id="plan-warning-network-exposed", arguments={"share": exposed / plan.time.step_seconds})
    tokens = recipe.data.dataset_tokens
    if tokens is not None and recipe.num_tokens > GOOD_EPOCHS * tokens:
        yield Message(id="plan-warning-many-epochs", arguments={"epochs": recipe.num_tokens / tokens})
    yield from site_advice.partial_cost(recipe, plan)


def _checkpointing(plan: Plan) -> Iterator[Message]:
    """Yield the interval that loses less time to failures, where that is worth a word."""
    found = plan.reliability
    if found is None or found.checkpointing is None or not found.goodput or found.best_goodput is None:
        return
    if found.best_goodput - found.goodput > WORTHWHILE_GOODPUT:
        yield Message(
            id="plan-warning-checkpoint-interval",
            arguments={
                "interval_seconds": found.checkpointing.work_seconds,
                "share": found.goodput,
                "best_seconds": found.checkpoint_interval_seconds or 0.0,
                "best": found.best_goodput,
            },
        )


def _budget(recipe: Recipe, plan: Plan) -> Iterator[Message]:
    budget = recipe.budget
    partial = {"usd": plan.cost.total_usd is None, "water": not plan.water.is_whole}
    for name, limit, value in (
        ("usd", budget.max_usd, plan.cost.known_usd),
        ("duration", budget.max_duration, plan.time.total_seconds),
        ("carbon", budget.max_kg_co2e, plan.carbon.operational_kg_co2e),
        ("energy", budget.max_kilowatt_hours, site_advice.kilowatt_hours(plan)),
        ("water", budget.max_litres, plan.water.litres),
    ):
        # Without a duration nothing else is known either, and one message says why.
        if limit is None or (plan.time.total_seconds is None and name != "duration"):
            continue
        is_part = partial.get(name, False)
        # What is known alone may be beyond the limit; below it, the whole may still be.
        if value is not None and value > limit:
            arguments: dict[str, Argument] = {"limit": limit, "value": value, "is_whole": "no" if is_part else "yes"}
            yield Message(id=f"plan-warning-budget-{name}", arguments=arguments)
        elif value is None or is_part:
            yield Message(id=f"plan-warning-budget-{name}-unknown", arguments={"limit": limit})


def watching(plan: Plan) -> Iterator[Message]:
    """Yield what to watch while the run goes on, with its limits."""
    yield Message(id="plan-watch-loss")
    yield Message(id="plan-watch-step-time", arguments={"limit_seconds": plan.time.step_seconds_high})
    if plan.memory.device_capacity_bytes is not None:
        yield Message(
            id="plan-watch-memory",
            arguments={
                "limit_bytes": plan.memory.device_peak_bytes_high,
                "capacity_bytes": plan.memory.device_capacity_bytes,
            },
        )
    yield Message(id="plan-watch-disk", arguments={"needed_bytes": plan.storage.total_bytes})
