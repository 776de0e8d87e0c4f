"""Text as tokens, ready to be trained on: one source, or several in a mixture."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from headway.training.data.batches import Batch, BatchStream, validation_batches
from headway.training.data.card import CARD_NAME
from headway.training.data.shards import TOKENS, Manifest, Split
from headway.training.data.templates import CONFIG_NAME, ChatTemplate
from headway.training.data.tokenizers import Tokenizer

_NOT_TOKENS = (CARD_NAME, CONFIG_NAME)
"""Files that tell about the tokens."""


@dataclass(frozen=True)
class Notice:
    """Something that the reader should know, as the id of a message and its arguments."""

    message_id: str
    arguments: dict[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True)
class Statistics:
    """How much text there is, all splits together; tokens include one end-of-document token for each document.

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
class Source:
    """One source of a corpus."""

    name: str
    """Nothing where there is only one."""
    weight: float
    train: Split
    validation: Split | None
    manifest: Manifest
    folder: Path
    from_cache: bool

    @property
    def digest(self) -> str:
        """Names the tokens of both splits, wherever the files that they came from lie."""
        files = self.manifest.files.items()
        checksums = sorted((name, record.sha256) for name, record in files if name not in _NOT_TOKENS)
        return hashlib.sha256(repr(checksums).encode()).hexdigest()

    @property
    def token_bytes(self) -> int:
        """Size of the tokens on disk."""
        files = self.manifest.files.items()
        return sum(record.size_bytes for name, record in files if name.endswith(f".{TOKENS}"))


@dataclass(frozen=True, eq=False)
class Corpus:
    """Text as tokens, ready to be trained on."""

    tokenizer: Tokenizer
    sources: tuple[Source, ...]
    seed: int
    attention_within_documents: bool
    notices: tuple[Notice, ...] = ()
    template: ChatTemplate | None = None
    """Of conversations, which are packed whole, and attended to each by itself; None where the documents are text."""

    @property
    def is_chat(self) -> bool:
        """Whether the documents are conversations."""
        return self.template is not None

    @property
    def train(self) -> Split:
        """The tokens for training of the only source, or of the first."""
        return self.sources[0].train

    @property
    def validation(self) -> Split | None:
        """The tokens for validation of the only source, or of the first."""
        return self.sources[0].validation

    @property
    def folder(self) -> Path:
        """Where the tokens of the only source lie, or of the first."""
        return self.sources[0].folder

    @property
    def from_cache(self) -> bool:
        """Whether all of it was prepared before."""
        return all(source.from_cache for source in self.sources)

    @property
    def token_bytes(self) -> int:
        """Size of the tokens on disk."""
        return sum(source.token_bytes for source in self.sources)

    @property
    def statistics(self) -> Statistics:
        """How much text there is."""
        return _statistics(self.sources)

    @property
    def validation_bytes_per_token(self) -> float:
        """Bytes of text that a token of the validation stands for; of several sources, by their shares in it."""
        found = [source for source in self.sources if source.validation is not None] or list(self.sources)
        total = sum(source.weight for source in found)
        return sum(source.weight / total * _statistics([source]).bytes_per_token for source in found)

    @property
    def digest(self) -> str:
        """Names the tokens, and of several sources how they are mixed."""
        if len(self.sources) == 1:
            return self.sources[0].digest
        mixed = [(source.name, source.weight, source.digest) for source in self.sources]
        return hashlib.sha256(repr(mixed).encode()).hexdigest()

    def train_stream(self, sequence_length: int, global_batch_size: int) -> BatchStream:
        """Return the shuffled training batches; see `BatchStream`."""
        return BatchStream(
            [source.train for source in self.sources],
            sequence_length,
            global_batch_size,
            self.seed,
            with_document_ids=self.attention_within_documents,
            packs=self.is_chat,
            weights=[source.weight for source in self.sources],
        )

    def validation_batches(self, sequence_length: int, batch_size: int, max_sequences: int) -> list[Batch]:
        """Return the fixed validation batches, none where there is no validation split; see `validation_batches`."""
        found = [(source.validation, source.weight) for source in self.sources if source.validation is not None]
        if not found:
            return []
        return validation_batches(
            [split for split, _ in found],
            sequence_length,
            batch_size,
            max_sequences,
            with_document_ids=self.attention_within_documents,
            packs=self.is_chat,
            weights=[weight for _, weight in found],
        )


def _statistics(sources: Sequence[Source]) -> Statistics:
    records = [record for source in sources for record in source.manifest.splits]
    return Statistics(
        documents=sum(record.num_documents for record in records),
        text_bytes=sum(record.text_bytes for record in records),
        tokens=sum(record.num_tokens for record in records),
    )
