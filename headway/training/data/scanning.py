"""The first pass over the text: how much there is, where to split it, and what a tokenizer is trained on."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import blake2b
from typing import NamedTuple

from headway.errors import DataError
from headway.training.data.sources import Document

SAMPLE_LIMIT_BYTES = 64 * 2**20
"""A tokenizer is trained on at most so much text; a sample of this size ranks the common words well."""

_HASH_RANGE = 2**64


class _Sampled(NamedTuple):
    sample_key: int
    split_key: int
    num_bytes: int
    text: str


@dataclass(frozen=True)
class Scan:
    """What the first pass found."""

    num_documents: int
    text_bytes: int
    content_digest: str
    validation_below: int
    """Documents whose `split_key` is smaller are for validation."""
    training_sample: tuple[str, ...]
    """Training documents in their order; empty where no sample was asked for."""


class ContentDigest:
    """A digest over the fingerprints of documents in their order."""

    def __init__(self) -> None:
        self._state = blake2b(digest_size=16)

    def add(self, document: Document) -> None:
        """Take the next document."""
        self._state.update(document.fingerprint)

    def text(self) -> str:
        """Return the digest so far, hexadecimal."""
        return self._state.hexdigest()


def split_key(document: Document) -> int:
    """Return the number in ``range(2**64)`` that decides a document's split; equal texts have equal numbers."""
    return int.from_bytes(document.fingerprint[:8], "big")


def scan(
    documents: Iterable[Document], validation_fraction: float, sample_limit_bytes: int = SAMPLE_LIMIT_BYTES
) -> Scan:
    """Read all documents once.

    A document's split follows from its content alone, so copies of a text are never in both splits and a document
    stays where it is when others are added. Where chance would leave a split empty, the document nearest to the border
    is moved, unless all documents are the same.

    Args:
        documents: all of them.
        validation_fraction: share of the documents for validation, in [0, 1).
        sample_limit_bytes: how much text to keep for training a tokenizer; 0 for none.

    Raises:
        DataError: ``data-empty``, where there is no text at all.
    """
    digest = ContentDigest()
    sample = _Sample(sample_limit_bytes)
    num_documents = text_bytes = 0
    lowest, highest = _HASH_RANGE, -1
    for document in documents:
        key = split_key(document)
        lowest, highest = min(lowest, key), max(highest, key)
        num_documents += 1
        text_bytes += document.num_bytes
        digest.add(document)
        sample.add(document, key)
    if not num_documents:
        raise DataError("data-empty")
    border = _border(validation_fraction, lowest, highest)
    training = tuple(item.text for item in sample.kept if item.split_key >= border)
    return Scan(num_documents, text_bytes, digest.text(), border, training)


def _border(fraction: float, lowest: int, highest: int) -> int:
    if fraction == 0 or lowest == highest:
        return 0
    return min(max(round(fraction * _HASH_RANGE), lowest + 1), highest)


class _Sample:
    """Documents chosen by their content, fewer and fewer of them as the text grows beyond the limit."""

    def __init__(self, limit_bytes: int) -> None:
        self.kept: list[_Sampled] = []
        self._limit_bytes = limit_bytes
        self._kept_bytes = 0
        self._keys_below = _HASH_RANGE

    def add(self, document: Document, key: int) -> None:
        sample_key = int.from_bytes(document.fingerprint[8:], "big")
        if not self._limit_bytes or sample_key >= self._keys_below:
            return
        self.kept.append(_Sampled(sample_key, key, document.num_bytes, document.text))
        self._kept_bytes += document.num_bytes
        while self._kept_bytes > self._limit_bytes and len(self.kept) > 1:
            self._keys_below //= 2
            self.kept = [item for item in self.kept if item.sample_key < self._keys_below]
            self._kept_bytes = sum(item.num_bytes for item in self.kept)
