"""The layouts that nothing beats in time, memory and cost at once: how far one can be had for the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from headway.cli.output import make_table
from headway.cli.plan_compare_view import layout_text
from headway.i18n import current_translator
from headway.i18n.quantities import format_quantity

if TYPE_CHECKING:
    from rich.table import Table

    from headway.planning import Plan
    from headway.planning.trades import Trade

_LABELS = {
    "step_seconds": "step-seconds",
    "device_peak_bytes": "device-peak-bytes",
    "headroom_share": "headroom-share",
    "facility_joules": "energy",
    "total_usd": "cost",
}
"""Fields of a trade that are numbers, and their labels; those that no trade knows have no column."""

CHOSEN = "*"
"""Before the layout of the plan."""


def trade_columns(trades: Sequence[Trade]) -> list[str]:
    """Return the heads of the columns, of which the first is text."""
    text = current_translator().text
    return [text("plan-label-layout"), *(text(f"plan-label-{_LABELS[name]}") for name in _known(trades))]


def trade_rows(trades: Sequence[Trade]) -> list[list[str]]:
    """Return the cells of each layout, the chosen one marked."""
    locale, names = current_translator().language, _known(trades)
    has_formats = len({one.precision for one in trades}) > 1
    rows = []
    for one in trades:
        mark, named = CHOSEN if one.is_chosen else " ", f", {one.precision}" if has_formats else ""
        cells = [format_quantity(name, getattr(one, name), locale) for name in names]
        rows.append([f"{mark} {layout_text(one.layout)}{named}", *cells])
    return rows


def trades_table(trades: Sequence[Trade]) -> Table:
    """Return the table."""
    columns = trade_columns(trades)
    return make_table(columns, trade_rows(trades), numeric=range(1, len(columns)))


def trades_note(plan: Plan) -> str:
    """Return what the front is, and whether cost is an axis of its own in it."""
    return current_translator().text("plan-trades-note", axis=plan.search.cost_axis, mark=CHOSEN)


def _known(trades: Sequence[Trade]) -> list[str]:
    return [name for name in _LABELS if any(getattr(one, name) is not None for one in trades)]
