"""From a recipe's ``[data]`` to a corpus: read from the cache, or made and put there."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from headway.errors import DataError
from headway.recipe.sections import DataConfig
from headway.training.data.batches import Batch, BatchStream, validation_batches
from headway.training.data.cache import building, cache_folder, cache_key, exclusive
from headway.training.data.scanning import SAMPLE_LIMIT_BYTES, ContentDigest, Scan, scan, split_key
from headway.training.data.shards import (
    FORMAT_VERSION,
    SHARD_TOKENS,
    FileRecord,
    FileWriter,
    Manifest,
    Split,
    SplitWriter,
    find_damage,
    read_manifest,
    token_dtype,
    write_manifest,
)
from headway.training.data.sources import Document, SourceFile, documents, list_files
from headway.training.data.tokenizers import FILE_NAME, Tokenizer, check_vocabulary

Progress = Callable[[str, float], None]
"""Called with the id of a message that names the stage, and the share of that stage that is done, 0 to 1."""

TRAIN, VALIDATION = "train", "validation"
_BATCH_BYTES = 4 * 2**20
_BATCH_DOCUMENTS = 4096


@dataclass(frozen=True)
class Notice:
    """Something that the reader should know, as the id of a message and its arguments."""

    message_id: str
    arguments: dict[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Statistics:
    """How much text there is, both splits together; tokens include one end-of-document token for each document."""

    documents: int
    text_bytes: int
    tokens: int

    @property
    def bytes_per_token(self) -> float:
        """Bytes of UTF-8 text that one token stands for, on average."""
        return self.text_bytes / self.tokens


@dataclass(frozen=True, eq=False)
class Corpus:
    """Text as tokens, ready to be trained on."""

    tokenizer: Tokenizer
    train: Split
    validation: Split | None
    statistics: Statistics
    folder: Path
    from_cache: bool
    seed: int
    attention_within_documents: bool
    digest: str
    """Names the tokens of both splits, wherever the files that they came from lie."""
    notices: tuple[Notice, ...] = ()

    def train_stream(self, sequence_length: int, global_batch_size: int) -> BatchStream:
        """Return the shuffled training batches; see `BatchStream`."""
        within = self.attention_within_documents
        return BatchStream(self.train, sequence_length, global_batch_size, self.seed, with_document_ids=within)

    def validation_batches(self, sequence_length: int, batch_size: int, max_sequences: int) -> list[Batch]:
        """Return the fixed validation batches, none where there is no validation split; see `validation_batches`."""
        if self.validation is None:
            return []
        within = self.attention_within_documents
        return validation_batches(self.validation, sequence_length, batch_size, max_sequences, with_document_ids=within)


class _Source(NamedTuple):
    """What a corpus is made from."""

    data: DataConfig
    files: tuple[SourceFile, ...]
    tokenizer: Tokenizer | None
    """None where it is to be trained."""
    vocab_size: int
    report: Progress


def prepare(data: DataConfig, *, vocab_size: int, seed: int, progress: Progress | None = None) -> Corpus:
    """Return the corpus of a recipe, from the cache where it has been made before.

    Any number of processes may call this at once; one of them does the work.

    Args:
        data: the section ``[data]``.
        vocab_size: of the model; a trained tokenizer gets this size, any other must not have more ids.
        seed: key of the order of the training samples. The tokens on disk do not depend on it.
        progress: told how far each stage is.

    Raises:
        DataError: the text or the tokenizer cannot be used, or the cache cannot be written.
        MissingDependencyError: a package that the formats or the tokenizer need is not installed.
    """
    source = _source(data, vocab_size, progress or (lambda _message_id, _fraction: None))
    cache, key = cache_folder(data.cache), _key(source)
    folder = cache / key
    manifest, _ = _read_cached(folder, source.report)
    from_cache = manifest is not None
    notices: tuple[Notice, ...] = ()
    if manifest is None:
        with exclusive(cache, key, lambda: source.report("data-progress-waiting", 0.0)):
            # Another process may have made it while this one waited for its turn.
            manifest, damaged = _read_cached(folder, source.report)
            from_cache = manifest is not None
            if damaged is not None:
                notices = (Notice("data-cache-damaged", {"path": str(folder), "file": damaged}),)
            if manifest is None:
                manifest = _build(source, cache, key)
    return _corpus(folder, manifest, data, seed, from_cache=from_cache, notices=notices)


def is_prepared(data: DataConfig, *, vocab_size: int) -> bool:
    """Say whether `prepare` would find the corpus in the cache; what it finds there may still be damaged.

    Raises:
        DataError: the text or the tokenizer cannot be used.
    """
    source = _source(data, vocab_size, lambda _message_id, _fraction: None)
    return (cache_folder(data.cache) / _key(source)).exists()


def _source(data: DataConfig, vocab_size: int, report: Progress) -> _Source:
    tokenizer = None
    if data.tokenizer == "byte":
        tokenizer = Tokenizer.byte()
    elif data.tokenizer != "bpe":
        tokenizer = Tokenizer.load(data.tokenizer)
    if tokenizer is not None:
        check_vocabulary(tokenizer, vocab_size)
    return _Source(data, list_files(data), tokenizer, vocab_size, report)


def _key(source: _Source) -> str:
    data, tokenizer = source.data, source.tokenizer
    return cache_key(
        {
            "format_version": FORMAT_VERSION,
            "files": source.files,
            "text_field": data.text_field,
            "tokenizer": f"bpe {source.vocab_size}" if tokenizer is None else tokenizer.digest,
            "validation_fraction": data.validation_fraction,
            "max_bytes": data.max_bytes,
        }
    )


def _read_cached(folder: Path, report: Progress) -> tuple[Manifest | None, str | None]:
    """Return the manifest of a sound folder, or else the name of its damaged file, if there is a folder at all."""
    if not folder.exists():
        return None, None
    report("data-progress-verifying", 0.0)
    manifest = read_manifest(folder)
    damaged = "manifest.json" if manifest is None else find_damage(folder, manifest)
    report("data-progress-verifying", 1.0)
    return (manifest, None) if damaged is None else (None, damaged)


def _corpus(
    folder: Path, manifest: Manifest, data: DataConfig, seed: int, *, from_cache: bool, notices: tuple[Notice, ...]
) -> Corpus:
    splits = {record.name: Split(folder, manifest, record) for record in manifest.splits}
    statistics = Statistics(
        documents=sum(record.num_documents for record in manifest.splits),
        text_bytes=sum(record.text_bytes for record in manifest.splits),
        tokens=sum(record.num_tokens for record in manifest.splits),
    )
    return Corpus(
        tokenizer=Tokenizer.load(folder / FILE_NAME),
        train=splits[TRAIN],
        validation=splits.get(VALIDATION),
        statistics=statistics,
        folder=folder,
        from_cache=from_cache,
        seed=seed,
        attention_within_documents=data.attention_within_documents,
        digest=_digest(manifest),
        notices=notices,
    )


def _digest(manifest: Manifest) -> str:
    checksums = sorted((name, record.sha256) for name, record in manifest.files.items())
    return hashlib.sha256(repr(checksums).encode()).hexdigest()


def _build(source: _Source, cache: Path, key: str) -> Manifest:
    found = scan(
        _read(source, "data-progress-reading"),
        source.data.validation_fraction,
        0 if source.tokenizer else SAMPLE_LIMIT_BYTES,
    )
    tokenizer = source.tokenizer or _train_tokenizer(found, source.vocab_size, source.report)
    encoder = _Encoder(tokenizer, found, source.report)
    with building(cache, key, encoder.needed_bytes) as folder:
        manifest = encoder.write(_read(source, None), folder)
        if manifest.content_digest != found.content_digest:
            raise DataError("data-changed-while-reading")
        write_manifest(folder, manifest)
    return manifest


def _read(source: _Source, stage: str | None) -> Iterator[Document]:
    total_bytes = max(1, sum(file.size_bytes for file in source.files))
    for document in documents(source.files, source.data.text_field, source.data.max_bytes):
        if stage is not None:
            source.report(stage, document.done_source_bytes / total_bytes)
        yield document
    if stage is not None:
        source.report(stage, 1.0)


def _train_tokenizer(found: Scan, vocab_size: int, report: Progress) -> Tokenizer:
    report("data-progress-tokenizer", 0.0)
    tokenizer = Tokenizer.train_bpe(found.training_sample, vocab_size)
    report("data-progress-tokenizer", 1.0)
    return tokenizer


class _Encoder:
    """The second pass: encodes all documents and writes them to the shards of their splits."""

    def __init__(self, tokenizer: Tokenizer, found: Scan, report: Progress) -> None:
        self._tokenizer = tokenizer
        self._found = found
        self._report = report
        self._dtype = token_dtype(tokenizer.vocab_size)
        self._encoded_bytes = 0
        self._encoded_tokens = 0

    def needed_bytes(self) -> int:
        """Return about how large the folder will be, from what was encoded so far."""
        tokens_per_byte = self._encoded_tokens / self._encoded_bytes if self._encoded_bytes else 1.0
        return round(self._found.text_bytes * tokens_per_byte * self._dtype.itemsize) + 8 * self._found.num_documents

    def write(self, texts: Iterable[Document], folder: Path) -> Manifest:
        """Write the tokenizer and all shards; the manifest is returned, not written."""
        files = {FILE_NAME: _write_file(folder / FILE_NAME, self._tokenizer.to_bytes())}
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
        encoded = self._tokenizer.encode_batch([document.text for document in batch])
        for name, writer in writers.items():
            tokens: list[int] = []
            lengths: list[int] = []
            text_bytes = 0
            for document, ids in zip(batch, encoded, strict=True):
                if (split_key(document) < self._found.validation_below) == (name == VALIDATION):
                    tokens.extend(ids)
                    tokens.append(self._tokenizer.end_of_document_id)
                    lengths.append(len(ids) + 1)
                    text_bytes += document.num_bytes
            self._encoded_tokens += len(tokens)
            self._encoded_bytes += text_bytes
            writer.append(tokens, lengths, text_bytes)


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
