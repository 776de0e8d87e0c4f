"""The phases of a training, one a line, and their sum."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from headway import units
from headway.cli.output import make_table, stdout_console
from headway.cli.plan_compare_view import usd_text
from headway.i18n import current_translator, formatting
from headway.planning.phases import Sum, sum_of

if TYPE_CHECKING:
    from headway.planning.phases import Chain

COLUMNS = ("phase", "devices", "fits", "duration", "hours", "megawatt-hours", "usd", "tonnes")
"""Names of the columns; all but the first and the third hold numbers."""


def show_phases(chain: Chain | None) -> None:
    """Print the table, where there are phases."""
    if chain is None:
        return
    console, text = stdout_console(), current_translator().text
    console.print(text("plan-phases-title"), style="bold")
    columns = [text(f"plan-column-{name}") for name in COLUMNS]
    console.print(make_table(columns, phase_rows(chain), numeric=(1, *range(3, len(COLUMNS)))))


def phase_rows(chain: Chain) -> Iterator[list[str]]:
    """Yield the cells of each phase, of the evaluations in them, of the trials beside them, and of the sum."""
    text, locale = current_translator().text, current_translator().language
    for phase in chain.phases:
        devices = formatting.format_decimal(phase.plan.hardware.devices, locale, 12)
        fits = text("plan-yes" if phase.plan.is_feasible else "plan-no")
        yield [phase.name, devices, fits, *_cells(sum_of([phase]))]
    yield [text("plan-phases-evaluation"), "", "", *_cells(chain.evaluation)]
    if chain.trials is not None:
        yield [text("plan-phases-search"), "", "", *_cells(chain.trials)]
    yield [text("plan-phases-sum"), "", "", *_cells(chain.total)]


def _cells(one: Sum) -> Iterator[str]:
    locale = current_translator().language
    joules, kilograms = one.facility_joules, one.operational_kg_co2e
    yield formatting.format_duration(one.seconds, locale) if one.seconds != 0 else ""
    yield formatting.format_count(one.device_hours, locale)
    yield formatting.format_decimal(None if joules is None else units.joules_to_kilowatt_hours(joules) / 1000, locale)
    yield usd_text(one.total_usd, one.known_usd, formatting.format_usd(one.total_usd, locale))
    yield formatting.format_decimal(None if kilograms is None else kilograms / 1000, locale)
