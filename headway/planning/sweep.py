"""One training planned for several values of one setting: how it scales."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headway import units
from headway.errors import HeadwayError, PlanError
from headway.planning.comparison import MakePlan
from headway.planning.unbeaten import unbeaten
from headway.planning.variation import find_setting, with_setting
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

MAX_POINTS = 64
"""More points tell no more, and each is a plan."""

RANGE = ".."
Value = int | float | str


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is varied.

    Attributes:
        section: of the recipe.
        setting: of the section.
        values: as a recipe takes them.
    """

    section: str
    setting: str
    values: tuple[Value, ...]

    @property
    def name(self) -> str:
        """The setting as a recipe's reader knows it."""
        return f"{self.section}.{self.setting}"


@dataclass(frozen=True, kw_only=True)
class SweepPoint:
    """The training with one value.

    Attributes:
        value: of the setting; as it was asked for where the recipe refuses it.
        plan: what it takes; None where it cannot be planned.
        scaling_efficiency: throughput of a device over that of the first point that fits; None where nothing fits.
        error: why there is no plan; None where there is one.
        is_on_front: whether no other point is both as fast and as cheap.
    """

    value: Value
    plan: Plan | None = None
    scaling_efficiency: float | None = None
    error: HeadwayError | None = None
    is_on_front: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        content: dict[str, Any] = {"value": self.value}
        if self.scaling_efficiency is not None:
            content["scaling_efficiency"] = self.scaling_efficiency
        if self.plan is not None:
            content |= {"is_on_front": self.is_on_front, "plan": self.plan.to_dict()}
        return {**content, **(self.error.to_dict() if self.error is not None else {})}


def parse_sweep(text: str) -> Sweep:
    """Read ``devices=64..4096`` (doubling), ``devices=64..512..8`` (eight points) or ``devices=64,128,256``.

    Args:
        text: a setting's name, ``=``, and values or ranges with commas between them.

    Raises:
        PlanError: it is written otherwise, or there is no such setting.
    """
    name, separator, listed = text.partition("=")
    if not separator or not listed.strip():
        raise PlanError("plan-sweep-shape", text=text[:80])
    section, setting = find_setting(name)
    values: list[Value] = []
    for item in listed.split(","):
        values += _range(item, text) if RANGE in item else [_value(item, text)]
    values = list(dict.fromkeys(values))
    if len(values) > MAX_POINTS:
        raise PlanError("plan-sweep-points", points=len(values), limit=MAX_POINTS)
    return Sweep(section=section, setting=setting, values=tuple(values))


def _value(item: str, text: str) -> Value:
    if not item.strip():
        raise PlanError("plan-sweep-shape", text=text[:80])
    number = _number(item)
    return item.strip() if number is None else number


def _number(item: str) -> int | float | None:
    """Return a number as people write it (``64``, ``0.1``, ``4k``), or None."""
    try:
        value = float(item)
    except ValueError:
        try:
            return units.parse_count(item.strip())
        except (ValueError, OverflowError):
            return None
    if value != value or abs(value) == float("inf"):
        return None
    return int(value) if value == int(value) else value


def _range(item: str, text: str) -> list[Value]:
    numbers = [_number(piece) for piece in item.split(RANGE)]
    if len(numbers) not in (2, 3) or any(number is None for number in numbers):
        raise PlanError("plan-sweep-shape", text=text[:80])
    first, last = numbers[0] or 0, numbers[1] or 0
    if not 0 < first <= last:
        raise PlanError("plan-sweep-range", first=first, last=last)
    if len(numbers) == 2:
        return _doubled(first, last)
    count = numbers[2] or 0
    if count != int(count) or not 2 <= count <= MAX_POINTS:
        raise PlanError("plan-sweep-points", points=count, limit=MAX_POINTS)
    step = (last - first) / (int(count) - 1)
    points = [first + step * index for index in range(int(count))]
    is_whole = isinstance(first, int) and isinstance(last, int)
    return [round(point) if is_whole else point for point in points]


def _doubled(first: float, last: float) -> list[Value]:
    points: list[Value] = []
    value = first
    while value < last and len(points) <= MAX_POINTS:
        points.append(value)
        value *= 2
    return [*points, last]


def sweep(recipe: Recipe, what: Sweep, make_plan: MakePlan) -> tuple[SweepPoint, ...]:
    """Plan a recipe for each value; one that cannot be planned does not keep the others from it.

    Args:
        recipe: the resolved recipe.
        what: is varied.
        make_plan: plans a recipe.

    Raises:
        PlanError: the setting is no number.
    """
    points = sorted((_point(recipe, what, value, make_plan) for value in what.values), key=_order)
    fitting = [point.plan for point in points if point.plan is not None and point.plan.is_feasible]
    base = fitting[0].time.tokens_per_second_per_device if fitting else None
    front = unbeaten([point.plan for point in points])
    return tuple(
        replace(_with_efficiency(point, base), is_on_front=index in front) for index, point in enumerate(points)
    )


def _point(recipe: Recipe, what: Sweep, value: Value, make_plan: MakePlan) -> SweepPoint:
    try:
        changed = with_setting(recipe, what.section, what.setting, value)
    except HeadwayError as error:
        return SweepPoint(value=value, error=error)
    number = getattr(getattr(changed, what.section), what.setting)
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        raise PlanError("plan-sweep-not-numeric", name=what.name, value=str(number)[:80])
    try:
        return SweepPoint(value=number, plan=make_plan(changed))
    except HeadwayError as error:
        return SweepPoint(value=number, error=error)


def _order(point: SweepPoint) -> float:
    """Return where a point stands: by its value; what the recipe refuses comes last."""
    return float("inf") if isinstance(point.value, str) else float(point.value)


def _with_efficiency(point: SweepPoint, base: float | None) -> SweepPoint:
    if point.plan is None or base is None or not point.plan.is_feasible:
        return point
    share = point.plan.time.tokens_per_second_per_device / base
    return SweepPoint(value=point.value, plan=point.plan, scaling_efficiency=share, error=None)


def best_measures(points: Sequence[SweepPoint]) -> dict[str, int]:
    """Return by measure the index of the point that is best: the fastest, and the cheapest."""
    fitting = {
        index: point.plan
        for index, point in enumerate(points)
        if point.plan is not None and point.plan.is_feasible and point.plan.time.total_seconds is not None
    }
    found: dict[str, int] = {}
    if fitting:
        found["fastest"] = min(fitting, key=lambda index: fitting[index].time.total_seconds or 0.0)
    priced = {index: plan.cost.total_usd for index, plan in fitting.items() if plan.cost.total_usd is not None}
    if priced:
        found["cheapest"] = min(priced, key=lambda index: priced[index])
    return found
