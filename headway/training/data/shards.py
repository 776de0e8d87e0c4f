"""Tokens on disk: shards that are mapped into memory, and the manifest that vouches for them.

A folder holds, for each split (``train``, ``validation``), numbered shards: ``train-00000.bin`` with the tokens
(little-endian uint16 where the vocabulary fits, else uint32) and ``train-00000.idx`` with the positions, in the split
as a whole, of the documents that start in this shard (little-endian int64). Conversations also have
``train-00000.mark``, a byte for each token: 1 where the token counts as a target. Every shard but the last is full, so
a document may go on in the next one. ``tokenizer.json`` is the tokenizer and ``manifest.json`` has all counts and the
size and SHA-256 of every file; a folder without a true manifest is not valid.
"""

from __future__ import annotations

import errno
import hashlib
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, final

import msgspec
import numpy as np
import numpy.typing as npt

FORMAT_VERSION = 2
MANIFEST_NAME = "manifest.json"
SHARD_TOKENS = 256 * 2**20
VERIFY_LIMIT_BYTES = 2 * 2**30
"""Folders up to this size have all their checksums tested whenever they are opened (about a second for each GiB);
of larger ones only the sizes are."""

TOKENS, POSITIONS, MARKS = "bin", "idx", "mark"
"""Suffixes of a shard's files."""

_POSITION_DTYPE = np.dtype("<i8")
_MARK_DTYPE = np.dtype(np.bool_)
_READ_BYTES = 2**20
_SMALL_VOCABULARY = 2**16


@dataclass(frozen=True)
class FileRecord:
    """A file of the folder as it was written."""

    size_bytes: int
    sha256: str


@dataclass(frozen=True)
class SplitRecord:
    """What a split holds; tokens include one end-of-document token for each document."""

    name: str
    num_tokens: int
    num_documents: int
    text_bytes: int


@dataclass(frozen=True)
class Manifest:
    """Everything that is known about a folder of tokens."""

    format_version: int
    dtype: str
    shard_tokens: int
    splits: tuple[SplitRecord, ...]
    tokenizer_digest: str
    content_digest: str
    """BLAKE2b over the fingerprints of all documents in their order."""
    files: dict[str, FileRecord]


@dataclass(frozen=True)
class _Envelope:
    sha256: str
    manifest: Manifest


def token_dtype(vocab_size: int) -> np.dtype[np.unsignedinteger]:
    """Return the smallest type that holds every id below ``vocab_size``."""
    return np.dtype("<u2") if vocab_size <= _SMALL_VOCABULARY else np.dtype("<u4")


@final
class FileWriter:
    """Writes one file of the folder and keeps its checksum; unbuffered, so that closing it has nothing left to fail.

    Args:
        path: of the file.
        kept_bytes: as much of what it holds stays, and what is written follows.
    """

    def __init__(self, path: Path, kept_bytes: int = 0) -> None:
        self._file = path.open("r+b" if kept_bytes else "wb", buffering=0)
        self._sha256 = hashlib.sha256()
        self.size_bytes = 0
        while self.size_bytes < kept_bytes:
            content = self._file.read(min(kept_bytes - self.size_bytes, _READ_BYTES))
            if not content:
                raise OSError(errno.ENODATA, os.strerror(errno.ENODATA), str(path))
            self._sha256.update(content)
            self.size_bytes += len(content)
        self._file.truncate(kept_bytes)

    def write(self, content: bytes) -> None:
        """Append bytes."""
        rest = memoryview(content)
        while rest:
            # A raw write may take only a part, for instance just before the disk is full.
            rest = rest[self._file.write(rest) :]
        self._sha256.update(content)
        self.size_bytes += len(content)

    def flush(self) -> None:
        """Have all of it on the disk."""
        os.fsync(self._file.fileno())

    def close(self) -> FileRecord:
        """Flush the file to the disk and return its record."""
        self.flush()
        self.abandon()
        return FileRecord(self.size_bytes, self._sha256.hexdigest())

    def abandon(self) -> None:
        """Close the file without a record."""
        self._file.close()


@dataclass(frozen=True)
class WriterState:
    """How far a `SplitWriter` is."""

    num_tokens: int = 0
    num_documents: int = 0
    text_bytes: int = 0
    open_bytes: dict[str, int] = field(default_factory=dict)
    """Of the shard that is not full: the size of each of its files, by suffix."""
    files: dict[str, FileRecord] = field(default_factory=dict)


@final
class SplitWriter:
    """Writes the shards of one split.

    Args:
        folder: where the files go.
        name: of the split.
        dtype: of the tokens.
        shard_tokens: length of a full shard.
        state: of an earlier writer of the same files, to go on from.

    Raises:
        OSError: the files of the state are not there.
    """

    def __init__(
        self,
        folder: Path,
        name: str,
        dtype: np.dtype[np.unsignedinteger],
        shard_tokens: int = SHARD_TOKENS,
        state: WriterState | None = None,
    ) -> None:
        state = state or WriterState()
        self.files: dict[str, FileRecord] = dict(state.files)
        self._folder = folder
        self._name = name
        self._dtype = dtype
        self._shard_tokens = shard_tokens
        self._num_tokens = state.num_tokens
        self._num_documents = state.num_documents
        self._text_bytes = state.text_bytes
        self._open: dict[str, FileWriter] = {}
        for suffix, size_bytes in state.open_bytes.items():
            self._open[suffix] = FileWriter(folder / self._shard_name(self._num_tokens - 1, suffix), size_bytes)

    def state(self) -> WriterState:
        """Have all of it on the disk, and return what another writer can go on from."""
        for writer in self._open.values():
            writer.flush()
        open_bytes = {suffix: writer.size_bytes for suffix, writer in self._open.items()}
        return WriterState(self._num_tokens, self._num_documents, self._text_bytes, open_bytes, dict(self.files))

    def append(
        self,
        tokens: npt.ArrayLike,
        document_lengths: npt.ArrayLike,
        text_bytes: int,
        is_target: npt.ArrayLike | None = None,
    ) -> None:
        """Append whole documents.

        Args:
            tokens: of all of them, in one list.
            document_lengths: tokens of each.
            text_bytes: of their text.
            is_target: which tokens count as targets; either always or never given.
        """
        lengths = np.asarray(document_lengths, dtype=_POSITION_DTYPE)
        starts = self._num_tokens + np.cumsum(lengths) - lengths
        rest = np.asarray(tokens, dtype=self._dtype)
        marks = None if is_target is None else np.asarray(is_target, dtype=_MARK_DTYPE)
        while rest.size:
            used = self._num_tokens % self._shard_tokens
            part, rest = np.split(rest, [self._shard_tokens - used])
            self._num_tokens += part.size
            here, starts = np.split(starts, [np.searchsorted(starts, self._num_tokens)])
            self._writer(TOKENS).write(part.tobytes())
            self._writer(POSITIONS).write(here.astype(_POSITION_DTYPE).tobytes())
            if marks is not None:
                here_marks, marks = np.split(marks, [part.size])
                self._writer(MARKS).write(here_marks.tobytes())
            if self._num_tokens % self._shard_tokens == 0:
                self._finish_shard()
        self._num_documents += lengths.size
        self._text_bytes += text_bytes

    def close(self) -> SplitRecord:
        """Finish the last shard and return what was written."""
        self._finish_shard()
        return SplitRecord(self._name, self._num_tokens, self._num_documents, self._text_bytes)

    def abandon(self) -> None:
        """Close the files without finishing them."""
        for writer in self._open.values():
            writer.abandon()

    def _shard_name(self, position: int, suffix: str) -> str:
        return shard_name(self._name, position // self._shard_tokens, suffix)

    def _writer(self, suffix: str) -> FileWriter:
        if suffix not in self._open:
            self._open[suffix] = FileWriter(self._folder / self._shard_name(self._num_tokens - 1, suffix))
        return self._open[suffix]

    def _finish_shard(self) -> None:
        for suffix, writer in self._open.items():
            self.files[self._shard_name(self._num_tokens - 1, suffix)] = writer.close()
        self._open = {}


def shard_name(split: str, number: int, suffix: str) -> str:
    """Return the name of a shard's file: ``train-00000.bin``."""
    return f"{split}-{number:05d}.{suffix}"


def write_manifest(folder: Path, manifest: Manifest) -> None:
    """Write the manifest, which makes the folder valid."""
    digest = hashlib.sha256(msgspec.json.encode(manifest)).hexdigest()
    content = msgspec.json.format(msgspec.json.encode(_Envelope(digest, manifest)), indent=2)
    writer = FileWriter(folder / MANIFEST_NAME)
    try:
        writer.write(content + b"\n")
        writer.close()
    finally:
        writer.abandon()


def read_manifest(folder: Path) -> Manifest | None:
    """Return the manifest, or None where it is absent or not what was written."""
    try:
        envelope = msgspec.json.decode((folder / MANIFEST_NAME).read_bytes(), type=_Envelope)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return None
    true = hashlib.sha256(msgspec.json.encode(envelope.manifest)).hexdigest() == envelope.sha256
    return envelope.manifest if true else None


def find_damage(folder: Path, manifest: Manifest, verify_limit_bytes: int = VERIFY_LIMIT_BYTES) -> str | None:
    """Return the name of a file that is not as it was written, or None.

    Sizes are always compared, checksums where the folder is not larger than ``verify_limit_bytes``.
    """
    verified = sum(record.size_bytes for record in manifest.files.values()) <= verify_limit_bytes
    for name, record in manifest.files.items():
        try:
            with (folder / name).open("rb") as file:
                if os.fstat(file.fileno()).st_size != record.size_bytes:
                    return name
                if verified and hashlib.file_digest(file, "sha256").hexdigest() != record.sha256:
                    return name
        except OSError:
            return name
    return None


class Files(Protocol):
    """Says where files of a folder lie, which may be brought there only then."""

    def path(self, name: str) -> Path:
        """Return where a file lies on this machine."""


@final
class Split:
    """The tokens of one split, mapped into memory; nothing is read before it is asked for.

    Args:
        files: a valid folder, or what knows where each of its files lies.
        manifest: its manifest.
        record: the split, one of the manifest's.
    """

    def __init__(self, files: Path | Files, manifest: Manifest, record: SplitRecord) -> None:
        self.name = record.name
        self.num_tokens = record.num_tokens
        self.num_documents = record.num_documents
        self.text_bytes = record.text_bytes
        self._path = files.joinpath if isinstance(files, Path) else files.path
        self._dtype = np.dtype(manifest.dtype).newbyteorder("<")
        self._shard_tokens = manifest.shard_tokens
        self._has_marks = shard_name(record.name, 0, MARKS) in manifest.files
        self._maps: dict[str, npt.NDArray[Any]] = {}

    def read(self, start: int, out: npt.NDArray[np.int64]) -> None:
        """Fill ``out``, int64 [n], with the tokens from position ``start`` on."""
        self._fill(start, out, TOKENS, self._dtype)

    def read_marks(self, start: int, out: npt.NDArray[np.bool_]) -> None:
        """Fill ``out``, bool [n], with whether the tokens from position ``start`` on count as targets; all may."""
        if self._has_marks:
            self._fill(start, out, MARKS, _MARK_DTYPE)
        else:
            out[:] = True

    def document_starts(self, start: int, stop: int) -> npt.NDArray[np.int64]:
        """Return the positions in ``range(start, stop)`` at which a document starts, int64, ascending."""
        assert 0 <= start <= stop <= self.num_tokens
        found = [np.empty(0, dtype=np.int64)]
        for shard in range(start // self._shard_tokens, -(-stop // self._shard_tokens)):
            positions = self._map(shard, POSITIONS, _POSITION_DTYPE)
            first, last = np.searchsorted(positions, [start, stop])
            found.append(positions[first:last].astype(np.int64))
        return np.concatenate(found)

    def _fill(self, start: int, out: npt.NDArray[Any], suffix: str, dtype: np.dtype[Any]) -> None:
        assert start >= 0 and start + len(out) <= self.num_tokens
        filled = 0
        while filled < len(out):
            shard, offset = divmod(start + filled, self._shard_tokens)
            part = self._map(shard, suffix, dtype)[offset : offset + len(out) - filled]
            out[filled : filled + len(part)] = part
            filled += len(part)

    def _map(self, shard: int, suffix: str, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
        name = shard_name(self.name, shard, suffix)
        if name not in self._maps:
            path = self._path(name)
            # A plain view slices faster than memmap; an empty file, of a shard in which no document starts, has no map.
            empty = path.stat().st_size == 0
            self._maps[name] = np.empty(0, dtype) if empty else np.memmap(path, dtype, "r").view(np.ndarray)
        return self._maps[name]
