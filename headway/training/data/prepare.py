"""From a recipe's ``[data]`` to a corpus: read from the cache, or made and put there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from headway.errors import DataError
from headway.recipe.sections import DataConfig, SourceConfig
from headway.training.data.building import (
    TRAIN,
    VALIDATION,
    Builder,
    Building,
    Progress,
    merged,
    scan_units,
    write_file,
)
from headway.training.data.building import train_tokenizer as trained_on
from headway.training.data.cache import building, cache_folder, cache_key, exclusive
from headway.training.data.card import CARD_NAME, read_card
from headway.training.data.chats import chat_template, holds_chats
from headway.training.data.corpus import Corpus, Notice, Source
from headway.training.data.executors import Executor, Serial
from headway.training.data.rows import BadRows
from headway.training.data.shards import FORMAT_VERSION, Manifest, Split, find_damage, read_manifest
from headway.training.data.sources import Place, SourceFile, list_files
from headway.training.data.stores import Folder, Store, opened_store
from headway.training.data.templates import CONFIG_NAME, TEMPLATE_NAME, ChatTemplate, find_template
from headway.training.data.tokenizers import FILE_NAME, Tokenizer, check_vocabulary, is_built_in
from headway.training.data.work import Reading, Sizes, units_of

_BEGINNING_BYTES = 2**20
"""So much text is read before a run begins: a wrong format or field shows in its first rows."""


@dataclass(frozen=True)
class Job:
    """What is prepared, and by whom."""

    data: DataConfig
    vocab_size: int
    report: Progress
    executor: Executor
    sizes: Sizes

    @property
    def cache(self) -> Path:
        """The folder of all prepared data."""
        return cache_folder(self.data.cache)


class _Text(NamedTuple):
    """Files that a corpus is made from."""

    data: DataConfig
    files: tuple[SourceFile, ...]
    tokenizer: Tokenizer | None
    """None where it is to be trained."""
    template: ChatTemplate | None
    """None where the documents are text."""
    job: Job

    def building(self) -> Building:
        """Return what it is built from."""
        data = self.data
        marks_answers = self.template is not None and data.loss_on == "answers"
        return Building(
            units=units_of(self.files, self.job.sizes.unit_bytes),
            reading=Reading(data.text_field, self.template, marks_answers, data.on_bad_row == "skip"),
            tokenizer=self.tokenizer,
            vocab_size=self.job.vocab_size,
            validation_fraction=data.validation_fraction,
            max_bytes=data.max_bytes,
            report=self.job.report,
            executor=self.job.executor,
            sizes=self.job.sizes,
        )

    def key(self) -> str:
        """Return what names the corpus."""
        data = self.data
        parts: dict[str, object] = {
            "format_version": FORMAT_VERSION,
            "files": self.files,
            "text_field": data.text_field,
            "tokenizer": f"bpe {self.job.vocab_size}" if self.tokenizer is None else self.tokenizer.digest,
            "validation_fraction": data.validation_fraction,
            "max_bytes": data.max_bytes,
        }
        if self.template is not None:
            parts |= {"template": self.template.digest, "loss_on": data.loss_on}
        if data.on_bad_row != "stop":
            parts["on_bad_row"] = data.on_bad_row
        return cache_key(parts)


class _Prepared(NamedTuple):
    """A source that is ready."""

    store: Store
    manifest: Manifest
    from_cache: bool
    notices: tuple[Notice, ...] = ()
    template: ChatTemplate | None = None


def prepare(
    data: DataConfig,
    *,
    vocab_size: int,
    seed: int,
    progress: Progress | None = None,
    executor: Executor | None = None,
    sizes: Sizes | None = None,
) -> Corpus:
    """Return the corpus of a recipe, from the cache where it has been made before.

    Any number of processes may call this at once; one of them does the work.

    Args:
        data: the section ``[data]``.
        vocab_size: of the model; a trained tokenizer gets this size, any other must not have more ids.
        seed: key of the order of the training samples. The tokens on disk do not depend on it.
        progress: told how far each stage is.
        executor: who does the work; this process by default. The tokens on disk do not depend on it.
        sizes: how the work is cut.

    Raises:
        DataError: the text or the tokenizer cannot be used, or the cache cannot be written.
        MissingDependencyError: a package that the formats or the tokenizer need is not installed.
    """
    job = Job(
        data, vocab_size, progress or (lambda _message_id, _fraction: None), executor or Serial(), sizes or Sizes()
    )
    tokenizer = _given_tokenizer(job)
    parts = [(source, data_of(data, source)) for source in data.sources] or [(SourceConfig(name="-"), data)]
    if tokenizer is None and data.sources:
        tokenizer = _shared_tokenizer(job, [part for _, part in parts])
    ready = [_opened(job, part) if part.prepared else _made(_text_of(job, part, tokenizer)) for _, part in parts]
    _require_one_kind(data, ready)
    first = ready[0]
    tokenizer = Tokenizer.load(first.store.path(FILE_NAME))
    check_vocabulary(tokenizer, vocab_size)
    return Corpus(
        tokenizer=tokenizer,
        sources=tuple(
            _source(source if data.sources else None, one) for (source, _), one in zip(parts, ready, strict=True)
        ),
        seed=seed,
        attention_within_documents=data.attention_within_documents,
        notices=tuple(notice for one in ready for notice in one.notices),
        template=first.template,
    )


def is_prepared(data: DataConfig, *, vocab_size: int) -> bool:
    """Say whether `prepare` would find the corpus in the cache; what it finds there may still be damaged.

    Raises:
        DataError: the text or the tokenizer cannot be used.
    """
    job = Job(data, vocab_size, lambda _message_id, _fraction: None, Serial(), Sizes())
    tokenizer = _given_tokenizer(job)
    texts = texts_of(data)
    if tokenizer is None and data.sources and texts:
        found = _tokenizer_key(job, texts)
        if not (job.cache / found / FILE_NAME).exists():
            return False
        tokenizer = Tokenizer.load(job.cache / found)
    return all((job.cache / _text_of(job, part, tokenizer).key()).exists() for part in texts)


def texts_of(data: DataConfig) -> list[DataConfig]:
    """Return the section of each source that is text, and not prepared tokens."""
    parts = [data_of(data, source) for source in data.sources] or [data]
    return [part for part in parts if not part.prepared]


def require_prepared(data: DataConfig) -> None:
    """Refuse prepared tokens that are not there, or not as they were written.

    Raises:
        DataError: ``data-prepared-missing``, ``data-prepared-damaged``, ``data-url-unreachable``.
        MissingDependencyError: the driver of a store is not installed.
    """
    for part in [data, *(data_of(data, source) for source in data.sources)]:
        if part.prepared:
            opened_store(part.prepared, cache_folder(data.cache))


def require_sound_beginning(data: DataConfig) -> None:
    """Read the first text of each source, as the preparation will.

    Raises:
        DataError: a row of it cannot be used, where such rows are not skipped.
        MissingDependencyError: a package that reads it is not installed.
    """
    for part in texts_of(data):
        files = list_files(part)
        tokenizer = None if is_built_in(part.tokenizer) else Tokenizer.load(part.tokenizer)
        template = chat_template(part, tokenizer) if holds_chats(part, files) else None
        marks_answers = template is not None and part.loss_on == "answers"
        reading = Reading(part.text_field, template, marks_answers, part.on_bad_row == "skip")
        read_bytes = 0
        for document in reading.documents(files, None, BadRows(skips=reading.skips_bad_rows), Place()):
            read_bytes += document.num_bytes
            if read_bytes > _BEGINNING_BYTES:
                break


def data_of(data: DataConfig, source: SourceConfig) -> DataConfig:
    """Return the section of one source alone."""
    places = {"source": source.source, "paths": source.paths, "prepared": source.prepared, "sources": ()}
    return data.model_copy(update=places)


def _given_tokenizer(job: Job) -> Tokenizer | None:
    """Return the tokenizer that the recipe names, or that its prepared sources have; None where it is to be trained."""
    data, tokenizer = job.data, None
    if data.tokenizer == "byte":
        tokenizer = Tokenizer.byte()
    elif data.tokenizer != "bpe":
        tokenizer = Tokenizer.load(data.tokenizer)
    prepared = [location for location in (data.prepared, *(one.prepared for one in data.sources)) if location]
    for location in prepared if tokenizer is None else ():
        store, _ = opened_store(location, job.cache)
        tokenizer = Tokenizer.load(store.path(FILE_NAME))
        break
    if tokenizer is not None:
        check_vocabulary(tokenizer, job.vocab_size)
    return tokenizer


def _text_of(job: Job, data: DataConfig, tokenizer: Tokenizer | None) -> _Text:
    files = list_files(data)
    template = chat_template(data, tokenizer) if holds_chats(data, files) else None
    return _Text(data, files, tokenizer, template, job)


def _shared_tokenizer(job: Job, parts: Sequence[DataConfig]) -> Tokenizer:
    """Return the tokenizer of several sources, trained on the text of all of them in proportion to its amount."""
    cache, key = job.cache, _tokenizer_key(job, parts)
    if not (cache / key / FILE_NAME).exists():
        with exclusive(cache, key, lambda: job.report("data-progress-waiting", 0.0)):
            if not (cache / key / FILE_NAME).exists():
                with building(cache, key, lambda: 2**20) as folder:
                    buildings = [_text_of(job, part, None).building() for part in parts]
                    scans = [scan for one in buildings for scan in scan_units(one)]
                    tokenizer = trained_on(buildings[0], merged(buildings[0], scans))
                    write_file(folder / FILE_NAME, tokenizer.to_bytes())
    return Tokenizer.load(cache / key)


def _tokenizer_key(job: Job, parts: Sequence[DataConfig]) -> str:
    return cache_key({"tokenizer": [_text_of(job, part, None).key() for part in parts]})


def _opened(job: Job, data: DataConfig) -> _Prepared:
    store, manifest = opened_store(str(data.prepared), job.cache)
    template = None
    if TEMPLATE_NAME in manifest.files:
        # Of a remote corpus, they have to be there first.
        for name in (TEMPLATE_NAME, CONFIG_NAME):
            store.path(name)
        special = tuple(Tokenizer.load(store.path(FILE_NAME)).special_tokens)
        template = find_template(store.folder, special)
    return _Prepared(store, manifest, True, _skipped_notices(store, manifest), template)


def _made(text: _Text) -> _Prepared:
    """Return a source from the cache, or make it there."""
    report, cache, key = text.job.report, text.job.cache, text.key()
    folder = cache / key
    manifest, _ = _read_cached(folder, report)
    from_cache = manifest is not None
    notices: tuple[Notice, ...] = ()
    if manifest is None:
        with exclusive(cache, key, lambda: report("data-progress-waiting", 0.0)):
            # Another process may have made it while this one waited for its turn.
            manifest, damaged = _read_cached(folder, report)
            from_cache = manifest is not None
            if damaged is not None:
                notices = (Notice("data-cache-damaged", {"path": str(folder), "file": damaged}),)
            if manifest is None:
                builder = Builder(text.building())
                with building(cache, key, builder.needed_bytes) as place:
                    manifest = builder.build(place)
    store = Folder(folder)
    return _Prepared(store, manifest, from_cache, notices + _skipped_notices(store, manifest), text.template)


def _read_cached(folder: Path, report: Progress) -> tuple[Manifest | None, str | None]:
    """Return the manifest of a sound folder, or else the name of its damaged file, if there is a folder at all."""
    if not folder.exists():
        return None, None
    report("data-progress-verifying", 0.0)
    manifest = read_manifest(folder)
    damaged = "manifest.json" if manifest is None else find_damage(folder, manifest)
    report("data-progress-verifying", 1.0)
    return (manifest, None) if damaged is None else (None, damaged)


def _skipped_notices(store: Store, manifest: Manifest) -> tuple[Notice, ...]:
    if CARD_NAME not in manifest.files:
        return ()
    skipped = read_card(store.path(CARD_NAME).parent).skipped
    if not skipped:
        return ()
    # The error of the first one says what is wrong, and where.
    rows = sum(reason.rows for reason in skipped)
    return Notice("data-rows-skipped", {"rows": rows}), Notice(skipped[0].message_id, skipped[0].first)


def _require_one_kind(data: DataConfig, ready: Sequence[_Prepared]) -> None:
    """Refuse sources that cannot be in one batch."""
    for source, one in zip(data.sources, ready, strict=False):
        if one.manifest.tokenizer_digest != ready[0].manifest.tokenizer_digest:
            raise DataError("data-sources-tokenizers", first=data.sources[0].name, other=source.name)
        if (one.template is None) != (ready[0].template is None):
            raise DataError("data-sources-kinds", first=data.sources[0].name, other=source.name)


def _source(configured: SourceConfig | None, ready: _Prepared) -> Source:
    splits = {record.name: Split(ready.store, ready.manifest, record) for record in ready.manifest.splits}
    return Source(
        name="" if configured is None else configured.name,
        weight=1.0 if configured is None else configured.weight,
        train=splits[TRAIN],
        validation=splits.get(VALIDATION),
        manifest=ready.manifest,
        folder=ready.store.folder,
        from_cache=ready.from_cache,
    )
