"""``headway plan RECIPE --sweep SETTING=VALUES``: how a training scales, as a table with bars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from headway import units
from headway.cli.localized import error_lines
from headway.cli.output import make_table, print_message, stdout_console
from headway.cli.plan_compare_view import cost_text
from headway.i18n import current_translator, formatting
from headway.i18n.plain import without_controls

if TYPE_CHECKING:
    from headway.planning import Plan
    from headway.planning.sweep import Sweep, SweepPoint

_BAR = "#"
_BAR_CELLS = 16
_NUMBERS: dict[str, Callable[[SweepPoint, Plan], float | None]] = {
    "rate": lambda _point, plan: plan.time.tokens_per_second,
    "efficiency": lambda point, _plan: point.scaling_efficiency,
    "utilization": lambda _point, plan: plan.time.model_flops_utilization,
    "goodput": lambda _point, plan: plan.reliability.goodput if plan.reliability else None,
    "duration": lambda _point, plan: plan.time.total_seconds,
    "usd": lambda _point, plan: plan.cost.total_usd,
    "megawatt-hours": lambda _point, plan: megawatt_hours(plan),
}
_FORMATTERS: dict[str, Callable[[float | None, str], str]] = {
    "rate": formatting.format_count,
    "duration": formatting.format_duration,
    "usd": formatting.format_usd,
    "megawatt-hours": formatting.format_decimal,
}
"""All others are shares."""


def megawatt_hours(plan: Plan) -> float | None:
    """Return the energy of the facility; None where it is not known."""
    joules = plan.energy.facility_joules
    return None if joules is None else units.joules_to_kilowatt_hours(joules) / 1000


def show_sweep(what: Sweep, points: Sequence[SweepPoint]) -> None:
    """Print the table, the best points, and why a value cannot be planned or does not fit."""
    from headway.planning.sweep import best_measures

    console, translator = stdout_console(), current_translator()
    first, *rest = (translator.text(f"plan-column-{name}") for name in _NUMBERS)
    columns = [what.setting, first, "", *rest]
    console.print(make_table(columns, _rows(points), numeric=(0, 1, *range(3, len(columns)))))
    front = [str(point.value) for point in points if point.is_on_front]
    if front:
        console.print(translator.text("plan-sweep-front", setting=what.name, values=", ".join(front)))
    for name, index in best_measures(points).items():
        console.print(translator.text(f"plan-sweep-{name}", setting=what.name, value=str(points[index].value)))
    for point in points:
        mark = f"x {what.setting} {without_controls(str(point.value))}:"
        if point.error is not None:
            first, *rest = error_lines(point.error)
            console.print(f"{mark} {first.partition(': ')[2] or first}")
            for line in rest:
                console.print(f"  {line}", style="dim")
        elif point.plan is not None:
            for message in point.plan.infeasible:
                print_message(console, mark, message.id, message.arguments)


def _rows(points: Sequence[SweepPoint]) -> Iterator[list[str]]:
    locale = current_translator().language
    rates = [point.plan.time.tokens_per_second for point in points if point.plan is not None and point.plan.is_feasible]
    most = max(rates, default=0.0)
    for point in points:
        if point.plan is None or not point.plan.is_feasible:
            continue
        texts = {
            name: _FORMATTERS.get(name, formatting.format_percent)(measure(point, point.plan), locale)
            for name, measure in _NUMBERS.items()
        }
        cells = [*{**texts, "usd": cost_text(point.plan, texts["usd"])}.values()]
        bar = _BAR * max(1, round(_BAR_CELLS * point.plan.time.tokens_per_second / most))
        yield [formatting.format_decimal(float(point.value), locale, 6), cells[0], bar, *cells[1:]]
