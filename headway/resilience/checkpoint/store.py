"""The folder of a run's checkpoints.

A checkpoint is written under a temporary name, flushed, and renamed; its ``manifest.json``, written last, names the
size and SHA-256 of every file. A folder without a complete manifest does not count, so there is no pointer file that
could be wrong: the newest folder that verifies is the one to resume from.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, Snapshot, SomeArrays, described
from headway.resilience.checkpoint.tensor_file import read_tensor_file, sha256_of, write_tensor_file
from headway.runs import json_values
from headway.runs.durable import flush_folder, is_disk_full

FORMAT_VERSION = 1
MAX_SHARD_BYTES = 5 * 10**9
"""Arrays beyond this go to a further file, as Hugging Face does; one larger array has a file of its own."""

_STEP_FOLDER = re.compile(r"step-([0-9]{8,18})")
_TEMPORARY_PREFIX = ".writing-"
_MANIFEST = "manifest.json"
_STATE = "state.json"
_INDEX = "model.safetensors.index.json"
_SPACE_MARGIN_BYTES = 2**20
_NEWER = "checkpoint-version"
_MANIFEST_ERRORS = (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError, RecursionError)
"""What reading a manifest of arbitrary content may raise."""


@dataclass(frozen=True, kw_only=True)
class DamagedCheckpoint:
    """A checkpoint that cannot be trusted, and why (a message id with arguments)."""

    path: Path
    message_id: str
    arguments: dict[str, Any]

    @property
    def is_newer(self) -> bool:
        """Say whether it is not damaged but of a later version of Headway, which no earlier one may touch."""
        return self.message_id == _NEWER


Objection = Callable[[Snapshot], str | None]
"""Says what is odd about a snapshot whose files are as they were written; None where nothing is."""


class CheckpointStore:
    """Writes, verifies, lists and loads the checkpoints below one folder.

    Args:
        folder: where the ``step-...`` folders lie; created on the first save.
        keep_last: how many good checkpoints stay.
    """

    def __init__(self, folder: Path, keep_last: int = 2) -> None:
        self.folder = folder
        self.keep_last = keep_last
        self.protected: frozenset[int] = frozenset()
        """Steps whose checkpoints stay, beside those."""

    def steps(self) -> list[int]:
        """Return the steps of all complete-looking checkpoints, oldest first; nothing is verified."""
        if not self.folder.is_dir():
            return []
        matches = (_STEP_FOLDER.fullmatch(entry.name) for entry in self.folder.iterdir())
        # Another spelling of a step, such as one zero too many, is not the folder that the step would be read from.
        return sorted(int(match[1]) for match in matches if match and self.path_of(int(match[1])).name == match[0])

    def path_of(self, step: int) -> Path:
        """Return the folder of a step's checkpoint."""
        return self.folder / f"step-{step:08d}"

    def save(self, snapshot: Snapshot) -> Path:
        """Write a checkpoint, then drop those beyond ``keep_last``.

        Returns:
            The checkpoint's folder.

        Raises:
            CheckpointError: the disk is full, the folder cannot be written, or a later version of Headway has written
                this step; checkpoints already there are untouched.
        """
        target = self.path_of(snapshot.step)
        if target.exists():
            there = _load(target, parameters_only=False, state_only=True)
            if isinstance(there, Snapshot):
                # A resumed run reaches the same step with the same state; rewriting would only risk what is safe.
                return target
            if there.is_newer:
                raise CheckpointError(there.message_id, **there.arguments)
        temporary = self.folder / f"{_TEMPORARY_PREFIX}{target.name}-{os.getpid()}"
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            self._remove_leftovers()
            self._require_space(snapshot)
            temporary.mkdir()
            _write_files(temporary, snapshot)
            self._put_aside(target)
            temporary.rename(target)
            flush_folder(self.folder)
        except OSError as error:
            raise _storage_error(error, self.folder, snapshot) from error
        finally:
            shutil.rmtree(temporary, ignore_errors=True)
        self._drop_old(snapshot.step)
        return target

    def load(self, step: int, parameters_only: bool = False) -> Snapshot:
        """Load and verify one checkpoint.

        Args:
            step: which.
            parameters_only: leave the optimizer's state unread and unverified; `Snapshot.optimizer` is empty then.

        Raises:
            CheckpointError: it is damaged or missing.
        """
        found = _load(self.path_of(step), parameters_only)
        if isinstance(found, DamagedCheckpoint):
            raise CheckpointError(found.message_id, **found.arguments)
        return found

    def load_newest(
        self, parameters_only: bool = False, objection: Objection = lambda _snapshot: None
    ) -> tuple[Snapshot | None, list[DamagedCheckpoint]]:
        """Load the newest checkpoint that verifies.

        A training may save and drop checkpoints at the same time.

        Args:
            parameters_only: leave the optimizer's state unread and unverified; `Snapshot.optimizer` is empty then.
            objection: what else to ask of a snapshot; one that it objects to is passed over.

        Returns:
            The snapshot, or None where there is no checkpoint at all; and the newer ones that were passed over.

        Raises:
            CheckpointError: there are checkpoints, and all of them are damaged; or the newest that is not damaged is
                of a later version of Headway: to go on from an earlier one would throw its steps away.
        """
        damaged: list[DamagedCheckpoint] = []
        seen: set[int] = set()
        # All that were listed may have been dropped meanwhile, in favour of newer ones.
        while unseen := [step for step in reversed(self.steps()) if step not in seen]:
            for step in unseen:
                found = _load(self.path_of(step), parameters_only)
                if isinstance(found, Snapshot):
                    reason = objection(found)
                    if reason is None:
                        return found, damaged
                    found = _odd_state(self.path_of(step), reason)
                if found.is_newer:
                    raise CheckpointError(found.message_id, **found.arguments)
                damaged.append(found)
            seen.update(unseen)
        if damaged:
            raise CheckpointError("checkpoint-all-damaged", folder=str(self.folder), count=len(damaged))
        return None, damaged

    def _drop_old(self, saved_step: int) -> None:
        """Remove what retention does not keep. Only good checkpoints count as kept, the one just saved first of all.

        A step beyond the one just saved is there because the run had to go back behind it, most likely since it is
        damaged: it counts only where its checksums say so. Older ones are judged by their sizes, since reading them
        all at each save would cost as much as the save.
        """
        good = 1
        others = [step for step in reversed(self.steps()) if step != saved_step]
        for step in others:
            path = self.path_of(step)
            if step in self.protected or _is_newer(path):
                continue
            if good >= self.keep_last:
                # What cannot be removed now stays, and the next save tries again; the training must not end for it.
                with suppress(OSError):
                    self._put_aside(path)
            elif find_damage(path, checksums=step > saved_step) is None:
                good += 1
        self._remove_leftovers()

    def _put_aside(self, path: Path) -> None:
        """Take a checkpoint's name away in one step: a half-removed folder must not look like a checkpoint."""
        if path.exists() or path.is_symlink():
            doomed = path.with_name(f"{_TEMPORARY_PREFIX}dropped-{path.name}")
            _remove(doomed)
            path.rename(doomed)
            _remove(doomed)

    def _remove_leftovers(self) -> None:
        for entry in self.folder.glob(f"{_TEMPORARY_PREFIX}*"):
            _remove(entry)

    def _require_space(self, snapshot: Snapshot) -> None:
        needed_bytes = snapshot.size_bytes + sum(map(len, snapshot.files.values())) + _SPACE_MARGIN_BYTES
        free_bytes = shutil.disk_usage(self.folder).free
        if needed_bytes > free_bytes:
            raise CheckpointError(
                "checkpoint-disk-full", folder=str(self.folder), needed_bytes=needed_bytes, free_bytes=free_bytes
            )


def find_damage(path: Path, checksums: bool = True, parameters_only: bool = False) -> DamagedCheckpoint | None:
    """Verify a checkpoint's folder against its manifest.

    Args:
        path: the ``step-...`` folder.
        checksums: False compares sizes only.
        parameters_only: pass over the optimizer's files.

    Returns:
        None where everything is as it was written, else the first thing that is not.
    """

    def damage(message_id: str, **arguments: Any) -> DamagedCheckpoint:
        return DamagedCheckpoint(path=path, message_id=message_id, arguments={"path": str(path), **arguments})

    try:
        version, listed = _read_manifest(path)
    except _MANIFEST_ERRORS as error:
        return damage("checkpoint-no-manifest", reason=_reason(error))
    if type(version) is int and version > FORMAT_VERSION:
        return damage(_NEWER, found=version, known=FORMAT_VERSION)
    if version != FORMAT_VERSION:
        return damage("checkpoint-no-manifest", reason=f"format_version {version}")
    if _STATE not in listed:
        return damage("checkpoint-no-manifest", reason=_STATE)
    for name, (size_bytes, sha256) in listed.items():
        if parameters_only and _is_of("optimizer", name):
            continue
        file = path / name
        try:
            if not file.is_file():
                return damage("checkpoint-file-missing", file=name)
            found_bytes = file.stat().st_size
            if found_bytes != size_bytes:
                return damage("checkpoint-file-size", file=name, expected_bytes=size_bytes, found_bytes=found_bytes)
            if checksums and sha256_of(file) != sha256:
                return damage("checkpoint-file-checksum", file=name)
        except OSError as error:
            # A failing disk reports what it cannot read.
            return damage("checkpoint-file-unreadable", file=name, reason=_reason(error))
    return None


def _read_manifest(path: Path) -> tuple[Any, dict[str, tuple[int, str]]]:
    """Return the format's version, and size and SHA-256 of every file by name."""
    manifest = json.loads((path / _MANIFEST).read_bytes())
    listed = {str(name): (int(entry["bytes"]), str(entry["sha256"])) for name, entry in manifest["files"].items()}
    return manifest.get("format_version"), listed


def _reason(error: BaseException) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__


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
    total_bytes = sum(described(snapshot.parameters, name).nbytes for name in snapshot.parameters)
    index = {"metadata": {"total_size": total_bytes}, "weight_map": weight_map}
    small = {**snapshot.files, _INDEX: _json_bytes(index), _STATE: _json_bytes(dict(snapshot.state))}
    for name, content in small.items():
        _write_small(folder / name, content)
        listed[name] = {"bytes": len(content), "sha256": sha256_of(folder / name)}
    _write_small(folder / _MANIFEST, _json_bytes({"format_version": FORMAT_VERSION, "files": listed}))
    flush_folder(folder)


def _is_newer(path: Path) -> bool:
    try:
        version = _read_manifest(path)[0]
    except _MANIFEST_ERRORS:
        return False
    return type(version) is int and version > FORMAT_VERSION


def _odd_state(path: Path, reason: str) -> DamagedCheckpoint:
    return DamagedCheckpoint(
        path=path, message_id="checkpoint-state-odd", arguments={"path": str(path), "file": _STATE, "reason": reason}
    )


def _load(path: Path, parameters_only: bool, state_only: bool = False) -> Snapshot | DamagedCheckpoint:
    """Verify all files, then read them; only the state where that is all that is asked for."""
    damage = find_damage(path, parameters_only=parameters_only)
    if damage is not None:
        return damage
    try:
        state = json_values.decode(json.loads((path / _STATE).read_bytes()))
        if not isinstance(state, dict):
            return _odd_state(path, type(state).__name__)
        if type(state.get("step")) is not int or not path.name.endswith(f"-{state['step']:08d}"):
            return _odd_state(path, f"step {state.get('step')}")
        if state_only:
            return Snapshot(parameters={}, optimizer={}, state=state)
        return _read_files(path, parameters_only, state)
    except _MANIFEST_ERRORS as error:
        # It verified a moment ago: the training dropped it since, or the disk fails.
        name = getattr(error, "filename", None)
        file = path.name if name is None else Path(name).name
        arguments = {"path": str(path), "file": file, "reason": _reason(error)}
        return DamagedCheckpoint(path=path, message_id="checkpoint-file-unreadable", arguments=arguments)


def _is_of(kind: str, name: str) -> bool:
    return name.startswith(f"{kind}-") and name.endswith(".safetensors")


def _read_files(path: Path, parameters_only: bool, state: dict[str, Any]) -> Snapshot:
    # Only files of the manifest: what else lies in the folder was not verified.
    names = sorted(_read_manifest(path)[1])

    def read(kind: str) -> dict[str, NDArray[Any]]:
        merged: dict[str, NDArray[Any]] = {}
        for name in names:
            if _is_of(kind, name):
                merged.update(read_tensor_file(path / name))
        return merged

    return Snapshot(
        parameters=read("model"),
        optimizer={} if parameters_only else read("optimizer"),
        state=state,
    )


def _shards(arrays: Arrays) -> Iterator[SomeArrays]:
    shard: list[str] = []
    shard_bytes = 0
    for name in arrays:
        size_bytes = described(arrays, name).nbytes
        if shard and shard_bytes + size_bytes > MAX_SHARD_BYTES:
            yield SomeArrays(arrays, shard)
            shard, shard_bytes = [], 0
        shard.append(name)
        shard_bytes += size_bytes
    yield SomeArrays(arrays, shard)


def _write_small(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(json_values.encode(content), indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def _storage_error(error: OSError, folder: Path, snapshot: Snapshot) -> CheckpointError:
    if is_disk_full(error):
        return CheckpointError(
            "checkpoint-disk-full",
            folder=str(folder),
            needed_bytes=snapshot.size_bytes,
            free_bytes=_free_bytes(folder),
        )
    return CheckpointError("checkpoint-unwritable", folder=str(folder), reason=_reason(error))


def _free_bytes(folder: Path) -> int:
    """Return the free space where a folder is, or would be."""
    existing = next(parent for parent in (folder, *folder.absolute().parents) if parent.exists())
    return shutil.disk_usage(existing).free


def _remove(path: Path) -> None:
    """Remove a folder, a file or a link, as far as the system lets us."""
    with suppress(OSError):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
