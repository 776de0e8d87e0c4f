"""From a recipe's ``[data]`` to a corpus: read from the cache, or made and put there."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import msgspec

from headway.errors import DataError
from headway.recipe.sections import DataConfig
from headway.training.data.batches import Batch, BatchStream, validation_batches
from headway.training.data.cache import building, cache_folder, cache_key, exclusive
from headway.training.data.chats import chat_template, conversations, holds_chats
from headway.training.data.encoding import SKIPPED_NAME, TRAIN, VALIDATION, Encoder, Progress, Skipped
from headway.training.data.rows import BadRows
from headway.training.data.scanning import SAMPLE_LIMIT_BYTES, Scan, scan
from headway.training.data.shards import (
    FORMAT_VERSION,
    Manifest,
    Split,
    find_damage,
    read_manifest,
    write_manifest,
)
from headway.training.data.sources import Document, SourceFile, documents, list_files
from headway.training.data.templates import ChatTemplate
from headway.training.data.tokenizers import (
    BPE_SPECIAL_TOKENS,
    FILE_NAME,
    Tokenizer,
    check_vocabulary,
)


@dataclass(frozen=True)
class Notice:
    """Something that the reader should know, as the id of a message and its arguments."""

    message_id: str
    arguments: dict[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Statistics:
    """How much text there is, both splits together; tokens include one end-of-document token for each document.

    Of conversations, the text is what the template makes of them, and its own tokens end them.
    """

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
    template: ChatTemplate | None = None
    """Of conversations, which are packed whole, and attended to each by itself; None where the documents are text."""

    @property
    def is_chat(self) -> bool:
        """Whether the documents are conversations."""
        return self.template is not None

    def train_stream(self, sequence_length: int, global_batch_size: int) -> BatchStream:
        """Return the shuffled training batches; see `BatchStream`."""
        return BatchStream(
            self.train,
            sequence_length,
            global_batch_size,
            self.seed,
            with_document_ids=self.attention_within_documents,
            packs=self.is_chat,
        )

    def validation_batches(self, sequence_length: int, batch_size: int, max_sequences: int) -> list[Batch]:
        """Return the fixed validation batches, none where there is no validation split; see `validation_batches`."""
        if self.validation is None:
            return []
        return validation_batches(
            self.validation,
            sequence_length,
            batch_size,
            max_sequences,
            with_document_ids=self.attention_within_documents,
            packs=self.is_chat,
        )


class _Source(NamedTuple):
    """What a corpus is made from."""

    data: DataConfig
    files: tuple[SourceFile, ...]
    tokenizer: Tokenizer | None
    """None where it is to be trained."""
    template: ChatTemplate | None
    """None where the documents are text."""
    vocab_size: int
    report: Progress

    @property
    def marks_answers(self) -> bool:
        """Whether only answers count as targets."""
        return self.template is not None and self.data.loss_on == "answers"


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
    notices += _skipped_notices(folder, manifest)
    return _corpus(source, folder, manifest, seed, from_cache=from_cache, notices=notices)


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
    files = list_files(data)
    template = chat_template(data, tokenizer) if holds_chats(data, files) else None
    return _Source(data, files, tokenizer, template, vocab_size, report)


def _key(source: _Source) -> str:
    data, tokenizer = source.data, source.tokenizer
    parts: dict[str, object] = {
        "format_version": FORMAT_VERSION,
        "files": source.files,
        "text_field": data.text_field,
        "tokenizer": f"bpe {source.vocab_size}" if tokenizer is None else tokenizer.digest,
        "validation_fraction": data.validation_fraction,
        "max_bytes": data.max_bytes,
    }
    # Only where they matter, so that what was prepared before they were there is found.
    if source.template is not None:
        parts |= {"template": source.template.digest, "loss_on": data.loss_on}
    if data.on_bad_row != "stop":
        parts["on_bad_row"] = data.on_bad_row
    return cache_key(parts)


def _read_cached(folder: Path, report: Progress) -> tuple[Manifest | None, str | None]:
    """Return the manifest of a sound folder, or else the name of its damaged file, if there is a folder at all."""
    if not folder.exists():
        return None, None
    report("data-progress-verifying", 0.0)
    manifest = read_manifest(folder)
    damaged = "manifest.json" if manifest is None else find_damage(folder, manifest)
    report("data-progress-verifying", 1.0)
    return (manifest, None) if damaged is None else (None, damaged)


def _skipped_notices(folder: Path, manifest: Manifest) -> tuple[Notice, ...]:
    if SKIPPED_NAME not in manifest.files:
        return ()
    skipped = msgspec.json.decode((folder / SKIPPED_NAME).read_bytes(), type=Skipped)
    # The error of the first one says what is wrong, and where.
    return Notice("data-rows-skipped", {"rows": skipped.rows}), Notice(skipped.message_id, skipped.arguments)


def _corpus(
    source: _Source, folder: Path, manifest: Manifest, seed: int, *, from_cache: bool, notices: tuple[Notice, ...]
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
        attention_within_documents=source.data.attention_within_documents,
        digest=_digest(manifest),
        notices=notices,
        template=source.template,
    )


def _digest(manifest: Manifest) -> str:
    # What was left out is no token, and its place is that of a file.
    checksums = sorted((name, record.sha256) for name, record in manifest.files.items() if name != SKIPPED_NAME)
    return hashlib.sha256(repr(checksums).encode()).hexdigest()


def _build(source: _Source, cache: Path, key: str) -> Manifest:
    found = _scan(source)
    tokenizer = source.tokenizer or _train_tokenizer(source, found)
    encoder = Encoder(tokenizer, found, source.report, source.template, marks_answers=source.marks_answers)
    with building(cache, key, encoder.needed_bytes) as folder:
        # Each pass meets the same rows; those of this one count.
        bad = _bad_rows(source)
        manifest = encoder.write(_read(source, None, bad), folder, bad)
        if manifest.content_digest != found.content_digest:
            raise DataError("data-changed-while-reading")
        write_manifest(folder, manifest)
    return manifest


def _scan(source: _Source) -> Scan:
    bad = _bad_rows(source)
    try:
        return scan(
            _read(source, "data-progress-reading", bad),
            source.data.validation_fraction,
            0 if source.tokenizer else SAMPLE_LIMIT_BYTES,
        )
    except DataError as error:
        if error.message_id == "data-empty" and bad.first is not None:
            # What is wrong with the rows says more than that none is left.
            raise bad.first from error
        raise


def _bad_rows(source: _Source) -> BadRows:
    return BadRows(skips=source.data.on_bad_row == "skip")


def _read(source: _Source, stage: str | None, bad: BadRows) -> Iterator[Document]:
    total_bytes = max(1, sum(file.size_bytes for file in source.files))
    for document in _documents(source, bad):
        if stage is not None:
            source.report(stage, document.done_source_bytes / total_bytes)
        yield document
    if stage is not None:
        source.report(stage, 1.0)


def _documents(source: _Source, bad: BadRows) -> Iterator[Document]:
    data = source.data
    if source.template is None:
        return documents(source.files, data.text_field, data.max_bytes, bad)
    return conversations(
        source.files, source.template, needs_answers=source.marks_answers, max_bytes=data.max_bytes, bad=bad
    )


def _train_tokenizer(source: _Source, found: Scan) -> Tokenizer:
    source.report("data-progress-tokenizer", 0.0)
    texts: Iterable[str] = found.training_sample
    if source.template is not None:
        # What ends a turn is a token of its own already: its spelling is not to be learned as text.
        texts = (text.replace(BPE_SPECIAL_TOKENS[0], "") for text in texts)
    tokenizer = Tokenizer.train_bpe(texts, source.vocab_size)
    source.report("data-progress-tokenizer", 1.0)
    return tokenizer
