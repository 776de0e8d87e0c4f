"""A training in phases: each planned on its own, and what all of them take together.

Source: sums of what each phase's own plan says.
Leaves out: what is lost between two phases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headway import units
from headway.errors import HeadwayError, PlanError
from headway.planning import advice
from headway.planning.comparison import MakePlan
from headway.planning.message import Message
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
        known_usd: what is known of it, of the phases of which anything is; None where nothing is.
        operational_kg_co2e: emissions.
        litres: water, as far as it is known of each.
    """

    seconds: float | None
    device_hours: float | None
    facility_joules: float | None
    total_usd: float | None
    known_usd: float | None
    operational_kg_co2e: float | None
    litres: float | None

    def times(self, factor: float) -> Sum:
        """Return all of it, times a factor."""
        scaled = {name: None if value is None else factor * value for name, value in vars(self).items()}
        return Sum(**scaled)

    def to_dict(self) -> dict[str, float]:
        """Return plain JSON values; what is not known is left out."""
        return {name: value for name, value in vars(self).items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Chain:
    """A training in several phases.

    Attributes:
        phases: in their order; the recipe itself is the first.
        evaluation: the share of all of them that goes into evaluations.
        trials: search and trial runs beside them; None where the recipe sets no share aside.
        total: phases and trials together.
    """

    phases: tuple[Phase, ...]
    evaluation: Sum
    trials: Sum | None
    total: Sum

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {
            "phases": [phase.to_dict() for phase in self.phases],
            "evaluation": self.evaluation.to_dict(),
            **({} if self.trials is None else {"trials": self.trials.to_dict()}),
            "sum": self.total.to_dict(),
        }


def with_phases(recipe: Recipe, first: Plan, make_plan: MakePlan) -> Plan:
    """Return a plan with all its phases: what stands in the way of any of them does so for the whole training.

    Budgets hold for all phases and trials together, so that those of each phase alone are left out.

    Args:
        recipe: the resolved recipe.
        first: its own plan.
        make_plan: plans a recipe.

    Raises:
        HeadwayError: a phase cannot be planned.
    """
    chain = plan_chain(recipe, first, make_plan)
    if chain is None:
        return first
    later = chain.phases[1:]
    warned = (
        *_of_phase(None, first.warnings),
        *(message for phase in later for message in _of_phase(phase.name, phase.plan.warnings)),
    )
    return replace(
        first,
        chain=chain,
        infeasible=(
            *first.infeasible,
            *(message for phase in later for message in _of_phase(phase.name, phase.plan.infeasible)),
        ),
        warnings=(*advice.over_budget(recipe, _spending(chain)), *_each_once(warned)),
    )


def _of_phase(name: str | None, messages: Iterable[Message]) -> Iterator[Message]:
    for message in messages:
        if not message.id.startswith(advice.BUDGET_WARNINGS):
            yield replace(message, phase=name)


def _each_once(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield messages, without those that say the same of a later phase."""
    said: list[Message] = []
    for message in messages:
        same = replace(message, phase=None)
        if same not in said:
            said.append(same)
            yield message


def _spending(chain: Chain) -> advice.Spending:
    """Return what phases and trials spend, as the budget counts it."""
    total = chain.total
    return advice.Spending(
        seconds=total.seconds,
        usd=total.known_usd,
        is_usd_whole=total.total_usd is not None,
        kg_co2e=total.operational_kg_co2e,
        kilowatt_hours=None if total.facility_joules is None else units.joules_to_kilowatt_hours(total.facility_joules),
        litres=total.litres,
        is_water_whole=all(phase.plan.water.is_whole for phase in chain.phases),
    )


def plan_chain(recipe: Recipe, first: Plan, make_plan: MakePlan) -> Chain | None:
    """Return all phases and what they take together; None where nothing follows the recipe itself.

    Args:
        recipe: the resolved recipe.
        first: its own plan.
        make_plan: plans a recipe.

    Raises:
        HeadwayError: a phase cannot be planned.
    """
    phases = plan_phases(recipe, first, make_plan)
    if not phases:
        return None
    total = sum_of(phases)
    trials = search_of(recipe, total)
    return Chain(phases=phases, evaluation=evaluation_of(phases), trials=trials, total=added(total, trials))


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
        *(Phase(name=phase.name, plan=_planned(phase.name, one, make_plan)) for phase, one in later),
    )


class PhaseError(PlanError):
    """A phase cannot be planned; ``problems`` holds the reasons."""

    def __init__(self, phase: str, problems: tuple[HeadwayError, ...]) -> None:
        self.problems = problems
        super().__init__("plan-phase-impossible", phase=phase)

    def __reduce__(self) -> tuple[Any, ...]:
        return PhaseError, (self.arguments["phase"], self.problems)


def _planned(name: str, recipe: Recipe, make_plan: MakePlan) -> Plan:
    try:
        return make_plan(recipe)
    except HeadwayError as error:
        raise PhaseError(name, (error, *error.problems)) from error


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
        known_usd=_known(plan.cost.known_usd for plan in plans),
        operational_kg_co2e=total(lambda plan: plan.carbon.operational_kg_co2e),
        litres=total(lambda plan: plan.water.litres),
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


def evaluation_of(phases: Sequence[Phase]) -> Sum:
    """Return what of the phases goes into evaluations: their share of the time is that of all else, too.

    They are done between the steps, on the devices of the phase, and what failures cost falls to both alike.
    Leaves out: that a forward pass alone draws a little less power.
    """
    whole: Sum | None = None
    for phase in phases:
        time = phase.plan.time
        share = time.evaluation_seconds / (time.training_seconds + time.evaluation_seconds)
        part = sum_of([phase]).times(share)
        whole = part if whole is None else added(whole, part)
    assert whole is not None, "a chain has phases"
    return whole


def added(one: Sum, other: Sum | None) -> Sum:
    """Return two sums together."""
    if other is None:
        return one
    pairs = {name: _total((value, getattr(other, name))) for name, value in vars(one).items()}
    return Sum(**{**pairs, "known_usd": _known((one.known_usd, other.known_usd))})


def _known(values: Iterable[float | None]) -> float | None:
    """Return the sum of what is known."""
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    return None if any(value is None for value in known) else float(sum(value or 0.0 for value in known))
