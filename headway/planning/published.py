"""Plans beside the trainings that were published: what they took, what the planner says, and how far that is off."""

from __future__ import annotations

import statistics
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from headway import units
from headway.catalog import trainings
from headway.catalog.trainings import PublishedTraining
from headway.errors import HeadwayError
from headway.planning.comparison import MakePlan
from headway.planning.reliability.prediction import expected_rate
from headway.planning.reliability.rates import interruptions
from headway.planning.spread import Spread, ends, inverse, spread_of
from headway.planning.variation import own_accelerator
from headway.recipe import Recipe, resolve_recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

SAME_TOKENS = 0.01
"""A recipe is that of a published training where its tokens differ by no more than this share: published
figures have two or three digits."""

AIM = 0.15
"""Device hours are to be within this share, given the published layout or utilisation. Our aim; see
benchmarks/RESULTS.md."""


@dataclass(frozen=True, kw_only=True)
class Beside:
    """One quantity, published and planned.

    Attributes:
        quantity: its name, ending in its unit.
        published: value.
        planned: value; None where the plan does not know it.
        low: lower end of the plan's 80 % interval; None where there is none.
        high: upper end of it.
        basis: the convention that both follow, where there are several.
        at_published_hours: what the plan would say of energy and emissions, were its device hours those published.
    """

    quantity: str
    published: float
    planned: float | None
    low: float | None = None
    high: float | None = None
    basis: str | None = None
    at_published_hours: float | None = None

    @property
    def error_at_published_hours(self) -> float | None:
        """How far that is off: the power and the grid, without the time."""
        return None if self.at_published_hours is None else self.at_published_hours / self.published - 1

    @property
    def error(self) -> float | None:
        """How far the plan is off, as a share of what is published."""
        return None if self.planned is None or not self.published else self.planned / self.published - 1

    @property
    def is_inside(self) -> bool | None:
        """Whether the published value lies inside the interval; None where there is no interval."""
        return None if self.low is None or self.high is None else self.low <= self.published <= self.high

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; what is not known is left out."""
        known = {
            **vars(self),
            "error": self.error,
            "error_at_published_hours": self.error_at_published_hours,
            "is_inside": self.is_inside,
        }
        return {name: value for name, value in known.items() if value is not None}


@dataclass(frozen=True, kw_only=True)
class Published:
    """One training beside its plan.

    Attributes:
        training: as published.
        plan: None where it cannot be planned.
        rows: what both know.
        error: why there is no plan.
    """

    training: PublishedTraining
    plan: Plan | None = None
    rows: tuple[Beside, ...] = ()
    error: HeadwayError | None = None

    def row(self, quantity: str) -> Beside | None:
        """Return a quantity, or None where it is not published."""
        return next((row for row in self.rows if row.quantity == quantity), None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        one = self.training
        content: dict[str, Any] = {
            "id": one.id,
            "title": one.title,
            "has_layout": one.has_layout,
            "assumed": list(one.assumed),
            "source": one.source,
            "rows": [row.to_dict() for row in self.rows],
        }
        return {**content, **(self.error.to_dict() if self.error is not None else {})}


def published_beside(make_plan: MakePlan) -> tuple[Published, ...]:
    """Plan every published training, each with what is published of its settings."""
    return tuple(_planned(entry, make_plan) for entry in trainings.entries().values())


def _planned(entry: PublishedTraining, make_plan: MakePlan) -> Published:
    try:
        recipe = resolve_recipe(entry.to_recipe())
        made = make_plan(recipe)
    except HeadwayError as error:
        return Published(training=entry, error=error)
    return Published(training=entry, plan=made, rows=tuple(_rows(entry, recipe, made)))


def published_of(recipe: Recipe, plan: Plan) -> Published | None:
    """Return the published training that a recipe is the recipe of, beside its plan; None where it is none.

    It is, where model, tokens, accelerator and number of devices are the same.
    """
    for entry in trainings.entries().values():
        if (
            entry.preset is not None
            and entry.preset == recipe.model.preset
            and entry.devices == recipe.hardware.devices
            and "devices" not in entry.assumed
            and abs(recipe.num_tokens / entry.tokens - 1) <= SAME_TOKENS
            and entry.accelerator == own_accelerator(recipe)
        ):
            return Published(training=entry, plan=plan, rows=tuple(_rows(entry, recipe, plan)))
    return None


def _rows(entry: PublishedTraining, recipe: Recipe, plan: Plan) -> Iterator[Beside]:
    time = plan.time
    days = time.total_days
    hours = None if days is None else days * 24 * entry.devices
    if entry.device_hours is not None:
        yield _scaled("device_hours", entry.device_hours, hours, time.total_spread)
        if entry.model_flops_utilization is not None and hours is not None:
            # The same plan at the speed that is published: what is left is length, arithmetic and interruptions.
            at_theirs = hours * time.model_flops_utilization / entry.model_flops_utilization
            yield Beside(
                quantity="device_hours_at_published_utilization", published=entry.device_hours, planned=at_theirs
            )
    if entry.days is not None:
        yield _scaled("days", entry.days, days, time.total_spread)
    if entry.model_flops_utilization is not None:
        share = time.model_flops_utilization
        step = spread_of(time.step_seconds_low, time.step_seconds, time.step_seconds_high)
        yield _scaled("utilization", entry.model_flops_utilization, share, inverse(step))
    ratio = entry.device_hours / hours if entry.device_hours is not None and hours else None
    yield from _energy(entry, plan, ratio)
    yield from _interruptions(entry, recipe)
    if entry.goodput is not None and plan.reliability is not None:
        found = plan.reliability
        yield Beside(
            quantity="goodput",
            published=entry.goodput,
            planned=found.goodput,
            low=found.goodput_low,
            high=found.goodput_high,
        )


def _scaled(quantity: str, published: float, planned: float | None, spread: Spread) -> Beside:
    low, high = ends(planned, spread)
    return Beside(quantity=quantity, published=published, planned=planned, low=low, high=high)


def _energy(entry: PublishedTraining, plan: Plan, ratio: float | None) -> Iterator[Beside]:
    """Yield energy and emissions by the convention of the source: most state design power, which is no measurement.

    Args:
        entry: as published.
        plan: of it.
        ratio: of the published device hours to the planned ones; None where they are not published.
    """
    joules = _by_basis(entry, plan.energy.design_device_joules, plan.energy.facility_joules, entry.energy_basis)
    hours = None if joules is None else units.joules_to_kilowatt_hours(joules)
    kilograms = _by_basis(
        entry, plan.carbon.design_device_kg_co2e, plan.carbon.operational_kg_co2e, entry.kg_co2e_basis
    )
    for quantity, published, planned, basis in (
        ("kilowatt_hours", entry.energy_kilowatt_hours, hours, entry.energy_basis),
        ("kg_co2e", entry.kg_co2e, kilograms, entry.kg_co2e_basis),
    ):
        if published is not None:
            yield Beside(
                quantity=quantity,
                published=published,
                planned=planned,
                basis=basis,
                at_published_hours=None if ratio is None else _times(planned, ratio),
            )


def _by_basis(
    entry: PublishedTraining, design: float | None, measured: float | None, basis: str | None
) -> float | None:
    """Return the plan's value by the convention of the source."""
    if basis == "measured":
        return measured
    return _times(design, entry.power_usage_effectiveness or 1.0) if basis == "site" else design


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor


def _interruptions(entry: PublishedTraining, recipe: Recipe) -> Iterator[Beside]:
    """Yield the interruptions over the time in which they were counted."""
    if entry.interruptions is None or entry.interruption_days is None:
        return
    seconds = entry.interruption_days * units.SECONDS_PER_DAY
    count = interruptions(expected_rate(recipe.resilience, entry.accelerator), devices=entry.devices, seconds=seconds)
    yield Beside(
        quantity="interruptions", published=entry.interruptions, planned=count.expected, low=count.low, high=count.high
    )


@dataclass(frozen=True, kw_only=True)
class Score:
    """How far device hours are off over several trainings.

    Attributes:
        trainings: that are scored.
        median_error: of the absolute errors.
        within_aim: how many are off by no more than `AIM`.
    """

    trainings: int
    median_error: float
    within_aim: int


def score(found: Sequence[Published], quantity: str = "device_hours", *, with_layout: bool = False) -> Score | None:
    """Return the errors of a quantity; None where nothing is to be scored.

    Args:
        found: trainings beside their plans.
        quantity: that is scored.
        with_layout: only those whose layout is published.
    """
    rows = [one.row(quantity) for one in found if one.training.has_layout or not with_layout]
    errors = [abs(row.error) for row in rows if row is not None and row.error is not None]
    if not errors:
        return None
    return Score(
        trainings=len(errors),
        median_error=statistics.median(errors),
        within_aim=sum(error <= AIM for error in errors),
    )
