"""The second pass over the text: documents become tokens of their splits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple, final

import numpy as np

from headway.training.data.scanning import split_key
from headway.training.data.sources import Document
from headway.training.data.templates import ChatTemplate
from headway.training.data.tokenizers import Tokenizer

_BATCH_BYTES = 4 * 2**20
_BATCH_DOCUMENTS = 4096


class EncodedSplit(NamedTuple):
    """Whole documents of one split as tokens."""

    tokens: bytes
    lengths: bytes
    """Tokens of each document, int64."""
    text_bytes: int
    marks: bytes | None
    """Which tokens count as targets, bool; None where all do."""


class _Encoded(NamedTuple):
    ids: list[int]
    is_target: list[bool] | None


@final
class SplitEncoder:
    """Encodes documents, and keeps the tokens of both splits apart.

    Args:
        tokenizer: of text.
        validation_below: documents whose `split_key` is smaller are for validation.
        dtype: of the tokens.
        template: of conversations, whose text it made; None where the documents are text.
        marks_answers: of conversations, only answers count as targets.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        validation_below: int,
        dtype: np.dtype[np.unsignedinteger],
        template: ChatTemplate | None = None,
        marks_answers: bool = False,
    ) -> None:
        self.num_documents = 0
        self._tokenizer = tokenizer
        self._validation_below = validation_below
        self._template = template
        self._marks_answers = marks_answers
        self._digest = blake2b(digest_size=16)
        self._parts = tuple(_Tokens(dtype, marks=marks_answers) for _ in range(2))

    @property
    def digest(self) -> str:
        """As in `Piece`."""
        return self._digest.hexdigest()

    def add(self, documents: Iterable[Document]) -> None:
        """Encode documents."""
        for batch in _batched(documents):
            for document, encoded in zip(batch, self._encoded(batch), strict=True):
                is_validation = split_key(document) < self._validation_below
                self._parts[is_validation].add(encoded, document.num_bytes)
                self._digest.update(document.fingerprint)
            for part in self._parts:
                part.pack()
            self.num_documents += len(batch)

    def splits(self) -> tuple[EncodedSplit, EncodedSplit]:
        """Return what is for training, and what is for validation."""
        train, validation = self._parts
        return train.result(), validation.result()

    def _encoded(self, batch: list[Document]) -> list[_Encoded]:
        texts = [document.text for document in batch]
        if self._template is None:
            end = self._tokenizer.end_of_document_id
            return [_Encoded([*ids, end], None) for ids in self._tokenizer.encode_batch(texts)]
        # A template ends each turn by itself; where a conversation ends, the shards say.
        rendered = self._tokenizer.encode_rendered(texts)
        return [
            _Encoded(ids, answer_tokens(offsets, document.answers) if self._marks_answers else None)
            for document, (ids, offsets) in zip(batch, rendered, strict=True)
        ]


class _Tokens:
    """The tokens of one split; lists of Python's numbers are packed as soon as a batch is done."""

    def __init__(self, dtype: np.dtype[np.unsignedinteger], *, marks: bool) -> None:
        self._dtype = dtype
        self._tokens: list[int] = []
        self._marks: list[bool] = []
        self._packed_tokens, self._packed_marks = bytearray(), bytearray()
        self._lengths: list[int] = []
        self._text_bytes = 0
        self._has_marks = marks

    def add(self, encoded: _Encoded, num_bytes: int) -> None:
        self._tokens.extend(encoded.ids)
        self._marks.extend(encoded.is_target or ())
        self._lengths.append(len(encoded.ids))
        self._text_bytes += num_bytes

    def pack(self) -> None:
        self._packed_tokens += np.asarray(self._tokens, dtype=self._dtype).tobytes()
        self._packed_marks += bytes(self._marks)
        self._tokens, self._marks = [], []

    def result(self) -> EncodedSplit:
        lengths = np.asarray(self._lengths, dtype=np.int64).tobytes()
        marks = bytes(self._packed_marks) if self._has_marks else None
        return EncodedSplit(bytes(self._packed_tokens), lengths, self._text_bytes, marks)


def answer_tokens(offsets: Sequence[tuple[int, int]], answers: Sequence[tuple[int, int]]) -> list[bool]:
    """Return which tokens belong to answers: those that stand for at least one character of one.

    Args:
        offsets: of each token the first character and the one after its last.
        answers: the same of each answer.
    """
    starts, ends = np.asarray(offsets, dtype=np.int64).reshape(-1, 2).T
    # A token without characters stands for what begins where it is.
    ends = np.maximum(ends, starts + 1)
    found = np.zeros(len(starts), dtype=np.bool_)
    for first, last in answers:
        found |= (starts < last) & (ends > first)
    return found.tolist()


def _batched(texts: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    num_bytes = 0
    for document in texts:
        batch.append(document)
        num_bytes += document.num_bytes
        if num_bytes >= _BATCH_BYTES or len(batch) >= _BATCH_DOCUMENTS:
            yield batch
            batch, num_bytes = [], 0
    if batch:
        yield batch
