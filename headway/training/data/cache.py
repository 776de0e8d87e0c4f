"""Where prepared data lies, and how a folder of it comes to be there whole or not at all.

A folder is written under another name and renamed when it is complete. One process at a time prepares a given corpus:
it holds a lock, which the system releases when the process ends, however it ends. So whoever holds the lock may go on
with what an earlier holder left behind, or remove it.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

from headway.errors import DataError
from headway.machine import cache as machine_cache
from headway.runs.durable import flush_folder, is_disk_full

ABANDONED_SECONDS = 7 * 86_400.0
"""What nobody has gone on with for so long is removed."""

_BUILDING, _REPLACED, _LOCK = "building", "replaced", "lock"


def cache_folder(configured: str | None, environment: Mapping[str, str] | None = None) -> Path:
    """Return the folder of all prepared data.

    It is the folder ``data`` below the recipe's ``data.cache``, or else below Headway's cache folder, and for a user
    without a home below a folder of their own among the temporary ones.

    Args:
        configured: ``data.cache`` of the recipe; ``~`` is the user's home.
        environment: the environment variables; the process's own by default.

    Source: `headway.machine.cache.cache_folder` for the rules of the environment.
    """
    base = machine_cache.cache_folder(environment) if configured is None else machine_cache.with_home(configured)
    if base is None:
        # The same folder each time, so that what was prepared is found again; a user's own, so that nobody is in it.
        base = Path(tempfile.gettempdir()) / f"headway-{os.getuid()}"
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
    """Give a folder to fill, and put it in its place when the block ends without an error.

    The folder holds what an earlier process left that was killed or interrupted; after an error, nothing is left. The
    caller holds the lock of `exclusive`.

    Args:
        cache: the folder of all prepared data.
        key: of the corpus.
        needed_bytes: called when the disk is full, for the size that the corpus would have had.

    Raises:
        DataError: ``data-disk-full`` or ``data-cache-unusable``; nothing of the folder is left then.
    """
    folder = cache / f".{key}.{_BUILDING}"
    try:
        folder.mkdir(exist_ok=True)
        yield folder
        flush_folder(folder)
        _publish(folder, cache / key, cache / f".{key}.{_REPLACED}")
        flush_folder(cache)
    except OSError as error:
        shutil.rmtree(folder, ignore_errors=True)
        raise cache_error(error, cache, needed_bytes()) from error
    except Exception:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def cache_error(error: OSError, cache: Path, needed_bytes: int) -> DataError:
    """Return the error to raise where writing to the cache failed."""
    if is_disk_full(error):
        free_bytes = shutil.disk_usage(cache if cache.is_dir() else "/").free
        return DataError("data-disk-full", path=str(cache), needed_bytes=needed_bytes, free_bytes=free_bytes)
    return DataError("data-cache-unusable", path=str(cache), reason=error.strerror or str(error))


def _publish(folder: Path, place: Path, replaced: Path) -> None:
    if place.exists():
        # Only a damaged folder is ever replaced. Whoever has it mapped keeps it until they let go.
        place.rename(replaced)
    folder.rename(place)
    shutil.rmtree(replaced, ignore_errors=True)


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
            if suffix == _BUILDING and (key == held_key or not _is_abandoned(folder)):
                continue
            if key == held_key:
                shutil.rmtree(folder, ignore_errors=True)
                continue
            with _lock_path(cache, key).open("wb") as lock:
                if _try_lock(lock.fileno()):
                    shutil.rmtree(folder, ignore_errors=True)


def _is_abandoned(folder: Path) -> bool:
    try:
        newest = max((entry.stat().st_mtime for entry in (folder, *folder.iterdir())), default=0.0)
    except OSError:
        # Somebody removes it at this moment.
        return False
    return time.time() - newest > ABANDONED_SECONDS
