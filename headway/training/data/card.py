"""The data card: what prepared data is made of, with counts and digests of every file.

It lies beside the tokens as ``data-card.json``. It holds no time and no name of a machine, so that the same files give
the same card. Rows that were left out stand in it by what is wrong with them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from headway.errors import DataError
from headway.training.data.rows import BadRows
from headway.training.data.shards import FileRecord, Manifest, SplitRecord
from headway.training.data.templates import TEMPLATE_NAME

CARD_NAME = "data-card.json"
CARD_VERSION = 1


@dataclass(frozen=True)
class SourceCard:
    """A file that text was read from."""

    path: str
    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class SkippedCard:
    """Rows that were left out for one reason."""

    rows: int
    message_id: str
    first: dict[str, Any]
    """The arguments of the first one's error: where it is, and what is wrong."""


@dataclass(frozen=True)
class Card:
    """What prepared data is made of."""

    format_version: int
    splits: tuple[SplitRecord, ...]
    tokenizer_sha256: str
    template_sha256: str | None
    content_digest: str
    sources: tuple[SourceCard, ...]
    skipped: tuple[SkippedCard, ...]
    files: dict[str, FileRecord]

    @property
    def documents(self) -> int:
        """Of all splits."""
        return sum(split.num_documents for split in self.splits)

    @property
    def tokens(self) -> int:
        """Of all splits."""
        return sum(split.num_tokens for split in self.splits)

    @property
    def text_bytes(self) -> int:
        """Of all splits."""
        return sum(split.text_bytes for split in self.splits)

    def to_dict(self) -> dict[str, Any]:
        """Return the card as plain data."""
        content: dict[str, Any] = msgspec.to_builtins(self)
        return {**content, "documents": self.documents, "tokens": self.tokens, "text_bytes": self.text_bytes}


def make_card(manifest: Manifest, sources: Sequence[SourceCard], bad: BadRows) -> Card:
    """Return the card of tokens that are complete."""
    template = manifest.files.get(TEMPLATE_NAME)
    return Card(
        format_version=CARD_VERSION,
        splits=manifest.splits,
        tokenizer_sha256=manifest.tokenizer_digest,
        template_sha256=None if template is None else template.sha256,
        content_digest=manifest.content_digest,
        sources=tuple(sources),
        skipped=tuple(SkippedCard(*reason) for reason in bad.reasons.values()),
        files=dict(manifest.files),
    )


def card_bytes(card: Card) -> bytes:
    """Return the file of a card."""
    return msgspec.json.format(msgspec.json.encode(card), indent=1) + b"\n"


def read_card(folder: Path) -> Card:
    """Read the card of prepared data.

    Raises:
        DataError: ``data-card-missing``, where there is none, or it is damaged.
    """
    try:
        return msgspec.json.decode((folder / CARD_NAME).read_bytes(), type=Card)
    except (OSError, msgspec.MsgspecError) as error:
        raise DataError("data-card-missing", path=str(folder)) from error
