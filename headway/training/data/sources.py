"""Which files the text comes from, and their documents in a fixed order.

The text comes from the paths of the recipe, or else from the standard library of the running Python. One file of plain
text is one document (a long one is several: see `formats`); a row of JSON Lines or Parquet is one document. Files are
read in the order of their sorted paths, so the same files always give the same documents.
"""

from __future__ import annotations

import glob
import os
import stat
import sysconfig
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple, TypeVar

from headway.errors import DataError
from headway.recipe.paths import is_url
from headway.recipe.sections import DataConfig
from headway.training.data.formats import format_of, read_documents
from headway.training.data.locations import location_of, matching
from headway.training.data.rows import BadRows, Cursor

Item = TypeVar("Item")

_PROSE = "txt md markdown rst tex org adoc html htm xml yaml yml toml ini cfg"
_CODE = """py pyi c h cc cpp cxx hpp hh cu cuh rs go java kt scala swift js mjs jsx ts tsx css rb php pl lua r jl hs ml
ex erl clj lisp scm el f90 f asm s sh bash zsh sql cmake proto zig nim dart m cs fs vb"""
_ROWS = "jsonl ndjson parquet"
TEXT_SUFFIXES = frozenset(f".{suffix}" for words in (_PROSE, _CODE, _ROWS) for suffix in words.split())
"""What a folder is searched for; a file that is named, or matched by a pattern, may have any other suffix."""

STDLIB_EXCLUDED_FOLDERS = frozenset(
    {"site-packages", "dist-packages", "test", "tests", "encodings", "idlelib", "turtledemo", "__pycache__"}
)
"""Folders of the standard library that are left out wherever they lie: other people's packages, tests, demos, and
``encodings``, which is tables of numbers: a fifth of all text, and no code that a model could learn from."""

_FILE_KINDS = {
    stat.S_IFIFO: "fifo",
    stat.S_IFSOCK: "socket",
    stat.S_IFDIR: "folder",
}


class SourceFile(NamedTuple):
    """A file to read, with what tells whether it has changed since."""

    path: str
    """Or a URL."""
    size_bytes: int
    version: int
    """When it was changed last, in nanoseconds; of a URL, `Stored.version`."""


class Document(NamedTuple):
    """A piece of text that is kept whole, with a fingerprint of its content."""

    text: str
    num_bytes: int
    fingerprint: bytes
    """16 bytes of BLAKE2b over the UTF-8 text."""
    answers: tuple[tuple[int, int], ...] = ()
    """Of a conversation: the first character of each answer, and the one after its last."""


def list_files(data: DataConfig) -> tuple[SourceFile, ...]:
    """Return the files of a recipe, sorted by path and without repetition.

    A path may be a file, a folder (searched below it for `TEXT_SUFFIXES`, also compressed; hidden entries are left out
    and links to folders are not followed) or a pattern with ``*``, ``?``, ``[...]`` and ``**`` that matches files. URLs
    are the same of a store; on a server of the web they are files.

    Raises:
        DataError: a path matches nothing, or what it names is not a readable file of a known format.
    """
    if not data.paths:
        return _listed(_stdlib_files())
    found: set[Path] = set()
    stored: dict[str, SourceFile] = {}
    for written in data.paths:
        if is_url(written):
            stored.update((one.url, SourceFile(*one)) for one in matching(written, TEXT_SUFFIXES))
        else:
            found.update(_resolve(written))
    for url in stored:
        format_of(url)
    return (*_listed(found), *(stored[url] for url in sorted(stored)))


@dataclass
class Place:
    """Where in a list of files the next document begins; reading moves it, and can begin wherever it was."""

    file: int = 0
    """Number of the file in its list; as many as there are once all were read."""
    offset_bytes: int = 0
    line: int = 0
    """The two of `Cursor`."""


def documents(
    files: Sequence[SourceFile],
    text_field: str,
    max_bytes: int | None = None,
    bad: BadRows | None = None,
    at: Place | None = None,
) -> Iterator[Document]:
    """Yield the documents of the files.

    Args:
        files: what `list_files` returned.
        text_field: the field or column that holds the text.
        max_bytes: stop after so many bytes of text; the last document is shortened to fit.
        bad: takes the rows that cannot be used; the first one is an error by default.
        at: where to begin, and where reading is: at each document, behind it.

    Raises:
        DataError: a file cannot be read or breaks its format.
        MissingDependencyError: the package that reads a format is not installed.
    """
    left_bytes = max_bytes

    def read(file: SourceFile, cursor: Cursor) -> Iterator[str]:
        return read_documents(location_of(file.path), text_field, bad, cursor)

    for whole in each_file(files, at or Place(), read):
        text, content = whole, whole.encode("utf-8")
        if left_bytes is not None:
            text, content = _shortened(text, content, left_bytes)
            left_bytes -= len(content)
            if not text:
                return
        yield Document(text, len(content), blake2b(content, digest_size=16).digest())


def each_file(
    files: Sequence[SourceFile], at: Place, read: Callable[[SourceFile, Cursor], Iterator[Item]]
) -> Iterator[Item]:
    """Yield what is read from each file in turn, and keep the place.

    Args:
        files: all of them.
        at: where to begin, and where reading is.
        read: yields what a file holds from a cursor on, and moves it.
    """
    while at.file < len(files):
        cursor = Cursor(at.offset_bytes, at.line)
        for item in read(files[at.file], cursor):
            at.offset_bytes, at.line = cursor.offset_bytes, cursor.line
            yield item
        at.file, at.offset_bytes, at.line = at.file + 1, 0, 0


def _shortened(text: str, content: bytes, limit_bytes: int) -> tuple[str, bytes]:
    if len(content) <= limit_bytes:
        return text, content
    text = content[:limit_bytes].decode("utf-8", errors="ignore")
    return text, text.encode("utf-8")


def _stdlib_files() -> Iterator[Path]:
    folder = Path(sysconfig.get_paths()["stdlib"])
    for path in _walk(folder, STDLIB_EXCLUDED_FOLDERS):
        if path.suffix == ".py":
            yield path


def _walk(folder: Path, excluded: frozenset[str] = frozenset()) -> Iterator[Path]:
    def refuse(error: OSError) -> None:
        raise DataError("data-unreadable", path=str(error.filename), reason=error.strerror or str(error)) from error

    for parent, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if name not in excluded and not name.startswith("."))
        for name in names:
            if not name.startswith("."):
                yield Path(parent, name)


def _resolve(written: str) -> list[Path]:
    try:
        return _matches(written, Path(written).expanduser())
    except OSError as error:
        # A name that is too long for any path, or a folder that may not be searched.
        raise DataError("data-unreadable", path=written, reason=error.strerror or str(error)) from error


def _matches(written: str, path: Path) -> list[Path]:
    if path.is_dir():
        found = [file for file in _walk(path) if _is_known_text(file)]
        if not found:
            raise DataError("data-folder-without-text", path=written)
        return found
    if os.path.lexists(path):
        return [path]
    if not glob.has_magic(str(path)):
        raise DataError("data-path-missing", path=written)
    matches = map(Path, glob.iglob(str(path), recursive=True))  # noqa: PTH207  Path.glob takes no absolute pattern
    found = [match for match in matches if not match.is_dir()]
    if not found:
        raise DataError("data-pattern-matches-nothing", path=written)
    return found


def _is_known_text(path: Path) -> bool:
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in (".gz", ".zst"):
        suffixes.pop()
    return bool(suffixes) and suffixes[-1] in TEXT_SUFFIXES


def _listed(paths: Iterator[Path] | set[Path]) -> tuple[SourceFile, ...]:
    # Two spellings of one path (relative and absolute, say) are one file.
    unique = {Path(os.path.abspath(path)) for path in paths}  # noqa: PTH100  resolve() would follow links
    return tuple(_examined(path) for path in sorted(unique))


def _examined(path: Path) -> SourceFile:
    try:
        status = path.stat()
    except OSError as error:
        raise DataError("data-unreadable", path=str(path), reason=error.strerror or str(error)) from error
    if not stat.S_ISREG(status.st_mode):
        # Opening a FIFO would wait for a writer for ever.
        kind = _FILE_KINDS.get(stat.S_IFMT(status.st_mode), "device")
        raise DataError("data-not-a-file", path=str(path), kind=kind)
    format_of(path)
    return SourceFile(str(path), status.st_size, status.st_mtime_ns)
