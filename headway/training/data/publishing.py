"""Prepared data for others: its folder copied to a place, and the card of a whole mixture."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from uuid import uuid4

import msgspec

from headway.errors import DataError
from headway.recipe.paths import is_url
from headway.training.data.card import CARD_NAME, Card, read_card
from headway.training.data.corpus import Corpus, Source
from headway.training.data.locations import reaching, store_of
from headway.training.data.shards import MANIFEST_NAME


def card_of(source: Source) -> Card:
    """Return the card of a source.

    Raises:
        DataError: ``data-card-missing``.
    """
    return read_card(source.folder)


def describe(corpus: Corpus) -> dict[str, Any]:
    """Return what a corpus is as plain data: its counts, and each source with its share and its card.

    Raises:
        DataError: ``data-card-missing``.
    """
    total = sum(source.weight for source in corpus.sources)
    statistics = corpus.statistics
    return {
        "digest": corpus.digest,
        "documents": statistics.documents,
        "tokens": statistics.tokens,
        "text_bytes": statistics.text_bytes,
        "sources": [
            {
                "name": source.name,
                "weight": source.weight,
                "share": source.weight / total,
                "digest": source.digest,
                "card": card_of(source).to_dict(),
            }
            for source in corpus.sources
        ],
    }


def publish(corpus: Corpus, destination: str) -> dict[str, str]:
    """Copy a corpus to a folder or a URL; return where each source lies, by name.

    One source is the destination itself; of several each has a folder of its own in it, and ``data-card.json`` tells of
    all. A manifest is written last: what has none is not complete.

    Raises:
        DataError: ``data-output-exists``; ``data-output-unwritable``; of a URL, ``data-url-unreachable``.
        MissingDependencyError: the store's driver is not installed.
    """
    destination = destination.rstrip("/") or destination
    places = {source.name: f"{destination}/{source.name}" if source.name else destination for source in corpus.sources}
    copy, write = (_put, _put_bytes) if is_url(destination) else (_copy, _write)
    for source in corpus.sources:
        copy(source, places[source.name])
    if len(corpus.sources) > 1:
        write(f"{destination}/{CARD_NAME}", _json(describe(corpus)))
    return places


def _json(content: Mapping[str, Any]) -> bytes:
    return msgspec.json.format(msgspec.json.encode(content), indent=1) + b"\n"


def _names(source: Source) -> list[str]:
    return [*sorted(source.manifest.files), MANIFEST_NAME]


def _copy(source: Source, destination: str) -> None:
    place = Path(destination)
    if place.exists():
        raise DataError("data-output-exists", path=destination)
    temporary = place.with_name(f".writing-{place.name}-{uuid4().hex[:8]}")
    try:
        temporary.mkdir(parents=True)
        for name in _names(source):
            shutil.copyfile(source.folder / name, temporary / name)
        temporary.rename(place)
    except OSError as error:
        raise DataError("data-output-unwritable", path=destination, reason=error.strerror or str(error)) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _write(path: str, content: bytes) -> None:
    try:
        Path(path).write_bytes(content)
    except OSError as error:
        raise DataError("data-output-unwritable", path=path, reason=error.strerror or str(error)) from error


def _put(source: Source, url: str) -> None:
    with reaching(url):
        system, path = store_of(url)
        if system.exists(f"{path}/{MANIFEST_NAME}"):
            raise DataError("data-output-exists", path=url)
        system.makedirs(path, exist_ok=True)
        for name in _names(source):
            system.put_file(str(source.folder / name), f"{path}/{name}")


def _put_bytes(url: str, content: bytes) -> None:
    with reaching(url):
        system, path = store_of(url)
        system.pipe_file(path, content)
