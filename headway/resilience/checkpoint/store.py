"""The folder of a run's checkpoints.

A checkpoint is written under a temporary name, flushed, and renamed; its ``manifest.json``, written last, names the
size and SHA-256 of every file. A folder without a complete manifest does not count, so there is no pointer file that
could be wrong: the newest folder that verifies is the one to resume from.
"""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, Snapshot
from headway.resilience.checkpoint.tensor_file import read_tensor_file, sha256_of, write_tensor_file

FORMAT_VERSION = 1
MAX_SHARD_BYTES = 5 * 10**9
"""Arrays beyond this go to a further file, as Hugging Face does; one larger array has a file of its own."""

_STEP_FOLDER = re.compile(r"step-(\d{8,})")
_TEMPORARY_PREFIX = ".writing-"
_MANIFEST = "manifest.json"
_STATE = "state.json"
_INDEX = "model.safetensors.index.json"
_SPACE_MARGIN_BYTES = 2**20


@dataclass(frozen=True, kw_only=True)
class DamagedCheckpoint:
    """A checkpoint that cannot be trusted, and why (a message id with arguments)."""

    path: Path
    message_id: str
    arguments: dict[str, Any]


class CheckpointStore:
    """Writes, verifies, lists and loads the checkpoints below one folder.

    Args:
        folder: where the ``step-...`` folders lie; created on the first save.
        keep_last: how many good checkpoints stay.
    """

    def __init__(self, folder: Path, keep_last: int = 2) -> None:
        self.folder = folder
        self.keep_last = keep_last

    def steps(self) -> list[int]:
        """Return the steps of all complete-looking checkpoints, oldest first; nothing is verified."""
        if not self.folder.is_dir():
            return []
        matches = (_STEP_FOLDER.fullmatch(entry.name) for entry in self.folder.iterdir())
        return sorted(int(match[1]) for match in matches if match)

    def path_of(self, step: int) -> Path:
        """Return the folder of a step's checkpoint."""
        return self.folder / f"step-{step:08d}"

    def save(self, snapshot: Snapshot) -> Path:
        """Write a checkpoint, then drop those beyond ``keep_last``.

        Returns:
            The checkpoint's folder.

        Raises:
            CheckpointError: the disk is full or the folder cannot be written; checkpoints already there are untouched.
        """
        target = self.path_of(snapshot.step)
        if target.exists() and find_damage(target) is None:
            # A resumed run reaches the same step with the same state; rewriting would only risk what is safe.
            return target
        temporary = self.folder / f"{_TEMPORARY_PREFIX}{target.name}-{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._remove_leftovers()
            self._require_space(snapshot)
            temporary.mkdir()
            _write_files(temporary, snapshot)
            if target.exists():
                shutil.rmtree(target)
            temporary.rename(target)
            _flush_folder(self.folder)
        except OSError as error:
            shutil.rmtree(temporary, ignore_errors=True)
            raise _storage_error(error, self.folder, snapshot) from error
        self._drop_old()
        return target

    def load(self, step: int) -> Snapshot:
        """Load and verify one checkpoint.

        Raises:
            CheckpointError: it is damaged or missing.
        """
        path = self.path_of(step)
        damage = find_damage(path)
        if damage is not None:
            raise CheckpointError(damage.message_id, **damage.arguments)
        return _read_files(path)

    def load_newest(self) -> tuple[Snapshot | None, list[DamagedCheckpoint]]:
        """Load the newest checkpoint that verifies.

        Returns:
            The snapshot, or None where there is no checkpoint at all; and the newer ones that were passed over.

        Raises:
            CheckpointError: there are checkpoints, and all of them are damaged.
        """
        damaged: list[DamagedCheckpoint] = []
        for step in reversed(self.steps()):
            damage = find_damage(self.path_of(step))
            if damage is None:
                return _read_files(self.path_of(step)), damaged
            damaged.append(damage)
        if damaged:
            raise CheckpointError("checkpoint-all-damaged", folder=str(self.folder), count=len(damaged))
        return None, damaged

    def _drop_old(self) -> None:
        """Remove what retention does not keep; only checkpoints that verify count as kept."""
        good = 0
        for step in reversed(self.steps()):
            path = self.path_of(step)
            if good >= self.keep_last:
                # Renamed first: a half-removed folder must not look like a checkpoint.
                doomed = path.with_name(f"{_TEMPORARY_PREFIX}dropped-{path.name}")
                shutil.rmtree(doomed, ignore_errors=True)
                path.rename(doomed)
                shutil.rmtree(doomed, ignore_errors=True)
            elif find_damage(path, checksums=False) is None:
                good += 1

    def _remove_leftovers(self) -> None:
        for entry in self.folder.glob(f"{_TEMPORARY_PREFIX}*"):
            shutil.rmtree(entry, ignore_errors=True)

    def _require_space(self, snapshot: Snapshot) -> None:
        needed_bytes = snapshot.size_bytes + _SPACE_MARGIN_BYTES
        free_bytes = shutil.disk_usage(self.folder).free
        if needed_bytes > free_bytes:
            raise CheckpointError(
                "checkpoint-disk-full", folder=str(self.folder), needed_bytes=needed_bytes, free_bytes=free_bytes
            )


def find_damage(path: Path, checksums: bool = True) -> DamagedCheckpoint | None:
    """Verify a checkpoint's folder against its manifest.

    Args:
        path: the ``step-...`` folder.
        checksums: False compares sizes only.

    Returns:
        None where everything is as it was written, else the first thing that is not.
    """

    def damage(message_id: str, **arguments: Any) -> DamagedCheckpoint:
        return DamagedCheckpoint(path=path, message_id=message_id, arguments={"path": str(path), **arguments})

    try:
        manifest = json.loads((path / _MANIFEST).read_bytes())
        listed = {str(name): (int(entry["bytes"]), str(entry["sha256"])) for name, entry in manifest["files"].items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        return damage("checkpoint-no-manifest", reason=str(error) or type(error).__name__)
    if manifest.get("format_version") != FORMAT_VERSION:
        return damage("checkpoint-version", found=str(manifest.get("format_version")), known=FORMAT_VERSION)
    for name, (size_bytes, sha256) in listed.items():
        file = path / name
        if not file.is_file():
            return damage("checkpoint-file-missing", file=name)
        if file.stat().st_size != size_bytes:
            return damage(
                "checkpoint-file-size", file=name, expected_bytes=size_bytes, found_bytes=file.stat().st_size
            )
        if checksums and sha256_of(file) != sha256:
            return damage("checkpoint-file-checksum", file=name)
    return None


def _write_files(folder: Path, snapshot: Snapshot) -> None:
    listed: dict[str, dict[str, Any]] = {}
    weight_map: dict[str, str] = {}
    for kind, arrays in (("model", snapshot.parameters), ("optimizer", snapshot.optimizer)):
        shards = list(_shards(arrays))
        for number, shard in enumerate(shards, start=1):
            name = f"{kind}-{number:05d}-of-{len(shards):05d}.safetensors"
            size_bytes, sha256 = write_tensor_file(folder / name, shard)
            listed[name] = {"bytes": size_bytes, "sha256": sha256}
            if kind == "model":
                weight_map.update(dict.fromkeys(shard, name))
    total_bytes = sum(array.nbytes for array in snapshot.parameters.values())
    index = {"metadata": {"total_size": total_bytes}, "weight_map": weight_map}
    small = {**snapshot.files, _INDEX: _json_bytes(index), _STATE: _json_bytes(dict(snapshot.state))}
    for name, content in small.items():
        _write_small(folder / name, content)
        listed[name] = {"bytes": len(content), "sha256": sha256_of(folder / name)}
    _write_small(folder / _MANIFEST, _json_bytes({"format_version": FORMAT_VERSION, "files": listed}))
    _flush_folder(folder)


def _read_files(path: Path) -> Snapshot:
    def read(kind: str) -> dict[str, NDArray[Any]]:
        merged: dict[str, NDArray[Any]] = {}
        for file in sorted(path.glob(f"{kind}-*.safetensors")):
            merged.update(read_tensor_file(file))
        return merged

    return Snapshot(
        parameters=read("model"),
        optimizer=read("optimizer"),
        state=json.loads((path / _STATE).read_bytes()),
    )


def _shards(arrays: Arrays) -> Iterator[dict[str, NDArray[Any]]]:
    shard: dict[str, NDArray[Any]] = {}
    shard_bytes = 0
    for name, array in arrays.items():
        size_bytes = np.asarray(array).nbytes
        if shard and shard_bytes + size_bytes > MAX_SHARD_BYTES:
            yield shard
            shard, shard_bytes = {}, 0
        shard[name] = array
        shard_bytes += size_bytes
    yield shard


def _write_small(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(content, indent=1, sort_keys=True) + "\n").encode()


def _flush_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _storage_error(error: OSError, folder: Path, snapshot: Snapshot) -> CheckpointError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return CheckpointError(
            "checkpoint-disk-full",
            folder=str(folder),
            needed_bytes=snapshot.size_bytes,
            free_bytes=shutil.disk_usage(folder).free,
        )
    return CheckpointError("checkpoint-unwritable", folder=str(folder), reason=error.strerror or str(error))
