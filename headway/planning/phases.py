"""A training in phases: each planned on its own, and what all of them take together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headway.planning.comparison import MakePlan
from headway.recipe import Recipe, resolve_phases

if TYPE_CHECKING:
    from headway.planning.plan import Plan


@dataclass(frozen=True, kw_only=True)
class Phase:
    """One phase.

    Attributes:
        name: of the phase; the recipe's own for the first.
        plan: what it takes.
    """

    name: str
    plan: Plan

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"name": self.name, "plan": self.plan.to_dict()}


@dataclass(frozen=True, kw_only=True)
class Sum:
    """What phases take together; None where one of them does not know it.

    Attributes:
        seconds: one after the other.
        device_hours: of all devices.
        facility_joules: energy.
        total_usd: cost.
        operational_kg_co2e: emissions.
    """

    seconds: float | None
    device_hours: float | None
    facility_joules: float | None
    total_usd: float | None
    operational_kg_co2e: float | None

    def times(self, factor: float) -> Sum:
        """Return all of it, times a factor."""
        scaled = {name: None if value is None else factor * value for name, value in vars(self).items()}
        return Sum(**scaled)

    def to_dict(self) -> dict[str, float]:
        """Return plain JSON values; what is not known is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


def plan_phases(recipe: Recipe, first: Plan, make_plan: MakePlan) -> tuple[Phase, ...]:
    """Return all phases: the recipe itself, and what follows it; nothing where nothing follows.

    Args:
        recipe: the resolved recipe.
        first: its plan.
        make_plan: plans a recipe.

    Raises:
        HeadwayError: a phase cannot be planned.
    """
    if not recipe.phases:
        return ()
    later = zip(recipe.phases, resolve_phases(recipe), strict=True)
    return (
        Phase(name=recipe.name, plan=first),
        *(Phase(name=phase.name, plan=make_plan(one)) for phase, one in later),
    )


def sum_of(phases: Sequence[Phase]) -> Sum:
    """Return what the phases take together."""
    plans = [phase.plan for phase in phases]

    def total(measure: Callable[[Plan], float | None]) -> float | None:
        return _total(measure(plan) for plan in plans)

    return Sum(
        seconds=total(lambda plan: plan.time.total_seconds),
        device_hours=total(device_hours),
        facility_joules=total(lambda plan: plan.energy.facility_joules),
        total_usd=total(lambda plan: plan.cost.total_usd),
        operational_kg_co2e=total(lambda plan: plan.carbon.operational_kg_co2e),
    )


def device_hours(plan: Plan) -> float | None:
    """Return the hours of all devices of a plan; None where it would never end."""
    return None if plan.time.total_seconds is None else plan.time.device_hours


def search_of(recipe: Recipe, phases: Sum) -> Sum | None:
    """Return what search and trial runs take beside the phases: the share s of all makes s / (1 - s) of them.

    They run beside the phases, so that their time adds nothing to the duration.
    """
    share = recipe.budget.search_share
    if not share:
        return None
    beside = phases.times(share / (1 - share))
    return Sum(**{**vars(beside), "seconds": 0.0})


def added(one: Sum, other: Sum | None) -> Sum:
    """Return two sums together."""
    if other is None:
        return one
    pairs = {name: _total((value, getattr(other, name))) for name, value in vars(one).items()}
    return Sum(**pairs)


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if any(value is None for value in known) else float(sum(value or 0.0 for value in known))
