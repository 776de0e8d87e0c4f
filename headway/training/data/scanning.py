"""The first pass over the text: how much there is, where to split it, and what a tokenizer is trained on.

It also cuts the text into pieces of whole documents, which the second pass encodes each by itself: what a piece becomes
does not depend on the others, nor on who encodes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from headway.errors import DataError
from headway.training.data.rows import Reason
from headway.training.data.sources import Document, Place

SAMPLE_LIMIT_BYTES = 64 * 2**20
"""A tokenizer is trained on at most so much text; a sample of this size ranks the common words well."""

PIECE_BYTES = 16 * 2**20
"""A piece ends with the document that reaches this much text; its tokens are held in memory."""

_HASH_RANGE = 2**64


class Sampled(NamedTuple):
    """A document that may be in the sample."""

    sample_key: int
    split_key: int
    num_bytes: int
    text: str


class Piece(NamedTuple):
    """Documents that are encoded at once."""

    unit: int
    """Number of the files' unit."""
    file: int
    offset_bytes: int
    line: int
    """The three of the `Place` where it begins."""
    num_documents: int
    text_bytes: int
    digest: str
    """BLAKE2b over the fingerprints of its documents, hexadecimal."""


class UnitScan(NamedTuple):
    """What the first pass found in one unit of files."""

    pieces: tuple[Piece, ...]
    lowest: int
    highest: int
    """The least and the greatest `split_key`."""
    sample: tuple[Sampled, ...]
    skipped: tuple[Reason, ...] = ()
    digests: tuple[str, ...] = ()
    """SHA-256 of each file."""
    is_whole: bool = True
    """Whether all of it was read, and not only as much as was asked for."""
    keys_below: int = _HASH_RANGE
    """Documents with a `sample_key` from here on were too many for the sample."""

    @property
    def text_bytes(self) -> int:
        """Bytes of text."""
        return sum(piece.text_bytes for piece in self.pieces)


@dataclass(frozen=True)
class Scan:
    """What the first pass found."""

    pieces: tuple[Piece, ...]
    num_documents: int
    text_bytes: int
    content_digest: str
    validation_below: int
    """Documents whose `split_key` is smaller are for validation."""
    training_sample: tuple[str, ...]
    """Training documents in their order; empty where no sample was asked for."""


def split_key(document: Document) -> int:
    """Return the number in ``range(2**64)`` that decides a document's split; equal texts have equal numbers."""
    return int.from_bytes(document.fingerprint[:8], "big")


def scan_documents(
    documents: Iterable[Document],
    sample_limit_bytes: int = SAMPLE_LIMIT_BYTES,
    *,
    unit: int = 0,
    at: Place | None = None,
    piece_bytes: int = PIECE_BYTES,
) -> UnitScan:
    """Read documents once.

    Args:
        documents: in their order.
        sample_limit_bytes: how much text to keep for training a tokenizer; 0 for none.
        unit: number of the unit that they are from.
        at: where reading is, moved by the documents.
        piece_bytes: least size of a piece, but for the last.
    """
    at, sample, pieces = at or Place(), _Sample(sample_limit_bytes), []
    lowest, highest = _HASH_RANGE, -1
    begin, count, size, digest = (at.file, at.offset_bytes, at.line), 0, 0, blake2b(digest_size=16)
    for document in documents:
        key = split_key(document)
        lowest, highest = min(lowest, key), max(highest, key)
        sample.add(Sampled(_sample_key(document), key, document.num_bytes, document.text))
        count, size = count + 1, size + document.num_bytes
        digest.update(document.fingerprint)
        if size >= piece_bytes:
            pieces.append(Piece(unit, *begin, count, size, digest.hexdigest()))
            begin, count, size, digest = (at.file, at.offset_bytes, at.line), 0, 0, blake2b(digest_size=16)
    if count:
        pieces.append(Piece(unit, *begin, count, size, digest.hexdigest()))
    return UnitScan(tuple(pieces), lowest, highest, tuple(sample.kept), keys_below=sample.keys_below)


def merge_scans(
    scans: Sequence[UnitScan], validation_fraction: float, sample_limit_bytes: int = SAMPLE_LIMIT_BYTES
) -> Scan:
    """Put together what was found in all units.

    A document's split follows from its content alone, so copies of a text are never in both splits and a document
    stays where it is when others are added. Where chance would leave a split empty, the document nearest to the border
    is moved, unless all documents are the same.

    Args:
        scans: of all units in their order, each with at least the sample that is asked for here.
        validation_fraction: share of the documents for validation, in [0, 1).
        sample_limit_bytes: how much text to keep for training a tokenizer; 0 for none.

    Raises:
        DataError: ``data-empty``, where there is no text at all.
    """
    pieces = tuple(piece for scan in scans for piece in scan.pieces)
    if not pieces:
        raise DataError("data-empty")
    # What was too much for one unit is too much for all, also where nothing of it is left to show that.
    sample = _Sample(sample_limit_bytes, min(scan.keys_below for scan in scans))
    digest = blake2b(digest_size=16)
    for scan in scans:
        for sampled in scan.sample:
            sample.add(sampled)
    for piece in pieces:
        digest.update(bytes.fromhex(piece.digest))
    border = _border(validation_fraction, min(scan.lowest for scan in scans), max(scan.highest for scan in scans))
    return Scan(
        pieces=pieces,
        num_documents=sum(piece.num_documents for piece in pieces),
        text_bytes=sum(piece.text_bytes for piece in pieces),
        content_digest=digest.hexdigest(),
        validation_below=border,
        training_sample=tuple(item.text for item in sample.kept if item.split_key >= border),
    )


def _sample_key(document: Document) -> int:
    return int.from_bytes(document.fingerprint[8:], "big")


def _border(fraction: float, lowest: int, highest: int) -> int:
    if fraction == 0 or lowest == highest:
        return 0
    return min(max(round(fraction * _HASH_RANGE), lowest + 1), highest)


class _Sample:
    """Documents chosen by their content, fewer and fewer of them as the text grows beyond the limit.

    Which these are does not depend on how the documents come: a sample of samples is that of all, where the limit has
    room for two documents.
    """

    def __init__(self, limit_bytes: int, keys_below: int = _HASH_RANGE) -> None:
        self.kept: list[Sampled] = []
        self.keys_below = keys_below
        self._limit_bytes = limit_bytes
        self._kept_bytes = 0

    def add(self, document: Sampled) -> None:
        if not self._limit_bytes or document.sample_key >= self.keys_below:
            return
        self.kept.append(document)
        self._kept_bytes += document.num_bytes
        while self._kept_bytes > self._limit_bytes and len(self.kept) > 1:
            self.keys_below //= 2
            self.kept = [item for item in self.kept if item.sample_key < self.keys_below]
            self._kept_bytes = sum(item.num_bytes for item in self.kept)
