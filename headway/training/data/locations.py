"""Files on this machine's disks, and files behind URLs: object storage and servers, through fsspec.

A location is a `Path`, or a URL as text (``s3://bucket/name``). fsspec is imported where there is a URL, and not
before; credentials are what its drivers find by themselves: the environment, files of the user, roles of the machine.
"""

from __future__ import annotations

import hashlib
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO, NamedTuple, cast

from headway.errors import DataError, MissingDependencyError
from headway.recipe.paths import is_url
from headway.runs.durable import is_disk_full

Location = Path | str
"""A path, or a URL as text."""

INSTALL_COMMANDS = {
    "s3": "pip install s3fs",
    "s3a": "pip install s3fs",
    "gs": "pip install gcsfs",
    "gcs": "pip install gcsfs",
    "abfs": "pip install adlfs",
    "abfss": "pip install adlfs",
    "az": "pip install adlfs",
    "http": "pip install aiohttp",
    "https": "pip install aiohttp",
    "hf": "pip install huggingface_hub",
    "oci": "pip install ocifs",
    "sftp": "pip install paramiko",
    "ssh": "pip install paramiko",
}
"""The driver of each store, for those who lack it. Source: fsspec, ``registry.known_implementations``."""

_BLOCK_BYTES = 2**20


class Stored(NamedTuple):
    """A file behind a URL."""

    url: str
    size_bytes: int
    version: int
    """A number of what the store says of its content: another one where the content may be another."""


def location_of(path: str) -> Location:
    """Return a path as it is written as a location."""
    return path if is_url(path) else Path(path)


def name_of(location: Location) -> PurePosixPath:
    """Return the path of a location, whose suffixes say what it is."""
    return PurePosixPath(location.partition("://")[2].partition("?")[0] if isinstance(location, str) else location)


@contextmanager
def opened_bytes(location: Location) -> Iterator[BinaryIO]:
    """Open a file for reading, wherever it is.

    Raises:
        OSError: of a path, as the system reports it.
        DataError: ``data-url-unreachable``, ``data-url-protocol``.
        MissingDependencyError: the store's driver is not installed.
    """
    if isinstance(location, Path):
        with location.open("rb") as file:
            yield file
        return
    if is_web(location):
        # Many servers give a file from its beginning only, and some formats are read from their end.
        with tempfile.TemporaryDirectory(prefix="headway-") as folder:
            copy = Path(folder) / "copy"
            fetch(location, copy)
            with copy.open("rb") as file:
                yield file
        return
    with _reaching(location):
        system, path = store_of(location)
        stream = system.open(path, "rb", block_size=_BLOCK_BYTES * 4)
    with stream:
        yield cast(BinaryIO, _Reported(stream, location))


class _Reported:
    """A stream whose errors name the URL: drivers raise whatever their libraries do."""

    def __init__(self, stream: Any, url: str) -> None:
        self._stream = stream
        self._url = url

    def read(self, size: int = -1) -> bytes:
        with _reaching(self._url):
            return bytes(self._stream.read(size))

    def readline(self, size: int = -1) -> bytes:
        with _reaching(self._url):
            return bytes(self._stream.readline(size))

    def readinto(self, target: memoryview) -> int:
        content = self.read(len(target))
        target[: len(content)] = content
        return len(content)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def matching(url: str, suffixes: frozenset[str]) -> list[Stored]:
    """Return the files that a URL means: itself, what a pattern matches, or what lies below a folder; sorted.

    Args:
        url: of a file, a folder, or a pattern with ``*``, ``?`` and ``[...]``; servers have files only.
        suffixes: of files that are taken from a folder.

    Raises:
        DataError: there is nothing, or the store cannot be reached.
        MissingDependencyError: the store's driver is not installed.
    """
    with _reaching(url):
        system, path = store_of(url)
        if not is_web(url) and any(mark in path for mark in "*?["):
            found = [one for one in system.glob(path) if system.isfile(one)]
            missing = "data-pattern-matches-nothing"
        elif not is_web(url) and system.isdir(path):
            found = [one for one in system.find(path) if _has_suffix(one, suffixes)]
            missing = "data-folder-without-text"
        else:
            # One file has one name, however it is found.
            return [_stored(system, path, url if is_web(url) else system.unstrip_protocol(path))]
        if not found:
            raise DataError(missing, path=url)
        return [_stored(system, one, system.unstrip_protocol(one)) for one in sorted(found)]


def is_web(url: str) -> bool:
    """Say whether a URL is of a server of the web, which has files only."""
    return url.lower().startswith(("http://", "https://"))


def fetch(url: str, target: Path) -> str:
    """Copy a file behind a URL to a path; return the SHA-256 of what came.

    Raises:
        OSError: the file cannot be written.
        DataError: ``data-url-unreachable``.
        MissingDependencyError: the store's driver is not installed.
    """
    # What the disk refuses is no fault of the store.
    target.touch()
    with _reaching(url):
        system, path = store_of(url)
        system.get_file(path, str(target))
    return digest_of(target)


def digest_of(location: Location) -> str:
    """Return the SHA-256 of a file's bytes as they lie there."""
    with opened_bytes(location) as stream:
        digest = hashlib.sha256()
        while content := stream.read(_BLOCK_BYTES):
            digest.update(content)
    return digest.hexdigest()


def store_of(url: str) -> tuple[Any, str]:
    """Return fsspec's file system of a URL, and the path in it.

    Raises:
        DataError: ``data-url-protocol``.
        MissingDependencyError: fsspec, or the store's driver, is not installed.
    """
    scheme = url.partition("://")[0].lower()
    try:
        import fsspec
    except ImportError as error:
        raise MissingDependencyError("data-package-missing", package="fsspec", command="pip install fsspec") from error
    try:
        system, path = fsspec.core.url_to_fs(url)
    except ImportError as error:
        command = INSTALL_COMMANDS.get(scheme)
        if command is None:
            raise MissingDependencyError("data-driver-unknown", scheme=scheme, reason=str(error)) from error
        raise MissingDependencyError("data-driver-missing", scheme=scheme, command=command) from error
    except ValueError as error:
        if "protocol" not in str(error).lower():
            raise
        raise DataError("data-url-protocol", path=url, scheme=scheme, known=", ".join(INSTALL_COMMANDS)) from error
    return system, str(path)


@contextmanager
def _reaching(url: str) -> Iterator[None]:
    try:
        yield
    except (DataError, MissingDependencyError):
        raise
    except OSError as error:
        if is_disk_full(error):
            raise
        raise _unreachable(url, error) from error
    except Exception as error:  # each driver has errors of its own
        raise _unreachable(url, error) from error


def _unreachable(url: str, error: Exception) -> DataError:
    reason = str(error).splitlines()[0] if str(error) else type(error).__name__
    return DataError("data-url-unreachable", path=url, reason=reason)


def reaching(url: str) -> Any:
    """Return a context in which the errors of a store's driver become ``data-url-unreachable``."""
    return _reaching(url)


def _stored(system: Any, path: str, url: str) -> Stored:
    known = system.info(path)
    if known.get("type") == "directory":
        raise DataError("data-not-a-file", path=url, kind="folder")
    size = known.get("size")
    # What else is known differs between stores; what changes with the content is what matters.
    told = [
        str(known.get(name))
        for name in ("ETag", "etag", "md5Hash", "LastModified", "mtime", "created", "Last-Modified")
    ]
    version = int.from_bytes(hashlib.blake2b(repr([size, *told]).encode(), digest_size=7).digest(), "big")
    return Stored(url, int(size or 0), version)


def _has_suffix(path: str, suffixes: frozenset[str]) -> bool:
    found = [suffix.lower() for suffix in PurePosixPath(path).suffixes]
    if found and found[-1] in (".gz", ".zst"):
        found.pop()
    hidden = any(part.startswith(".") for part in PurePosixPath(path).parts)
    return not hidden and bool(found) and found[-1] in suffixes
