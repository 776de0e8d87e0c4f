"""Where the time of a run went, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table

from headway.cli.output import make_table
from headway.i18n import current_translator, formatting
from headway.i18n.quantities import format_quantity
from headway.runs.goodput import PARTS, Goodput

_PLANNED = {
    "step": ("useful",),
    "checkpoint_stall": ("stalls",),
    "restart": ("detection", "restart"),
    "lost_work": ("lost_work",),
}
"""Parts -> the shares of a plan's ``reliability.losses`` that tell of the same."""


def goodput_table(spent: Goodput, plan: Mapping[str, Any]) -> Table:
    """Return the table of a run's time: each part with its share, and the plan's share where it has one."""
    translator = current_translator()
    locale = translator.language
    rows = [
        (
            translator.text(f"cli-goodput-{part}"),
            format_quantity("seconds", spent.seconds(part), locale),
            formatting.format_percent(spent.seconds(part) / spent.seconds_in_all, locale),
            _planned(part, plan, locale),
        )
        for part in PARTS
        if spent.microseconds[part]
    ]
    total = format_quantity("seconds", spent.seconds_in_all, locale)
    rows.append((translator.text("cli-goodput-all"), total, formatting.format_percent(1.0, locale), ""))
    names = ("cli-goodput-part", "cli-goodput-time", "cli-goodput-share", "cli-column-predicted")
    return make_table([translator.text(name) for name in names], rows, numeric=(1, 2, 3))


def _planned(part: str, plan: Mapping[str, Any], locale: str) -> str:
    losses = plan.get("reliability", {}).get("losses")
    names = _PLANNED.get(part, ())
    if not isinstance(losses, Mapping) or not names or not all(name in losses for name in names):
        return ""
    return formatting.format_percent(sum(losses[name] for name in names), locale)
