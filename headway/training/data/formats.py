"""From one file to its documents: plain text, JSON Lines and Parquet; text and JSON Lines also with gzip or Zstandard.

Everything is streamed. A document of plain text holds at most `TEXT_DOCUMENT_BYTES`: a longer file is read as several
documents, each ending with a line where it can, so that a file of many gigabytes needs little memory and can still be
split into training and validation.
"""

from __future__ import annotations

import gzip
import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO, NamedTuple, cast

from headway.errors import DataError
from headway.training.data.locations import Location, name_of, opened_bytes
from headway.training.data.rows import (
    BadRows,
    Cursor,
    Row,
    advance,
    corrupt,
    import_arrow,
    json_rows,
    json_type,
    parquet_batches,
    parquet_columns,
    parquet_rows,
    require_unicode,
)

TEXT_DOCUMENT_BYTES = 2**20
"""A longer file of plain text becomes several documents."""

_COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
_KINDS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".parquet": "parquet"}
_TABLES = ".json .csv .tsv .arrow .feather .orc .avro .npy .npz .bin .pdf .docx .epub"
_ARCHIVES = ".bz2 .xz .lz4 .zip .tar .tgz .7z"
_REFUSED_SUFFIXES = frozenset((_TABLES + " " + _ARCHIVES).split())
"""Formats that are not text, or would be the wrong text; JSON is refused for its namesake, JSON Lines."""


class Format(NamedTuple):
    """How a file is read: kind ``text``, ``jsonl`` or ``parquet``, and compression ``none``, ``gzip`` or ``zstd``."""

    kind: str
    compression: str


def format_of(path: Location) -> Format:
    """Tell a file's format from its name; every unknown suffix means text.

    Raises:
        DataError: ``data-format-unsupported``, for a format that is known not to be text.
    """
    named = name_of(path).suffixes
    suffixes = [suffix.lower() for suffix in named]
    compression = _COMPRESSIONS.get(suffixes[-1], "none") if suffixes else "none"
    if compression != "none":
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    kind = _KINDS.get(suffix, "text")
    if suffix in _REFUSED_SUFFIXES or (kind == "parquet" and compression != "none"):
        raise DataError("data-format-unsupported", path=str(path), suffix="".join(named[-2:]))
    return Format(kind, compression)


def read_documents(
    path: Location, text_field: str, bad: BadRows | None = None, cursor: Cursor | None = None
) -> Iterator[str]:
    """Yield the documents of one file in their order; documents without any text are left out.

    Args:
        path: a regular file.
        text_field: the field (JSON Lines) or column (Parquet) that holds the text.
        bad: takes the rows that cannot be used; the first one is an error by default.
        cursor: where to begin, and where reading is: at each document, behind it.

    Raises:
        DataError: the file cannot be read, is damaged, or does not hold what its format promises.
        MissingDependencyError: the package that reads the format is not installed.
    """
    kind, _ = format_of(path)
    bad, cursor = bad or BadRows(), cursor or Cursor()
    with opened(path) as stream:
        if kind == "parquet":
            yield from _parquet_documents(stream, path, text_field, bad, cursor)
        elif kind == "jsonl":
            yield from _json_documents(stream, path, text_field, bad, cursor)
        else:
            yield from _text_documents(stream, path, cursor)


def read_rows(path: Location, columns: tuple[str, ...], bad: BadRows, cursor: Cursor | None = None) -> Iterator[Row]:
    """Yield the rows of a file of JSON Lines or Parquet.

    Args:
        path: a regular file.
        columns: those of a Parquet file that are read, as far as it has them.
        bad: takes the rows that are damaged.
        cursor: where to begin, and where reading is: at each row, behind it.

    Raises:
        DataError: the file or a row cannot be read.
        MissingDependencyError: the package that reads the format is not installed.
    """
    with opened(path) as stream:
        if format_of(path).kind == "parquet":
            present = parquet_columns(path, stream)
            yield from parquet_rows(path, stream, [name for name in columns if name in present], bad, cursor)
        else:
            yield from json_rows(stream, path, bad, cursor)


@contextmanager
def opened(path: Location) -> Iterator[BinaryIO]:
    """Open a file and undo its compression.

    Raises:
        DataError: the file cannot be read, or is damaged; also where that shows only inside the block.
        MissingDependencyError: the package that undoes the compression is not installed.
    """
    with _reading(path), _open(path, format_of(path).compression) as stream:
        yield stream


@contextmanager
def _reading(path: Location) -> Iterator[None]:
    try:
        yield
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise DataError("data-corrupt-file", path=str(path), reason=str(error)) from error
    except OSError as error:
        # Arrow reports damaged Zstandard data as an OSError that has no error number.
        message_id = "data-corrupt-file" if error.errno is None else "data-unreadable"
        raise DataError(message_id, path=str(path), reason=error.strerror or str(error)) from error


@contextmanager
def _open(path: Location, compression: str) -> Iterator[BinaryIO]:
    with opened_bytes(path) as file:
        if compression == "gzip":
            with gzip.open(file) as stream:
                yield cast(BinaryIO, stream)
        elif compression == "zstd":
            # Not the zstandard package: its stream reader ends silently where a file was cut off.
            with io.BufferedReader(import_arrow().CompressedInputStream(file, "zstd")) as stream:
                yield cast(BinaryIO, stream)
        else:
            yield file


def _text_documents(stream: BinaryIO, path: Location, cursor: Cursor | None = None) -> Iterator[str]:
    cursor = cursor or Cursor()
    advance(stream, cursor.offset_bytes)
    rest = b""
    while True:
        begin = cursor.offset_bytes
        content = rest + stream.read(TEXT_DOCUMENT_BYTES - len(rest))
        at_end = len(content) < TEXT_DOCUMENT_BYTES
        cut = len(content) if at_end else _end_of_document(content)
        text = _decode(content[:cut], path, begin)
        if begin == 0:
            text = text.removeprefix("\ufeff")
        cursor.offset_bytes += cut
        if text:
            yield text
        if at_end:
            return
        rest = content[cut:]


def _end_of_document(content: bytes) -> int:
    """Return where to cut: after the last line, or else before the last character, which may be incomplete."""
    line_end = content.rfind(b"\n") + 1
    if line_end:
        return line_end
    cut = len(content) - 1
    while cut > len(content) - 4 and content[cut] & 0xC0 == 0x80:
        cut -= 1
    return cut


def _decode(content: bytes, path: Location, offset_bytes: int) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise DataError("data-not-utf8", path=str(path), offset_bytes=offset_bytes + error.start) from error


def _json_documents(stream: BinaryIO, path: Location, text_field: str, bad: BadRows, cursor: Cursor) -> Iterator[str]:
    for row in json_rows(stream, path, bad, cursor):
        text = ""
        with bad:
            text = _text_of_row(row, text_field)
        if text:
            yield text


def _text_of_row(row: Row, text_field: str) -> str:
    if text_field not in row.fields:
        present = ", ".join(sorted(row.fields)) or "none"
        raise DataError("data-field-missing", **row.where, field=text_field, present=present)
    return _checked_text(row.fields[text_field], row.where, text_field)


def _checked_text(value: object, where: dict[str, Any], text_field: str) -> str:
    if not isinstance(value, str):
        raise DataError("data-field-type", **where, field=text_field, found=json_type(value))
    require_unicode(value, where, text_field)
    return value


def _parquet_documents(file: BinaryIO, path: Location, text_field: str, bad: BadRows, cursor: Cursor) -> Iterator[str]:
    arrow = import_arrow()
    try:
        with arrow.parquet.ParquetFile(file) as table:
            _check_column(arrow, table.schema_arrow, path, text_field)
            for batch in parquet_batches(table, [text_field], cursor.line):
                yield from _texts_of_batch(batch.column(0), path, text_field, bad, cursor)
    except arrow.ArrowException as error:
        raise corrupt(path, error) from error


def _check_column(arrow: Any, schema: Any, path: Location, text_field: str) -> None:
    if text_field not in schema.names:
        raise DataError(
            "data-column-missing", path=str(path), field=text_field, present=", ".join(schema.names) or "none"
        )
    kind = schema.field(text_field).type
    values = kind.value_type if arrow.types.is_dictionary(kind) else kind
    types = arrow.types
    if not (types.is_string(values) or types.is_large_string(values) or types.is_string_view(values)):
        raise DataError("data-column-type", path=str(path), field=text_field, found=str(kind))


def _texts_of_batch(column: Any, path: Location, text_field: str, bad: BadRows, cursor: Cursor) -> Iterator[str]:
    for scalar in column:
        cursor.line += 1
        text = ""
        with bad:
            text = _text_of_scalar(scalar, {"path": str(path), "line": cursor.line}, text_field)
        if text:
            yield text


def _text_of_scalar(scalar: Any, where: dict[str, Any], text_field: str) -> str:
    try:
        value = scalar.as_py()
    except UnicodeDecodeError as error:
        raise DataError("data-row-not-utf8", **where, field=text_field) from error
    return _checked_text(value, where, text_field)
