"""``headway plan --published``: the published trainings beside their plans; and the one that a recipe is that of."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from headway.cli.output import make_table, stdout_console
from headway.i18n import current_translator, formatting
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from headway.planning.published import Beside, Published

BESIDE_COLUMNS = ("quantity", "published", "planned", "error", "interval")
"""Names of the columns of one training beside its plan."""

_ASSUMED = "~"
"""Behind a training of which nobody published on how many devices it ran."""


def show_published(found: Sequence[Published]) -> None:
    """Print times, then energy, emissions and interruptions, then what is left to say."""
    console, text = stdout_console(), current_translator().text
    names: tuple[str, ...]
    names = ("training", "hours", "planned", "error", "given-utilization", "utilization", "planned", "days", "planned")
    columns = [text(f"plan-column-{name}") for name in names]
    console.print(make_table(columns, _times(found), numeric=range(1, len(columns))))
    names = ("training", "quantity", "published", "planned", "error", "given-hours", "interval", "basis")
    columns = [text(f"plan-column-{name}") for name in names]
    console.print(make_table(columns, _rest(found), numeric=(2, 3, 4, 5, 6)))
    _summary(console, found)


def beside_table(one: Published) -> Table:
    """Return the table of one training."""
    text = current_translator().text
    rows = [beside_cells(row) for row in one.rows]
    return make_table([text(f"plan-column-{name}") for name in BESIDE_COLUMNS], rows, numeric=(1, 2, 3, 4))


def _times(found: Sequence[Published]) -> Iterator[list[str]]:
    for one in found:
        hours, given = one.row("device_hours"), one.row("device_hours_at_published_utilization")
        share, days = one.row("utilization"), one.row("days")
        yield [
            _title(one),
            _published(hours),
            _planned(hours),
            _error(hours),
            _error(given),
            _published(share),
            formatting.format_percent(one.plan.time.model_flops_utilization if one.plan else None, _locale()),
            _published(days),
            _planned(days),
        ]


def _rest(found: Sequence[Published]) -> Iterator[list[str]]:
    for one in found:
        title = _title(one)
        for row in one.rows:
            if row.quantity in ("kilowatt_hours", "kg_co2e", "interruptions", "goodput"):
                basis = "" if row.basis is None else current_translator().text("plan-published-basis", basis=row.basis)
                *cells, interval = beside_cells(row)
                yield [title, *cells, _share(row.error_at_published_hours), interval, basis]
                title = ""


def beside_cells(row: Beside) -> list[str]:
    """Return a quantity's cells, in the order of `BESIDE_COLUMNS`."""
    name = current_translator().text("plan-published-quantity", quantity=row.quantity)
    return [name, _published(row), _planned(row), _error(row), _interval(row)]


def _title(one: Published) -> str:
    return f"{one.training.title} {_ASSUMED}" if "devices" in one.training.assumed else one.training.title


def _locale() -> str:
    return current_translator().language


def _value(quantity: str, value: float | None) -> str:
    if quantity in ("kilowatt_hours", "kg_co2e"):
        value = None if value is None else value / 1000
    if quantity in ("days", "kilowatt_hours", "kg_co2e", "interruptions"):
        return formatting.format_decimal(value, _locale())
    if quantity.startswith("device_hours"):
        return formatting.format_count(value, _locale())
    return format_quantity(quantity, value, _locale())


def _published(row: Beside | None) -> str:
    return "" if row is None else _value(row.quantity, row.published)


def _planned(row: Beside | None) -> str:
    return "" if row is None else _value(row.quantity, row.planned)


def _error(row: Beside | None) -> str:
    return "" if row is None else _share(row.error)


def _share(error: float | None) -> str:
    if error is None:
        return ""
    return ("+" if error >= 0 else "") + formatting.format_percent(error, _locale())


def _interval(row: Beside) -> str:
    if row.low is None or row.high is None:
        return ""
    return f"{_value(row.quantity, row.low)} {formatting.RANGE} {_value(row.quantity, row.high)}"


def _summary(console: Console, found: Sequence[Published]) -> None:
    from headway.planning.published import AIM, score

    translator = current_translator()
    for message, scored in (
        ("plan-published-score-layout", score(found, with_layout=True)),
        ("plan-published-score-utilization", score(found, "device_hours_at_published_utilization")),
        ("plan-published-score-all", score(found)),
    ):
        if scored is not None:
            console.print(translator.text(message, **vars(scored), aim=AIM))
    console.print(translator.text("plan-published-assumed", mark=_ASSUMED), style="dim")
    console.print(translator.text("plan-published-convention"), style="dim")
    for one in found:
        if one.error is not None:
            text, _ = translator.error(one.error)
            console.print(f"x {one.training.title}: {text}")
