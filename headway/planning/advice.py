"""What a plan warns about, what makes it impossible, and what to watch while it runs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from headway import units
from headway.planning import site_advice
from headway.planning.constants import constant
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

SHORT_OF_SPARES_SHARE = 0.1
"""Of the time, for which spare servers may be too few without a word. Our choice: small jobs seldom lack one."""

GOOD_EPOCHS = 4
"""Passes over the data that are nearly as good as new data. Source: Muennighoff et al. 2023 (arXiv:2305.16264),
section 1."""


BUDGET_WARNINGS = "plan-warning-budget-"
"""What the names of the messages on the budget begin with."""


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What a budget limits; None where it is not known.

    Attributes:
        seconds: from the begin to the end.
        usd: what is known of the cost.
        is_usd_whole: whether that is all of it.
        kg_co2e: of the operation.
        kilowatt_hours: of the facility.
        litres: what is known of the water.
        is_water_whole: whether that is all of it.
    """

    seconds: float | None
    usd: float | None
    is_usd_whole: bool
    kg_co2e: float | None
    kilowatt_hours: float | None
    litres: float | None
    is_water_whole: bool


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
    yield from over_budget(recipe, _spending(plan))
    yield from site_advice.warnings(recipe, plan)
    yield from without_effect(recipe, plan)
    yield from _precision(plan)
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
    if plan.reliability is not None and plan.reliability.goodput is None:
        yield Message(id="plan-warning-storage-unknown", arguments={"share": 1 - plan.reliability.charged_share})
    assumed = plan.network.assumed_bytes_per_second
    if assumed is not None:
        yield Message(id="plan-warning-network-assumed", arguments={"rate": assumed})
    exposed = plan.network.exposed_seconds
    if exposed > EXPOSED_NETWORK_SHARE * plan.time.step_seconds:
        yield Message(id="plan-warning-network-exposed", arguments={"share": exposed / plan.time.step_seconds})
    yield from _epochs(plan)
    yield from _spares(plan)
    yield from site_advice.partial_cost(recipe, plan)


def _precision(plan: Plan) -> Iterator[Message]:
    """Yield that a narrower format was chosen than the usual one, and what that assumes."""
    formats, chosen = plan.search.formats, plan.software.precision
    if not formats or formats[0].precision == chosen:
        return
    wide, own = formats[0], next(one for one in formats if one.precision == chosen)
    if wide.step_seconds is None or own.step_seconds is None:
        yield Message(id="plan-warning-precision-room", arguments={"precision": chosen, "wide": wide.precision})
        return
    yield Message(
        id="plan-warning-precision-chosen",
        arguments={
            "precision": chosen,
            "wide": wide.precision,
            "ratio": wide.step_seconds / own.step_seconds,
            "loss": constant("narrow-loss-difference"),
        },
    )


def _epochs(plan: Plan) -> Iterator[Message]:
    """Yield that data is repeated more often than it teaches; of several sources, which."""
    told = [source for source in plan.run.sources if source.epochs is not None and source.epochs > GOOD_EPOCHS]
    for source in told:
        yield Message(
            id="plan-warning-source-epochs", arguments={"source": source.name, "epochs": source.epochs or 0.0}
        )
    epochs = plan.run.epochs
    if not told and epochs is not None and epochs > GOOD_EPOCHS:
        yield Message(id="plan-warning-many-epochs", arguments={"epochs": epochs})


def _spares(plan: Plan) -> Iterator[Message]:
    """Yield that a job will wait for servers that are under repair."""
    if plan.reliability is None or not plan.time.total_seconds:
        return
    spares = plan.reliability.spares
    share = spares.waiting_share if spares.are_stated else 1 - spares.sufficient_probability
    if share > SHORT_OF_SPARES_SHARE:
        yield Message(
            id="plan-warning-spares" if spares.are_stated else "plan-warning-spares-unknown",
            arguments={
                "away": spares.mean_nodes_away,
                "nodes": spares.nodes,
                "share": share,
                "recommended": spares.recommended_nodes,
            },
        )


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


def over_budget(recipe: Recipe, spent: Spending) -> Iterator[Message]:
    """Yield each limit of the budget that is broken, or of which nobody can say whether it is.

    Args:
        recipe: its section ``[budget]``.
        spent: by the run, or by all phases and trials.
    """
    budget = recipe.budget
    for name, limit, value, is_whole in (
        ("usd", budget.max_usd, spent.usd, spent.is_usd_whole),
        ("duration", budget.max_duration, spent.seconds, True),
        ("carbon", budget.max_kg_co2e, spent.kg_co2e, True),
        ("energy", budget.max_kilowatt_hours, spent.kilowatt_hours, True),
        ("water", budget.max_litres, spent.litres, spent.is_water_whole),
    ):
        # Without a duration nothing else is known either, and one message says why.
        if limit is None or (spent.seconds is None and name != "duration"):
            continue
        # What is known alone may be beyond the limit; below it, the whole may still be.
        if value is not None and value > limit:
            arguments: dict[str, Argument] = {"limit": limit, "value": value, "is_whole": "yes" if is_whole else "no"}
            yield Message(id=f"plan-warning-budget-{name}", arguments=arguments)
        elif value is None or not is_whole:
            yield Message(id=f"plan-warning-budget-{name}-unknown", arguments={"limit": limit})


def _spending(plan: Plan) -> Spending:
    return Spending(
        seconds=plan.time.total_seconds,
        usd=plan.cost.known_usd,
        is_usd_whole=plan.cost.total_usd is not None,
        kg_co2e=plan.carbon.operational_kg_co2e,
        kilowatt_hours=site_advice.kilowatt_hours(plan),
        litres=plan.water.litres,
        is_water_whole=plan.water.is_whole,
    )


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
