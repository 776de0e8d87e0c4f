"""The ledger as a table."""

from __future__ import annotations

from rich.table import Table

from headway.cli.output import make_table
from headway.i18n import current_translator, formatting
from headway.i18n.quantities import format_quantity
from headway.runs import Ledger, LedgerRow


def ledger_table(ledger: Ledger) -> Table:
    """Return the table of a ledger: predicted beside measured, with the error of each row."""
    text = current_translator().text
    names = ("resource", "quantity", "predicted", "measured", "error")
    rows = [_cells(row) for row in ledger.rows]
    return make_table([text(f"cli-column-{name}") for name in names], rows, numeric=(2, 3, 4))


def _cells(row: LedgerRow) -> tuple[str, ...]:
    translator = current_translator()
    locale = translator.language
    measured = format_quantity(row.quantity, row.measured, locale)
    if row.basis == "estimated":
        measured = translator.text("cli-estimated", value=measured)
    if row.error is not None:
        error = ("+" if row.error >= 0 else "") + formatting.format_percent(row.error, locale)
    else:
        error = ""
    return (
        translator.text(f"resource-{row.resource}"),
        translator.text(f"quantity-{row.quantity}") + (f" ({row.source})" if row.source else ""),
        format_quantity(row.quantity, row.predicted, locale),
        measured,
        error,
    )
