"""A corpus from its files: both passes over the text, by whoever does the work, and going on with what was begun."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple, final

import numpy as np

from headway.errors import DataError
from headway.training.data.card import CARD_NAME, SourceCard, card_bytes, make_card
from headway.training.data.executors import Executor
from headway.training.data.journal import Journal
from headway.training.data.rows import BadRows
from headway.training.data.scanning import SAMPLE_LIMIT_BYTES, Scan, UnitScan, merge_scans
from headway.training.data.shards import (
    FORMAT_VERSION,
    SHARD_TOKENS,
    FileRecord,
    FileWriter,
    Manifest,
    SplitWriter,
    token_dtype,
    write_manifest,
)
from headway.training.data.tokenizers import BPE_SPECIAL_TOKENS, FILE_NAME, Tokenizer
from headway.training.data.work import EncodeJob, Reading, ScanJob, Sizes, Unit

Progress = Callable[[str, float], None]
"""Called with the id of a message that names the stage, and the share of that stage that is done, 0 to 1."""

TRAIN, VALIDATION = "train", "validation"


class Building(NamedTuple):
    """What a corpus is built from, and how."""

    units: tuple[Unit, ...]
    reading: Reading
    tokenizer: Tokenizer | None
    """None where it is to be trained."""
    vocab_size: int
    validation_fraction: float
    max_bytes: int | None
    report: Progress
    executor: Executor
    sizes: Sizes

    @property
    def sample_limit_bytes(self) -> int:
        """How much text the first pass keeps for a tokenizer."""
        return 0 if self.tokenizer is not None else SAMPLE_LIMIT_BYTES


@final
class Builder:
    """Builds one corpus in a folder."""

    def __init__(self, building: Building) -> None:
        self._building = building
        self._text_bytes = 0
        self._num_documents = 0
        self._encoded_bytes = 0
        self._encoded_tokens = 0
        self._token_bytes = 4

    def needed_bytes(self) -> int:
        """Return about how large the folder will be, from what was encoded so far."""
        tokens_per_byte = self._encoded_tokens / self._encoded_bytes if self._encoded_bytes else 1.0
        return round(self._text_bytes * tokens_per_byte * self._token_bytes) + 8 * self._num_documents

    def build(self, folder: Path) -> Manifest:
        """Fill a folder, which may hold what an earlier process did of it.

        Raises:
            DataError: the text cannot be used.
            OSError: the folder cannot be written.
        """
        journal = Journal(folder, self._building.sizes, keeps_scans=self._building.tokenizer is not None)
        try:
            manifest = self._build(folder, journal)
            journal.remove()
        finally:
            journal.close()
        write_manifest(folder, manifest)
        return manifest

    def _build(self, folder: Path, journal: Journal) -> Manifest:
        building = self._building
        scans = list(scan_units(building, journal))
        found = merged(building, scans)
        self._text_bytes, self._num_documents = found.text_bytes, found.num_documents
        tokenizer = self._tokenizer(folder, found, journal)
        dtype = token_dtype(tokenizer.vocab_size)
        self._token_bytes = dtype.itemsize
        files = {FILE_NAME: write_file(folder / FILE_NAME, tokenizer.to_bytes())}
        template = building.reading.template
        if template is not None:
            for name, content in template.files().items():
                files[name] = write_file(folder / name, content)
        writers = self._encode(folder, EncodeJob(
            building.reading, building.units, tokenizer, found.validation_below, dtype.name
        ), found, journal)  # fmt: skip
        records = [writer.close() for writer in writers]
        for writer in writers:
            files.update(writer.files)
        manifest = Manifest(
            format_version=FORMAT_VERSION,
            dtype=dtype.name,
            shard_tokens=SHARD_TOKENS,
            splits=tuple(record for record in records if record.num_tokens),
            tokenizer_digest=tokenizer.digest,
            content_digest=found.content_digest,
            files=files,
        )
        card = make_card(manifest, [*_file_cards(building.units, scans)], skipped_of(scans))
        files[CARD_NAME] = write_file(folder / CARD_NAME, card_bytes(card))
        return manifest

    def _tokenizer(self, folder: Path, found: Scan, journal: Journal) -> Tokenizer:
        if self._building.tokenizer is not None:
            return self._building.tokenizer
        if journal.done.tokenizer_digest is not None:
            tokenizer = Tokenizer.load(folder / FILE_NAME)
            if tokenizer.digest == journal.done.tokenizer_digest:
                return tokenizer
            raise DataError("data-tokenizer-invalid", path=str(folder / FILE_NAME), reason="digest")
        tokenizer = train_tokenizer(self._building, found)
        write_file(folder / FILE_NAME, tokenizer.to_bytes())
        journal.trained(tokenizer.digest)
        return tokenizer

    def _encode(self, folder: Path, job: EncodeJob, found: Scan, journal: Journal) -> list[SplitWriter]:
        done, dtype = journal.done, np.dtype(job.dtype)
        states = done.writers or (None, None)
        writers = [
            SplitWriter(folder, name, dtype, SHARD_TOKENS, state)
            for name, state in zip((TRAIN, VALIDATION), states, strict=True)
        ]
        before, left = found.pieces[: done.num_pieces], found.pieces[done.num_pieces :]
        self._encoded_bytes = sum(piece.text_bytes for piece in before)
        try:
            for piece, encoded in zip(left, self._building.executor.results(job, left), strict=True):
                for writer, split in zip(writers, encoded, strict=True):
                    marks = None if split.marks is None else np.frombuffer(split.marks, np.bool_)
                    tokens, lengths = np.frombuffer(split.tokens, dtype), np.frombuffer(split.lengths, np.int64)
                    self._encoded_tokens += tokens.size
                    writer.append(tokens, lengths, split.text_bytes, marks)
                self._encoded_bytes += piece.text_bytes
                journal.encoded([writer.state() for writer in writers])
                self._building.report("data-progress-encoding", self._encoded_bytes / found.text_bytes)
        except BaseException:
            for writer in writers:
                writer.abandon()
            raise
        return writers


def scan_units(building: Building, journal: Journal | None = None) -> Iterator[UnitScan]:
    """Yield what the first pass finds in each unit, up to the limit of the text; note it, and pass over what was noted.

    Raises:
        DataError: the text cannot be used.
    """
    total = max(1, sum(file.size_bytes for unit in building.units for file in unit))
    job = ScanJob(building.reading, building.units, building.sample_limit_bytes, building.sizes.piece_bytes)
    known = [] if journal is None else journal.done.scans
    read_bytes = 0
    for number, found in enumerate(_scans(building, job, known)):
        if journal is not None and number >= len(known):
            journal.scanned(found)
        read_bytes += sum(file.size_bytes for file in building.units[number])
        building.report("data-progress-reading", read_bytes / total)
        yield found
    if read_bytes < total:
        building.report("data-progress-reading", 1.0)


def _scans(building: Building, job: ScanJob, known: Sequence[UnitScan]) -> Iterator[UnitScan]:
    yield from known
    left = range(len(known), len(building.units))
    if building.max_bytes is None:
        yield from building.executor.results(job, left)
        return
    # What is read of a unit depends on those before it.
    left_bytes = building.max_bytes - sum(scan.text_bytes for scan in known)
    if known and not known[-1].is_whole:
        return
    for number in left:
        found = job.scan(number, left_bytes)
        left_bytes -= found.text_bytes
        yield found
        if not found.is_whole:
            return


def merged(building: Building, scans: Sequence[UnitScan]) -> Scan:
    """Put together what was found.

    Raises:
        DataError: there is no text; where rows were left out, what is wrong with the first.
    """
    try:
        return merge_scans(scans, building.validation_fraction, building.sample_limit_bytes)
    except DataError as error:
        first = skipped_of(scans).first
        if error.message_id == "data-empty" and first is not None:
            # What is wrong with the rows says more than that none is left.
            raise first from error
        raise


def train_tokenizer(building: Building, found: Scan) -> Tokenizer:
    """Train a tokenizer on the sample of the first pass."""
    building.report("data-progress-tokenizer", 0.0)
    texts: Sequence[str] = found.training_sample
    if building.reading.template is not None:
        # What ends a turn is a token of its own already: its spelling is not to be learned as text.
        texts = [text.replace(BPE_SPECIAL_TOKENS[0], "") for text in texts]
    tokenizer = Tokenizer.train_bpe(texts, building.vocab_size)
    building.report("data-progress-tokenizer", 1.0)
    return tokenizer


def skipped_of(scans: Sequence[UnitScan]) -> BadRows:
    """Return the rows that were left out."""
    bad = BadRows(skips=True)
    for scan in scans:
        bad.add(scan.skipped)
    return bad


def write_file(path: Path, content: bytes) -> FileRecord:
    """Write a file of a corpus."""
    writer = FileWriter(path)
    try:
        writer.write(content)
        return writer.close()
    finally:
        writer.abandon()


def _file_cards(units: Sequence[Unit], scans: Sequence[UnitScan]) -> Iterator[SourceCard]:
    for unit, scan in zip(units, scans, strict=False):
        for file, digest in zip(unit, scan.digests, strict=True):
            yield SourceCard(file.path, file.size_bytes, digest)
