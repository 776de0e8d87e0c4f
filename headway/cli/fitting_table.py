"""A table that stays readable where a terminal is too narrow for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import final

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

_COLUMN_ROOM = 3
"""What rich puts around and between cells."""


@final
class FittingTable(Table):
    """A table, or one block of lines for each row where the words of the columns do not fit beside each other.

    Args:
        columns: headings.
        rows: cells.
        numeric: indices of the columns that are set flush right.
    """

    def __init__(self, columns: Sequence[str], rows: Sequence[Sequence[str]], numeric: frozenset[int]) -> None:
        super().__init__(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        self._headings, self._cells = columns, rows
        for index, column in enumerate(columns):
            self.add_column(Text(column), justify="right" if index in numeric else "left", overflow="fold")
        for row in rows:
            self.add_row(*map(Text, row))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self._least_width() <= options.max_width:
            yield from super().__rich_console__(console, options)
        else:
            yield self._blocks()

    def _least_width(self) -> int:
        """Return the columns' longest words together, with the room around them."""
        columns = zip(self._headings, *self._cells, strict=True)
        longest = (max(cell_len(word) for text in column for word in text.split() or [""]) for column in columns)
        return sum(width + _COLUMN_ROOM for width in longest)

    def _blocks(self) -> Text:
        blocks = []
        for row in self._cells:
            pairs = list(zip(self._headings, row, strict=True))[1:]
            blocks.append("\n".join([row[0], *(f"  {column}: {text}" for column, text in pairs if text)]))
        return Text("\n".join(blocks))
