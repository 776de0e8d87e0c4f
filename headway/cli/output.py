"""Printing for people and for programs: data to stdout, status to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from headway.errors import PlanError
from headway.i18n import current_translator
from headway.i18n.plain import without_controls

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PLAIN_WIDTH = 110
"""Columns where the output goes to a file or a pipe."""


def print_json(content: Any) -> None:
    """Print data as strict JSON to stdout; what is not a finite number is the text "NaN" or "Infinity"."""
    from headway.runs.json_values import encode

    click.echo(json.dumps(encode(content), indent=2, default=str, allow_nan=False))


def check_writable(path: Path) -> None:
    """Refuse a file that cannot be written, before the work that it is to hold is done; nothing is left behind.

    Raises:
        PlanError: its folder is missing or closed, or it is a folder itself.
    """
    is_new = not path.exists()
    try:
        with path.open("ab"):
            pass
        if is_new:
            path.unlink()
    except OSError as error:
        raise PlanError("plan-file-unwritable", path=str(path), reason=error.strerror or str(error)) from error


def say(text: str) -> None:
    """Print status to stderr."""
    click.echo(text, err=True)


def stdout_console() -> Console:
    """Return a console on stdout; without colour, and of a fixed width, where stdout is not a terminal."""
    return _console(stderr=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def stderr_console() -> Console:
    """Return a console on stderr."""
    return _console(stderr=True)


def _console(stderr: bool, width: int | None = None) -> Console:
    from rich.console import Console

    # Text is shown as it is: brackets in a path, or in `headway[torch]`, are no markup.
    return Console(stderr=stderr, width=width, highlight=False, markup=False, emoji=False)


def print_message(console: Console, mark: str, message_id: str, arguments: Mapping[str, Any]) -> None:
    """Print a message behind a mark, and below it what the reader can do."""
    translator = current_translator()
    console.print(f"{mark} {translator.text(message_id, **arguments)}")
    next_step = translator.next_step(message_id, **arguments)
    if next_step:
        console.print(f"  {next_step}", style="dim")


def make_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = ()) -> Table:
    """Make a plain table; where a terminal is too narrow for it, it is shown as a block of lines for each row.

    Args:
        columns: headings.
        rows: cells.
        numeric: indices of the columns that are set flush right.
    """
    from headway.cli.fitting_table import FittingTable

    return FittingTable(columns, [tuple(map(without_controls, row)) for row in rows], frozenset(numeric))
