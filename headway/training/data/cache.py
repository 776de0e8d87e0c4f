"""Where prepared data lies, and how a folder of it comes to be there whole or not at all.

A folder is written under another name and renamed when it is complete. One process at a time prepares a given corpus:
it holds a lock, which the system releases when the process ends, however it ends. So whoever holds the lock may remove
what an earlier holder left behind.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from headway.errors import DataError

_BUILDING, _REPLACED, _LOCK = "building", "replaced", "lock"
_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def cache_folder(configured: str | None, environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of all prepared data.

    It is the folder ``data`` below the recipe's ``data.cache``, or else ``$HEADWAY_CACHE``, ``$XDG_CACHE_HOME/headway``
    or ``~/.cache/headway``.

    Args:
        configured: ``data.cache`` of the recipe.
        environment: the environment variables; the process's own by default.
    """
    environment = os.environ if environment is None else environment
    if configured is not None:
        base = Path(configured).expanduser()
    elif environment.get("HEADWAY_CACHE"):
        base = Path(environment["HEADWAY_CACHE"]).expanduser()
    elif environment.get("XDG_CACHE_HOME"):
        base = Path(environment["XDG_CACHE_HOME"]) / "headway"
    else:
        base = Path("~/.cache/headway").expanduser()
    return base / "data"


def cache_key(parts: Mapping[str, object]) -> str:
    """Return the name of the folder that holds what these parts determine: 32 hexadecimal digits."""
    content = json.dumps(parts, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(content.encode("utf-8")).hexdigest()[:32]


@contextmanager
def exclusive(cache: Path, key: str, on_wait: Callable[[], None]) -> Iterator[None]:
    """Be the only process that prepares ``key``, and clear away what dead processes left.

    Args:
        cache: made if it is absent.
        key: of the corpus.
        on_wait: called once if another process is at work on the same corpus.

    Raises:
        DataError: ``data-cache-unusable`` where the cache cannot be written, ``data-disk-full``.
    """
    with ExitStack() as stack:
        try:
            cache.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context(_lock_path(cache, key).open("wb"))
            if not _try_lock(lock.fileno()):
                on_wait()
                fcntl.flock(lock, fcntl.LOCK_EX)
            _remove_leftovers(cache, key)
        except OSError as error:
            raise cache_error(error, cache, needed_bytes=1) from error
        yield


@contextmanager
def building(cache: Path, key: str, needed_bytes: Callable[[], int]) -> Iterator[Path]:
    """Give an empty folder to fill, and put it in its place when the block ends without an error.

    The caller holds the lock of `exclusive`.

    Args:
        cache: the folder of all prepared data.
        key: of the corpus.
        needed_bytes: called when the disk is full, for the size that the corpus would have had.

    Raises:
        DataError: ``data-disk-full`` or ``data-cache-unusable``; nothing of the folder is left then.
    """
    folder = cache / f".{key}.{_BUILDING}"
    try:
        folder.mkdir()
        yield folder
        _flush_folder(folder)
        _publish(folder, cache / key, cache / f".{key}.{_REPLACED}")
        _flush_folder(cache)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise cache_error(error, cache, needed_bytes()) from error
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def cache_error(error: OSError, cache: Path, needed_bytes: int) -> DataError:
    """Return the error to raise where writing to the cache failed."""
    if error.errno in _FULL:
        free_bytes = shutil.disk_usage(cache if cache.is_dir() else "/").free
        return DataError("data-disk-full", path=str(cache), needed_bytes=needed_bytes, free_bytes=free_bytes)
    return DataError("data-cache-unusable", path=str(cache), reason=error.strerror or str(error))


def _publish(folder: Path, place: Path, replaced: Path) -> None:
    if place.exists():
        # Only a damaged folder is ever replaced. Whoever has it mapped keeps it until they let go.
        place.rename(replaced)
    folder.rename(place)
    shutil.rmtree(replaced, ignore_errors=True)


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock_path(cache: Path, key: str) -> Path:
    return cache / f".{key}.{_LOCK}"


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _remove_leftovers(cache: Path, held_key: str) -> None:
    for suffix in (_BUILDING, _REPLACED):
        for folder in sorted(cache.glob(f".*.{suffix}")):
            key = folder.name.split(".")[1]
            if key == held_key:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            with _lock_path(cache, key).open("wb") as lock:
                if _try_lock(lock.fileno()):
                    shutil.rmtree(folder, ignore_errors=True)
