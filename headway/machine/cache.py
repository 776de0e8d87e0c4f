"""The cache of measurements: one JSON file per kind of machine, written whole or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import stat
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import msgspec

from headway.machine.inventory import Inventory
from headway.machine.measurements import Measurements

PROBE_VERSION = 6
"""Raised whenever a measurement's meaning or method changes, so that older figures are not mixed with newer."""


def cache_folder(environment: Mapping[str, str] | None = None) -> Path | None:
    """Return Headway's cache folder: ``$HEADWAY_CACHE``, ``$XDG_CACHE_HOME/headway`` or ``~/.cache/headway``.

    Args:
        environment: the environment variables; the process's own by default.

    Returns:
        The folder, which need not exist; None where there is no home either.

    Source: XDG Base Directory Specification 0.8.
    """
    environment = os.environ if environment is None else environment
    if environment.get("HEADWAY_CACHE"):
        return with_home(environment["HEADWAY_CACHE"])
    base = environment.get("XDG_CACHE_HOME", "")
    # The XDG Base Directory Specification tells to ignore relative paths.
    if Path(base).is_absolute():
        return Path(base) / "headway"
    try:
        return Path.home() / ".cache" / "headway"
    except RuntimeError:
        return None


def spare_folder() -> Path | None:
    """Return a folder of this user's own below the system's temporary one, for where the cache cannot be written.

    Returns:
        The folder, which is there; None where it cannot be made or belongs to somebody else.
    """
    folder = Path(tempfile.gettempdir()) / f"headway-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.lstat()
    except OSError:
        return None
    # Whoever else could write there could make plans say anything.
    is_ours = stat.S_ISDIR(status.st_mode) and status.st_uid == os.getuid() and not status.st_mode & 0o022
    return folder if is_ours else None


def with_home(path: str) -> Path:
    """Return a path with ``~`` replaced by the home; as it is where there is no such home."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        return Path(path)


def machine_digest(inventory: Inventory) -> str:
    """Return 16 hexadecimal digits over everything but the disk that would change the figures."""
    processor = inventory.processor
    facts = (
        PROBE_VERSION,
        processor.model_name,
        processor.instruction_sets,
        processor.num_logical_cores,
        processor.usable_cores,
        inventory.memory.total_bytes,
        inventory.memory.cgroup_limit_bytes,
        inventory.software.kernel,
        inventory.software.compiler,
        inventory.software.frameworks.get("torch"),
        inventory.software.frameworks.get("numpy"),
    )
    return _digits(facts, 16)


def disk_digest(inventory: Inventory) -> str:
    """Return 8 hexadecimal digits over the file system: another folder on the same one has the same speed."""
    return _digits((inventory.disk.mount_point, inventory.disk.filesystem), 8)


def _digits(facts: Sequence[object], count: int) -> str:
    return hashlib.sha256(msgspec.json.encode(facts)).hexdigest()[:count]


def cache_file(folder: Path, inventory: Inventory) -> Path:
    """Return the file that holds the measurements of such a machine with such a disk."""
    return folder / f"machine-{machine_digest(inventory)}-{disk_digest(inventory)}.json"


def files_of_other_disks(folder: Path, inventory: Inventory) -> list[Path]:
    """Return the files that hold the measurements of such a machine with another disk, newest first."""
    own = cache_file(folder, inventory)
    found = [file for file in folder.glob(f"machine-{machine_digest(inventory)}-*.json") if file != own]
    return sorted(found, key=_written_at, reverse=True)


def _written_at(file: Path) -> float:
    try:
        return file.stat().st_mtime
    except OSError:
        return 0.0


def load(path: Path) -> Measurements | None:
    """Return the measurements that a file holds, or None where it is absent, damaged or of another shape."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Measurements)
    except (OSError, msgspec.MsgspecError):
        return None


def store(path: Path, measurements: Measurements) -> bool:
    """Write measurements so that a reader sees the old file or the whole new one.

    Returns:
        Whether it was written; a cache that cannot be written is no reason to fail.
    """
    temporary: str | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(prefix=path.name, suffix=".tmp", dir=path.parent)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(measurements))
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except OSError:
        if temporary is not None:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
        return False
    return True
