"""The second pass over the text: documents become tokens, and the tokens go to the shards of their splits."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, final

import msgspec
import numpy as np

from headway.training.data.rows import BadRows
from headway.training.data.scanning import ContentDigest, Scan, split_key
from headway.training.data.shards import (
    FORMAT_VERSION,
    SHARD_TOKENS,
    FileRecord,
    FileWriter,
    Manifest,
    SplitWriter,
    token_dtype,
)
from headway.training.data.sources import Document
from headway.training.data.templates import TEMPLATE_NAME, ChatTemplate
from headway.training.data.tokenizers import FILE_NAME, Tokenizer

Progress = Callable[[str, float], None]
"""Called with the id of a message that names the stage, and the share of that stage that is done, 0 to 1."""

TRAIN, VALIDATION = "train", "validation"
SKIPPED_NAME = "skipped.json"
"""What was left out, where anything was."""

_BATCH_BYTES = 4 * 2**20
_BATCH_DOCUMENTS = 4096


class Skipped(NamedTuple):
    """Rows that were left out."""

    rows: int
    message_id: str
    arguments: dict[str, str | int | float]
    """The error of the first one: it names the place."""


class _Encoded(NamedTuple):
    ids: list[int]
    is_target: list[bool] | None


@final
class Encoder:
    """Encodes all documents and writes them to the shards of their splits.

    Args:
        tokenizer: of text.
        found: what the first pass found.
        report: told how far it is.
        template: of conversations, whose text it made; None where the documents are text.
        marks_answers: of conversations, only answers count as targets.
    """

    def __init__(
        self,
        tokenizer: Tokenizer,
        found: Scan,
        report: Progress,
        template: ChatTemplate | None = None,
        *,
        marks_answers: bool = False,
    ) -> None:
        self._tokenizer = tokenizer
        self._found = found
        self._report = report
        self._template = template
        self._marks_answers = marks_answers
        self._dtype = token_dtype(tokenizer.vocab_size)
        self._encoded_bytes = 0
        self._encoded_tokens = 0

    def needed_bytes(self) -> int:
        """Return about how large the folder will be, from what was encoded so far."""
        tokens_per_byte = self._encoded_tokens / self._encoded_bytes if self._encoded_bytes else 1.0
        return round(self._found.text_bytes * tokens_per_byte * self._dtype.itemsize) + 8 * self._found.num_documents

    def write(self, texts: Iterable[Document], folder: Path, bad: BadRows) -> Manifest:
        """Write the tokenizer, its template and all shards; the manifest is returned, not written.

        Args:
            texts: all documents.
            folder: an empty one.
            bad: knows at the end which rows were left out.
        """
        files = {FILE_NAME: _write_file(folder / FILE_NAME, self._tokenizer.to_bytes())}
        if self._template is not None:
            files[TEMPLATE_NAME] = _write_file(folder / TEMPLATE_NAME, self._template.source.encode("utf-8"))
        writers = {name: SplitWriter(folder, name, self._dtype) for name in (TRAIN, VALIDATION)}
        digest = ContentDigest()
        try:
            for batch in _batched(texts):
                self._append(batch, writers)
                for document in batch:
                    digest.add(document)
                self._report("data-progress-encoding", min(1.0, self._encoded_bytes / self._found.text_bytes))
            records = [writer.close() for writer in writers.values()]
        finally:
            for writer in writers.values():
                writer.abandon()
        for writer in writers.values():
            files.update(writer.files)
        if bad.first is not None:
            skipped = Skipped(bad.count, bad.first.message_id, bad.first.arguments)
            files[SKIPPED_NAME] = _write_file(folder / SKIPPED_NAME, msgspec.json.encode(skipped))
        return Manifest(
            format_version=FORMAT_VERSION,
            dtype=self._dtype.name,
            shard_tokens=SHARD_TOKENS,
            splits=tuple(record for record in records if record.num_tokens),
            tokenizer_digest=self._tokenizer.digest,
            content_digest=digest.text(),
            files=files,
        )

    def _append(self, batch: list[Document], writers: dict[str, SplitWriter]) -> None:
        encoded = self._encoded(batch)
        for name, writer in writers.items():
            tokens: list[int] = []
            marks: list[bool] | None = [] if self._marks_answers else None
            lengths: list[int] = []
            text_bytes = 0
            for document, (ids, is_target) in zip(batch, encoded, strict=True):
                if (split_key(document) < self._found.validation_below) == (name == VALIDATION):
                    tokens.extend(ids)
                    lengths.append(len(ids))
                    text_bytes += document.num_bytes
                    if marks is not None:
                        marks.extend(is_target or ())
            self._encoded_tokens += len(tokens)
            self._encoded_bytes += text_bytes
            writer.append(tokens, lengths, text_bytes, marks)

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


def _write_file(path: Path, content: bytes) -> FileRecord:
    writer = FileWriter(path)
    try:
        writer.write(content)
        return writer.close()
    finally:
        writer.abandon()


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
