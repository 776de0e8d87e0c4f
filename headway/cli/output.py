"""Printing for people and for programs: data to stdout, status to stderr."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PLAIN_WIDTH = 110
"""Columns where the output goes to a file or a pipe."""


def print_json(content: Any) -> None:
    """Print data as JSON to stdout."""
    click.echo(json.dumps(content, indent=2, default=str))


def stdout_console() -> Console:
    """Return a console on stdout; without colour, and of a fixed width, where stdout is not a terminal."""
    from rich.console import Console

    return Console(highlight=False, width=None if sys.stdout.isatty() else PLAIN_WIDTH)


def stderr_console() -> Console:
    """Return a console on stderr."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def make_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numeric: Iterable[int] = ()) -> Table:
    """Make a plain table.

    Args:
        columns: headings.
        rows: cells.
        numeric: indices of the columns that are set flush right.
    """
    from rich import box
    from rich.table import Table

    right = set(numeric)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for index, column in enumerate(columns):
        table.add_column(column, justify="right" if index in right else "left", overflow="fold")
    for row in rows:
        table.add_row(*row)
    return table
