"""Where the shards of a corpus lie: in a folder, or behind a URL with a copy on this machine.

A copy is made of each file when it is first needed, under a temporary name, and takes its name when its digest is that
of the manifest. The folder of copies is named by the manifest's own digest, so that another corpus has another one.
"""

from __future__ import annotations

import fcntl
import hashlib
from pathlib import Path
from typing import Protocol, final
from uuid import uuid4

from headway.errors import DataError
from headway.recipe.paths import is_url
from headway.training.data.cache import cache_error
from headway.training.data.locations import fetch
from headway.training.data.shards import MANIFEST_NAME, FileRecord, Manifest, find_damage, read_manifest

_COPIES = "copies"


class Store(Protocol):
    """The files of a corpus."""

    folder: Path
    """On this machine; of a remote corpus, that of the copies."""

    def path(self, name: str) -> Path:
        """Return where a file lies on this machine."""


@final
class Folder:
    """A folder of this machine's disks."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return the file."""
        return self.folder / name


@final
class Remote:
    """Files behind a URL.

    Args:
        url: of the folder.
        cache: the folder of all prepared data.

    Raises:
        DataError: there is no corpus, it is damaged, or the store cannot be reached.
        MissingDependencyError: the store's driver is not installed.
    """

    def __init__(self, url: str, cache: Path) -> None:
        self._url = url.rstrip("/")
        try:
            (cache / _COPIES).mkdir(parents=True, exist_ok=True)
            temporary = cache / _COPIES / f".{uuid4().hex}"
            try:
                digest = fetch(f"{self._url}/{MANIFEST_NAME}", temporary)
                self.folder = cache / _COPIES / digest[:32]
                self.folder.mkdir(exist_ok=True)
                temporary.rename(self.folder / MANIFEST_NAME)
            finally:
                temporary.unlink(missing_ok=True)
        except OSError as error:
            raise cache_error(error, cache, needed_bytes=1) from error
        manifest = read_manifest(self.folder)
        if manifest is None:
            raise DataError("data-prepared-damaged", path=self._url, file=MANIFEST_NAME)
        self.manifest: Manifest = manifest
        self._trusted: set[str] = set()

    def path(self, name: str) -> Path:
        """Return the copy of a file, which is made where it is missing or damaged.

        Raises:
            DataError: ``data-url-unreachable``; ``data-prepared-damaged``, where what comes is not what was written;
                ``data-disk-full``.
        """
        place, record = self.folder / name, self.manifest.files[name]
        if name in self._trusted:
            return place
        try:
            # Processes of one machine share the copies; one of them fetches.
            with (self.folder / f".{name}.lock").open("wb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX)
                if not _is_sound(place, record):
                    self._fetch(name, place, record)
        except OSError as error:
            raise cache_error(error, self.folder, record.size_bytes) from error
        self._trusted.add(name)
        return place

    def _fetch(self, name: str, place: Path, record: FileRecord) -> None:
        temporary = self.folder / f".{name}.{uuid4().hex[:8]}"
        try:
            if fetch(f"{self._url}/{name}", temporary) != record.sha256:
                raise DataError("data-prepared-damaged", path=self._url, file=name)
            temporary.rename(place)
        finally:
            temporary.unlink(missing_ok=True)


def opened_store(location: str, cache: Path) -> tuple[Store, Manifest]:
    """Open a corpus that was prepared before, in a folder or behind a URL.

    Raises:
        DataError: ``data-prepared-missing``, ``data-prepared-damaged``; of a URL, see `Remote`.
        MissingDependencyError: the store's driver is not installed.
    """
    if is_url(location):
        remote = Remote(location, cache)
        return remote, remote.manifest
    folder = Path(location)
    if not (folder / MANIFEST_NAME).is_file():
        raise DataError("data-prepared-missing", path=location)
    manifest = read_manifest(folder)
    damaged = MANIFEST_NAME if manifest is None else find_damage(folder, manifest)
    if manifest is None or damaged is not None:
        raise DataError("data-prepared-damaged", path=location, file=str(damaged))
    return Folder(folder), manifest


def _is_sound(place: Path, record: FileRecord) -> bool:
    try:
        with place.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == record.sha256
    except FileNotFoundError:
        return False
