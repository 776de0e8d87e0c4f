"""Rows of JSON Lines and Parquet, and what happens to those that cannot be used.

Everything is streamed, and no line is ever held that is longer than `MAX_LINE_BYTES`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self, final

from headway.errors import DataError, MissingDependencyError
from headway.training.data.locations import Location

MAX_LINE_BYTES = 64 * 2**20
"""A longer line of JSON Lines is refused, since a line has to be held in memory as a whole."""

_PIECE_BYTES = 2**20

INSTALL_COMMAND = 'pip install ".[torch]"'
PARQUET_BATCH_ROWS = 256


class Row(NamedTuple):
    """One row: its fields by name, and where it stands."""

    fields: Mapping[str, Any]
    path: str
    line: int
    """Of the file, from 1; in Parquet, the row."""

    @property
    def where(self) -> dict[str, Any]:
        """The arguments of an error that name the place."""
        return {"path": self.path, "line": self.line}


@dataclass
class Cursor:
    """Where in a file the next document begins; reading moves it, and can begin at any place that it was at."""

    offset_bytes: int = 0
    """After decompression; of text and JSON Lines."""
    line: int = 0
    """Lines before it, or rows of Parquet."""


class Reason(NamedTuple):
    """Rows that were left out for one reason, which the first of them shows."""

    rows: int
    message_id: str
    arguments: dict[str, Any]


@final
class BadRows:
    """What happens to rows that cannot be used: the first ends the preparation, or all are left out and counted.

    It is the context of the work on one row. An error of that row ends the block, and no more than that where bad rows
    are skipped.

    Args:
        skips: leave them out.
    """

    def __init__(self, *, skips: bool = False) -> None:
        self.reasons: dict[str, Reason] = {}
        self._skips = skips

    @property
    def count(self) -> int:
        """Rows that were left out."""
        return sum(reason.rows for reason in self.reasons.values())

    @property
    def first(self) -> DataError | None:
        """What is wrong with the first of them."""
        reason = next(iter(self.reasons.values()), None)
        return None if reason is None else DataError(reason.message_id, **reason.arguments)

    def add(self, reasons: Iterable[Reason]) -> None:
        """Count what was left out elsewhere, and after what is known here."""
        for reason in reasons:
            known = self.reasons.get(reason.message_id, reason._replace(rows=0))
            self.reasons[reason.message_id] = known._replace(rows=known.rows + reason.rows)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not self._skips or not isinstance(error, DataError):
            return False
        self.add([Reason(1, error.message_id, error.arguments)])
        return True


def json_rows(stream: BinaryIO, path: Location, bad: BadRows, cursor: Cursor | None = None) -> Iterator[Row]:
    """Yield the rows of JSON Lines; blank lines are passed over.

    Args:
        stream: the file's content.
        path: names it in errors.
        bad: takes the lines that are not JSON objects.
        cursor: where to begin, and where reading is.

    Raises:
        DataError: of such a line, where they are not skipped.
    """
    at = cursor or Cursor()
    advance(stream, at.offset_bytes)
    while line := stream.readline(MAX_LINE_BYTES + 1):
        begin, at.offset_bytes, at.line = at.offset_bytes, at.offset_bytes + len(line), at.line + 1
        fields = None
        with bad:
            fields = _object_of(line, path, at.line, begin)
        if len(line) > MAX_LINE_BYTES:
            at.offset_bytes += _pass_over(stream, line)
        if fields is not None:
            yield Row(fields, str(path), at.line)


def advance(stream: BinaryIO, num_bytes: int) -> None:
    """Pass over the first bytes of a stream that was just opened."""
    if stream.seekable():
        stream.seek(num_bytes)
        return
    while num_bytes and (piece := stream.read(min(num_bytes, _PIECE_BYTES))):
        num_bytes -= len(piece)


def _pass_over(stream: BinaryIO, piece: bytes) -> int:
    """Read the rest of the line that a piece of it begins; return its size in bytes."""
    num_bytes = 0
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(_PIECE_BYTES)
        num_bytes += len(piece)
    return num_bytes


def _object_of(line: bytes, path: Location, number: int, offset_bytes: int) -> dict[str, Any] | None:
    where: dict[str, Any] = {"path": str(path), "line": number}
    if len(line) > MAX_LINE_BYTES:
        raise DataError("data-line-too-long", **where, limit_bytes=MAX_LINE_BYTES)
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError("data-line-not-utf8", **where, offset_bytes=offset_bytes + error.start) from error
    if not text.strip():
        return None
    try:
        row = json.loads(text.removeprefix("\ufeff").rstrip())
    except json.JSONDecodeError as error:
        # Within this line, whatever the parser takes for a line.
        raise DataError("data-json-invalid", **where, character=error.pos + 1, reason=error.msg) from error
    except (ValueError, RecursionError) as error:
        raise DataError("data-json-invalid", **where, character=1, reason=str(error)) from error
    if not isinstance(row, dict):
        raise DataError("data-json-not-object", **where, found=json_type(row))
    return row


def parquet_columns(path: Location, file: BinaryIO) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns.

    Raises:
        DataError: ``data-corrupt-file``.
        MissingDependencyError: ``pyarrow`` is not installed.
    """
    with _opened(path, file) as table:
        return tuple(table.schema_arrow.names)


def parquet_rows(
    path: Location, file: BinaryIO, columns: Sequence[str], bad: BadRows, cursor: Cursor | None = None
) -> Iterator[Row]:
    """Yield the rows of a Parquet file, of each the columns that are named; fields without a value are left out.

    Raises:
        DataError: ``data-corrupt-file``, or of a row, where these are not skipped.
        MissingDependencyError: ``pyarrow`` is not installed.
    """
    with _opened(path, file) as table:
        at = cursor or Cursor()
        for batch in parquet_batches(table, columns, at.line):
            for place in range(batch.num_rows):
                at.line += 1
                fields = None
                with bad:
                    fields = _fields_of(batch, place, path, at.line)
                if fields is not None:
                    yield Row(fields, str(path), at.line)


def parquet_batches(table: Any, columns: Sequence[str], first_row: int) -> Iterator[Any]:
    """Yield the rows of a Parquet file from one on, in batches; groups of rows before it are not read."""
    sizes = [table.metadata.row_group(number).num_rows for number in range(table.num_row_groups)]
    group = 0
    while group < len(sizes) and first_row >= sizes[group]:
        first_row -= sizes[group]
        group += 1
    groups = range(group, len(sizes))
    for batch in table.iter_batches(batch_size=PARQUET_BATCH_ROWS, columns=list(columns), row_groups=groups):
        passed = min(first_row, batch.num_rows)
        first_row -= passed
        if passed < batch.num_rows:
            yield batch.slice(passed)


def _fields_of(batch: Any, place: int, path: Location, number: int) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            value = column[place].as_py()
        except UnicodeDecodeError as error:
            raise DataError("data-row-not-utf8", path=str(path), line=number, field=name) from error
        if value is not None:
            fields[name] = value
    return fields


@contextmanager
def _opened(path: Location, file: BinaryIO) -> Iterator[Any]:
    arrow = import_arrow()
    try:
        with arrow.parquet.ParquetFile(file) as table:
            yield table
    except arrow.ArrowException as error:
        raise corrupt(path, error) from error


def corrupt(path: Location, error: Exception) -> DataError:
    """Return the error of a Parquet file that Arrow cannot read."""
    return DataError("data-corrupt-file", path=str(path), reason=str(error).splitlines()[0])


def json_type(value: object) -> str:
    """Return what JSON calls the type of a value."""
    names = {dict: "object", list: "array", str: "string", bool: "boolean", type(None): "null"}
    return names.get(type(value), "number")


def require_unicode(value: str, where: Mapping[str, Any], field: str) -> None:
    """Refuse half of a surrogate pair, which JSON may spell and no UTF-8 text can hold.

    Raises:
        DataError: ``data-lone-surrogate``.
    """
    try:
        value.encode("utf-8")
    except UnicodeEncodeError as error:
        raise DataError("data-lone-surrogate", **where, field=field) from error


def import_arrow() -> Any:
    """Return the package ``pyarrow``.

    Raises:
        MissingDependencyError: it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingDependencyError("data-package-missing", package="pyarrow", command=INSTALL_COMMAND) from error
    return pyarrow
