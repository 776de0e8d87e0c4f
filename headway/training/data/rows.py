"""Rows of JSON Lines and Parquet, and what happens to those that cannot be used.

Everything is streamed, and no line is ever held that is longer than `MAX_LINE_BYTES`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, NamedTuple, Self, final

from headway.errors import DataError, MissingDependencyError

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


@final
class BadRows:
    """What happens to rows that cannot be used: the first ends the preparation, or all are left out and counted.

    It is the context of the work on one row. An error of that row ends the block, and no more than that where bad rows
    are skipped.

    Args:
        skips: leave them out.
    """

    def __init__(self, *, skips: bool = False) -> None:
        self.count = 0
        self.first: DataError | None = None
        self._skips = skips

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        if not self._skips or not isinstance(error, DataError):
            return False
        self.count += 1
        self.first = self.first or error
        return True


def json_rows(stream: BinaryIO, path: Path, bad: BadRows) -> Iterator[Row]:
    """Yield the rows of JSON Lines; blank lines are passed over.

    Args:
        stream: the file's content.
        path: names it in errors.
        bad: takes the lines that are not JSON objects.

    Raises:
        DataError: of such a line, where they are not skipped.
    """
    offset_bytes = 0
    for number in count(1):
        line = stream.readline(MAX_LINE_BYTES + 1)
        if not line:
            return
        fields = None
        with bad:
            fields = _object_of(line, path, number, offset_bytes)
        offset_bytes += len(line)
        if len(line) > MAX_LINE_BYTES:
            offset_bytes += _pass_over(stream, line)
        if fields is not None:
            yield Row(fields, str(path), number)


def _pass_over(stream: BinaryIO, piece: bytes) -> int:
    """Read the rest of the line that a piece of it begins; return its size in bytes."""
    num_bytes = 0
    while piece and not piece.endswith(b"\n"):
        piece = stream.readline(_PIECE_BYTES)
        num_bytes += len(piece)
    return num_bytes


def _object_of(line: bytes, path: Path, number: int, offset_bytes: int) -> dict[str, Any] | None:
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


def parquet_columns(path: Path, file: BinaryIO) -> tuple[str, ...]:
    """Return the names of a Parquet file's columns.

    Raises:
        DataError: ``data-corrupt-file``.
        MissingDependencyError: ``pyarrow`` is not installed.
    """
    with _opened(path, file) as table:
        return tuple(table.schema_arrow.names)


def parquet_rows(path: Path, file: BinaryIO, columns: Sequence[str], bad: BadRows) -> Iterator[Row]:
    """Yield the rows of a Parquet file, of each the columns that are named; fields without a value are left out.

    Raises:
        DataError: ``data-corrupt-file``, or of a row, where these are not skipped.
        MissingDependencyError: ``pyarrow`` is not installed.
    """
    with _opened(path, file) as table:
        number = 0
        for batch in table.iter_batches(batch_size=PARQUET_BATCH_ROWS, columns=list(columns)):
            for place in range(batch.num_rows):
                number += 1
                fields = None
                with bad:
                    fields = _fields_of(batch, place, path, number)
                if fields is not None:
                    yield Row(fields, str(path), number)


def _fields_of(batch: Any, place: int, path: Path, number: int) -> dict[str, Any]:
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
def _opened(path: Path, file: BinaryIO) -> Iterator[Any]:
    arrow = import_arrow()
    try:
        with arrow.parquet.ParquetFile(file) as table:
            yield table
    except arrow.ArrowException as error:
        raise corrupt(path, error) from error


def corrupt(path: Path, error: Exception) -> DataError:
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
