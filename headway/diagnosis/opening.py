"""Files, folders, globs and archives as plain streams of bytes.

Nothing is unpacked to disk, so that a path inside an archive can point nowhere. What a compressed file expands to is
bounded, and so is how deep archives may lie inside of each other.
"""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import os
import tarfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, cast

from headway.errors import DiagnosisError

STDIN = "-"
"""How a command line names its standard input."""

MOST_NESTED = 3
"""Archives inside of archives that are opened."""

EXPANDED_FREELY_BYTES = 1 << 30
MOST_EXPANSION = 300
"""Past a GiB, a compressed file may hold at most so many bytes for each of its own. Logs reach 10 to 100; gzip can
reach 1,032 (RFC 1951: 258 bytes for two bits)."""

PEEKED_BYTES = 512
TAR_MAGIC_AT, TAR_MAGIC = 257, b"ustar"
ZIP_MAGIC = b"PK\x03\x04"
MAGIC = GZIP_MAGIC, ZSTD_MAGIC, BZIP2_MAGIC, XZ_MAGIC = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\x00")

NO_LOGS = frozenset(
    [
        ".arrow",
        ".bin",
        ".ckpt",
        ".distcp",
        ".gguf",
        ".h5",
        ".idx",
        ".jpg",
        ".npy",
        ".npz",
        ".onnx",
        ".parquet",
        ".pdf",
        ".png",
        ".pt",
        ".pth",
        ".pyc",
        ".safetensors",
        ".so",
        ".svg",
        ".whl",
        ".ttf",
        ".mp4",
        ".tfrecord",
    ]
)
"""Endings of files that are passed over inside of a folder: weights, data, pictures, programs."""


@dataclass(frozen=True)
class Stream:
    """Bytes of one log, and what it is called: ``job.tar.gz!node1/rank3.log`` inside of an archive."""

    name: str
    content: IO[bytes]

    def start(self) -> bytes:
        """Return the first bytes, which stay to be read."""
        return cast("io.BufferedReader", self.content).peek(PEEKED_BYTES)[:PEEKED_BYTES]


@dataclass(frozen=True)
class Trouble:
    """Something that could not be read to its end: the id of a message, and its arguments."""

    message_id: str
    arguments: dict[str, str]


def find_files(paths: Iterable[str | Path]) -> list[Path]:
    """Return the files that paths, folders and globs name, in their order, none of them twice.

    Raises:
        DiagnosisError: a path does not exist, or a glob or folder holds no file.
    """
    found: dict[Path, None] = {}
    for path in map(str, paths):
        matches = _expand(path)
        if not matches:
            raise DiagnosisError("diagnosis-nothing-there", path=path)
        found.update(dict.fromkeys(matches))
    return _each_once(found)


def _each_once(files: Iterable[Path]) -> list[Path]:
    """Leave out other names of a file that is there already: links, and ways around."""
    seen: set[tuple[int, int]] = set()
    kept = []
    for file in files:
        try:
            status = file.stat()
        except OSError:
            kept.append(file)
            continue
        if (status.st_dev, status.st_ino) not in seen:
            seen.add((status.st_dev, status.st_ino))
            kept.append(file)
    return kept


def _expand(path: str) -> list[Path]:
    given = Path(path)
    if given.is_dir():
        return sorted(_inside(given))
    if given.exists():
        return [given]
    matches = sorted(_matching(path))
    return [file for match in matches for file in (sorted(_inside(match)) if match.is_dir() else [match])]


def _matching(pattern: str) -> Iterator[Path]:
    """Yield what a pattern matches; links to folders are not followed, since they may lead around."""
    parts = Path(pattern).parts
    plain = next((index for index, part in enumerate(parts) if any(letter in part for letter in "*?[")), len(parts))
    if plain < len(parts):
        with suppress(ValueError, OSError, NotImplementedError):
            yield from Path(*parts[:plain]).glob(str(Path(*parts[plain:])))


def _inside(folder: Path) -> Iterator[Path]:
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".") and name != "__pycache__"]
        for name in names:
            file = Path(parent, name)
            if file.suffix.lower() not in NO_LOGS and not name.startswith(".") and file.is_file():
                yield file


def open_streams(path: Path, troubles: list[Trouble]) -> Iterator[Stream]:
    """Yield what a file holds: itself, what it expands to, or each member of an archive.

    Args:
        path: the file.
        troubles: what could not be opened or read to its end is added here, while the rest goes on.
    """
    try:
        with _opened(path) as file:
            yield from _unpacked(str(path), file, troubles, depth=0)
    except OSError as error:
        troubles.append(Trouble("diagnosis-note-unreadable", {"path": str(path), "reason": error.strerror or ""}))


def _opened(path: Path) -> IO[bytes]:
    """Open a file; a pipe that nobody writes to is empty, and does not wait for somebody."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    os.set_blocking(descriptor, True)
    return os.fdopen(descriptor, "rb")


def _unpacked(name: str, raw: IO[bytes] | io.RawIOBase, troubles: list[Trouble], depth: int) -> Iterator[Stream]:
    file = raw if isinstance(raw, io.BufferedReader) else io.BufferedReader(cast("io.RawIOBase", raw), 1 << 16)
    start = file.peek(PEEKED_BYTES)[:PEEKED_BYTES]
    if depth > MOST_NESTED:
        troubles.append(Trouble("diagnosis-note-nested", {"path": name}))
    elif start.startswith(ZIP_MAGIC):
        yield from _zipped(name, file, troubles, depth)
    elif _is_tar(start):
        yield from _tarred(name, file, troubles, depth)
    elif (opened := _decompressed(start, file)) is not None:
        yield from _unpacked(name, cast("IO[bytes]", Bounded(opened, file, name, troubles)), troubles, depth + 1)
    else:
        yield Stream(name, cast("IO[bytes]", file))


def is_packed(start: bytes) -> bool:
    """Say whether a file begins as one that compresses or holds others."""
    return start.startswith((*MAGIC, ZIP_MAGIC)) or _is_tar(start)


def _is_tar(start: bytes) -> bool:
    return start[TAR_MAGIC_AT : TAR_MAGIC_AT + len(TAR_MAGIC)] == TAR_MAGIC


def size_of(file: Path) -> int:
    """Return the size of a file; 0 where it cannot be asked for."""
    try:
        return file.stat().st_size
    except OSError:
        return 0


def _decompressed(start: bytes, file: IO[bytes]) -> IO[bytes] | None:
    if start.startswith(GZIP_MAGIC):
        return cast("IO[bytes]", gzip.GzipFile(fileobj=file))
    if start.startswith(ZSTD_MAGIC):
        import zstandard

        return cast("IO[bytes]", zstandard.ZstdDecompressor().stream_reader(file, read_across_frames=True))
    if start.startswith(BZIP2_MAGIC):
        return cast("IO[bytes]", bz2.BZ2File(file))
    if start.startswith(XZ_MAGIC):
        return cast("IO[bytes]", lzma.LZMAFile(file))
    return None


def _tarred(name: str, file: IO[bytes], troubles: list[Trouble], depth: int) -> Iterator[Stream]:
    try:
        with tarfile.open(fileobj=file, mode="r|") as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isreg() else None
                if content is not None and Path(member.name).suffix.lower() not in NO_LOGS:
                    yield from _unpacked(f"{name}!{member.name}", _Raw(content), troubles, depth + 1)
    except (tarfile.TarError, EOFError, ValueError) as error:
        troubles.append(Trouble("diagnosis-note-damaged", {"path": name, "reason": str(error)[:200]}))


def _zipped(name: str, file: IO[bytes], troubles: list[Trouble], depth: int) -> Iterator[Stream]:
    if not file.seekable():
        troubles.append(Trouble("diagnosis-note-nested", {"path": name}))
        return
    try:
        with zipfile.ZipFile(file) as archive:
            for member in archive.infolist():
                if not member.is_dir() and Path(member.filename).suffix.lower() not in NO_LOGS:
                    inner = f"{name}!{member.filename}"
                    with archive.open(member) as content:
                        bounded = Bounded(content, None, inner, troubles, packed_bytes=member.compress_size)
                        yield from _unpacked(inner, cast("IO[bytes]", bounded), troubles, depth + 1)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error, ValueError) as error:
        troubles.append(Trouble("diagnosis-note-damaged", {"path": name, "reason": str(error)[:200]}))


class _Raw(io.RawIOBase):
    """A file of a library that is not a raw stream by itself."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


class Bounded(io.RawIOBase):
    """What a compressed stream expands to: its damage ends it, and so does growing beyond all measure.

    Args:
        expanded: the stream that decompresses.
        packed: the compressed file, whose position says how much of it was used; None where `packed_bytes` is known.
        name: for the message.
        troubles: where an early end is said.
        packed_bytes: size of the compressed data.
    """

    def __init__(
        self,
        expanded: IO[bytes],
        packed: IO[bytes] | None,
        name: str,
        troubles: list[Trouble],
        packed_bytes: int = 0,
    ) -> None:
        self._expanded = expanded
        self._packed = packed
        self._packed_bytes = packed_bytes
        self._name = name
        self._troubles = troubles
        self._read_bytes = 0
        self._ended = False

    def readable(self) -> bool:
        """Say that it can be read."""
        return True

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        """Fill a buffer; nothing more comes once the stream is damaged or has grown too large."""
        if self._ended:
            return 0
        try:
            data = self._expanded.read(len(buffer))
        except Exception as error:  # each library has errors of its own for damaged data
            self._end("diagnosis-note-damaged", str(error)[:200])
            return 0
        self._read_bytes += len(data)
        if self._read_bytes > EXPANDED_FREELY_BYTES and self._read_bytes > MOST_EXPANSION * self._used_bytes():
            self._end("diagnosis-note-bomb", "")
            return 0
        buffer[: len(data)] = data
        return len(data)

    def _used_bytes(self) -> int:
        if self._packed is None:
            return self._packed_bytes
        try:
            return self._packed.tell()
        except (OSError, ValueError):
            return self._packed_bytes

    def _end(self, message_id: str, reason: str) -> None:
        self._ended = True
        self._troubles.append(Trouble(message_id, {"path": self._name, "reason": reason}))
