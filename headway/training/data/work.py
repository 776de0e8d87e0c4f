"""The work of a preparation, cut into parts that any process of any machine can do by itself.

Files are put together to units, the first pass reads units, and the second one encodes the pieces that the first found.
A job is pickled once for each worker; what it returns depends on its argument alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np

from headway.errors import DataError
from headway.training.data.chats import conversations
from headway.training.data.encoding import EncodedSplit, SplitEncoder
from headway.training.data.locations import digest_of, location_of
from headway.training.data.rows import BadRows
from headway.training.data.scanning import PIECE_BYTES, Piece, UnitScan, scan_documents
from headway.training.data.sources import Document, Place, SourceFile, documents
from headway.training.data.templates import ChatTemplate
from headway.training.data.tokenizers import Tokenizer


class Sizes(NamedTuple):
    """How the work is cut; the tokens on disk do not depend on it."""

    unit_bytes: int = 4 * 2**20
    """Neighbouring files of less than this together are one unit."""
    piece_bytes: int = PIECE_BYTES
    """Text that is encoded at once."""


Unit = tuple[SourceFile, ...]


def units_of(files: Sequence[SourceFile], unit_bytes: int) -> tuple[Unit, ...]:
    """Put neighbouring files together; the result depends on their sizes alone."""
    units: list[Unit] = []
    begin = size = 0
    for number, file in enumerate(files):
        if size and size + file.size_bytes > unit_bytes:
            units.append(tuple(files[begin:number]))
            begin, size = number, 0
        size += file.size_bytes
    return (*units, tuple(files[begin:])) if begin < len(files) else tuple(units)


@dataclass(frozen=True)
class Reading:
    """How documents are read from files."""

    text_field: str
    template: ChatTemplate | None
    """None where the documents are text."""
    needs_answers: bool
    skips_bad_rows: bool

    def documents(self, unit: Unit, max_bytes: int | None, bad: BadRows, at: Place) -> Iterator[Document]:
        """Yield the documents of a unit from a place on; see `documents` and `conversations`."""
        if self.template is None:
            return documents(unit, self.text_field, max_bytes, bad, at)
        return conversations(unit, self.template, needs_answers=self.needs_answers, max_bytes=max_bytes, bad=bad, at=at)


@dataclass(frozen=True)
class ScanJob:
    """Reads a unit for the first time."""

    reading: Reading
    units: tuple[Unit, ...]
    sample_limit_bytes: int
    piece_bytes: int

    def __call__(self, number: int) -> UnitScan:
        """Scan the unit of a number."""
        return self.scan(number, None)

    def scan(self, number: int, max_bytes: int | None) -> UnitScan:
        """Scan no more of a unit than so many bytes of text."""
        unit, at, bad = self.units[number], Place(), BadRows(skips=self.reading.skips_bad_rows)
        read = self.reading.documents(unit, max_bytes, bad, at)
        found = scan_documents(read, self.sample_limit_bytes, unit=number, at=at, piece_bytes=self.piece_bytes)
        return found._replace(
            skipped=tuple(bad.reasons.values()),
            digests=tuple(digest_of(location_of(file.path)) for file in unit),
            is_whole=at.file == len(unit),
        )


class EncodedPiece(NamedTuple):
    """A piece as tokens."""

    train: EncodedSplit
    validation: EncodedSplit


@dataclass(frozen=True)
class EncodeJob:
    """Turns a piece into tokens."""

    reading: Reading
    units: tuple[Unit, ...]
    tokenizer: Tokenizer
    validation_below: int
    dtype: str

    def __call__(self, piece: Piece) -> EncodedPiece:
        """Encode a piece.

        Raises:
            DataError: ``data-changed-while-reading``, where it is not what the first pass found.
        """
        reading, unit = self.reading, self.units[piece.unit]
        at = Place(piece.file, piece.offset_bytes, piece.line)
        limit = piece.text_bytes if reading.template is None else None
        read = reading.documents(unit, limit, BadRows(skips=reading.skips_bad_rows), at)
        encoder = SplitEncoder(
            self.tokenizer, self.validation_below, np.dtype(self.dtype), reading.template, reading.needs_answers
        )
        encoder.add(islice(read, piece.num_documents))
        if (encoder.num_documents, encoder.digest) != (piece.num_documents, piece.digest):
            raise DataError("data-changed-while-reading")
        return EncodedPiece(*encoder.splits())
