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
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.damage import (
    FORMAT_VERSION,
    MANIFEST,
    READING_ERRORS,
    STATE,
    DamagedCheckpoint,
    find_damage,
    is_of,
    read_manifest,
    reason_of,
)
from headway.resilience.checkpoint.division import Listed, grouped
from headway.resilience.checkpoint.finite import FiniteArrays, first_not_finite
from headway.resilience.checkpoint.retention import Retention
from headway.resilience.checkpoint.snapshot import Arrays, Snapshot, SomeArrays, described
from headway.resilience.checkpoint.tensor_file import read_tensor_file, sha256_of, write_tensor_file
from headway.runs import json_values
from headway.runs.durable import flush_folder, is_disk_full

_STEP_FOLDER = re.compile(r"step-([0-9]{8,18})")
_TEMPORARY_PREFIX = ".writing-"
_INDEX = "model.safetensors.index.json"
_SPACE_MARGIN_BYTES = 2**20

Objection = Callable[[Snapshot], str | None]
"""Says what is odd about a snapshot whose files are as they were written; None where nothing is."""


class CheckpointStore:
    """Writes, verifies, lists and loads the checkpoints below one folder.

    Args:
        folder: where the ``step-...`` folders lie; created on the first save.
        keep_last: how many good checkpoints stay.
        keep_every_seconds: at least this long lies between those that stay for good; None keeps none for good.
    """

    def __init__(self, folder: Path, keep_last: int = 2, keep_every_seconds: float | None = None) -> None:
        self.folder = folder
        self.retention = Retention(keep_last=keep_last, every_seconds=keep_every_seconds)
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
        """Write a checkpoint, then drop those that need not stay.

        Returns:
            The checkpoint's folder.

        Raises:
            CheckpointError: the disk is full, the folder cannot be written, a number is not finite, or a later version
                of Headway has written this step; checkpoints already there are untouched.
        """
        target = self.path_of(snapshot.step)
        temporary = self.begin(snapshot.step, _needed_bytes(snapshot))
        if temporary is None:
            return target
        with self.taking(temporary, _needed_bytes(snapshot)):
            listed = _write_arrays(temporary, snapshot)
            self.finish(temporary, snapshot, listed, _index_of(snapshot))
        return target

    def begin(self, step: int, needed_bytes: int) -> Path | None:
        """Make the folder in which a checkpoint is written.

        Args:
            step: that it will hold.
            needed_bytes: that it will take.

        Returns:
            None where a good checkpoint of this step is there.

        Raises:
            CheckpointError: see `save`.
        """
        target = self.path_of(step)
        if target.exists():
            there = _load(target, parameters_only=False, state_only=True)
            if isinstance(there, Snapshot):
                # A resumed run reaches the same step with the same state; rewriting would only risk what is safe.
                return None
            if there.is_newer:
                raise CheckpointError(there.message_id, **there.arguments)
        temporary = self.folder / f"{_TEMPORARY_PREFIX}{target.name}-{os.getpid()}"
        with self.taking(None, needed_bytes):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._remove_leftovers()
            self._require_space(needed_bytes)
            temporary.mkdir()
        return temporary

    def begun(self, step: int) -> Path | None:
        """Return the folder in which another process has begun to write a checkpoint; None where there is none."""
        return next(self.folder.glob(f"{_TEMPORARY_PREFIX}{self.path_of(step).name}-*"), None)

    def finish(self, temporary: Path, snapshot: Snapshot, listed: Listed, index: Mapping[str, Any]) -> Path:
        """Give a checkpoint whose arrays are written its small files, its manifest and its name; drop old ones.

        Args:
            temporary: the folder.
            snapshot: its state and small files.
            listed: size and SHA-256 of the files of arrays.
            index: of the weights, as Hugging Face has it.

        Raises:
            OSError: as the file system reports it.
        """
        target = self.path_of(snapshot.step)
        _write_small_files(temporary, snapshot, listed, index)
        self._put_aside(target)
        temporary.rename(target)
        flush_folder(self.folder)
        self._drop_old(snapshot.step)
        return target

    @contextmanager
    def taking(self, temporary: Path | None, needed_bytes: int) -> Iterator[None]:
        """Tell errors of the disk as those of a checkpoint, and remove the folder where it was not finished.

        Args:
            temporary: the folder; None leaves it.
            needed_bytes: of the checkpoint.
        """
        try:
            yield
        except OSError as error:
            raise _storage_error(error, self.folder, needed_bytes) from error
        finally:
            if temporary is not None:
                shutil.rmtree(temporary, ignore_errors=True)

    def load(self, step: int, parameters_only: bool = False, objection: Objection = lambda _snapshot: None) -> Snapshot:
        """Load and verify one checkpoint.

        Args:
            step: which.
            parameters_only: leave the optimizer's state unread and unverified; `Snapshot.optimizer` is empty then.
            objection: what else to ask of it.

        Raises:
            CheckpointError: it is damaged or missing.
        """
        found = _load_unopposed(self.path_of(step), parameters_only, objection)
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
                found = _load_unopposed(self.path_of(step), parameters_only, objection)
                if isinstance(found, Snapshot):
                    return found, damaged
                if found.is_newer:
                    raise CheckpointError(found.message_id, **found.arguments)
                damaged.append(found)
            seen.update(unseen)
        if damaged:
            raise CheckpointError("checkpoint-all-damaged", folder=str(self.folder), count=len(damaged))
        return None, damaged

    def _drop_old(self, saved_step: int) -> None:
        paths = {step: self.path_of(step) for step in self.steps()}
        for step in self.retention.dropped(paths, saved_step, self.protected):
            # What cannot be removed now stays, and the next save tries again; the training must not end for it.
            with suppress(OSError):
                self._put_aside(paths[step])
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

    def _require_space(self, needed_bytes: int) -> None:
        free_bytes = shutil.disk_usage(self.folder).free
        if needed_bytes > free_bytes:
            raise CheckpointError(
                "checkpoint-disk-full", folder=str(self.folder), needed_bytes=needed_bytes, free_bytes=free_bytes
            )


def _write_arrays(folder: Path, snapshot: Snapshot) -> Listed:
    listed: Listed = {}
    for kind, arrays in (("model", snapshot.parameters), ("optimizer", snapshot.optimizer)):
        shards = _shards(arrays)
        for number, shard in enumerate(shards, start=1):
            name = f"{kind}-{number:05d}-of-{len(shards):05d}.safetensors"
            size_bytes, sha256 = write_tensor_file(folder / name, FiniteArrays(shard))
            listed[name] = {"bytes": size_bytes, "sha256": sha256}
    return listed


def _index_of(snapshot: Snapshot) -> dict[str, Any]:
    arrays = snapshot.parameters
    shards = _shards(arrays)
    names = [f"model-{number:05d}-of-{len(shards):05d}.safetensors" for number in range(1, len(shards) + 1)]
    places = {name: file for file, shard in zip(names, shards, strict=True) for name in shard}
    return index_of(places, sum(described(arrays, name).nbytes for name in arrays))


def index_of(places: Mapping[str, str], size_bytes: int) -> dict[str, Any]:
    """Return the index of weights that lie in several files, as Hugging Face has it."""
    return {"metadata": {"total_size": size_bytes}, "weight_map": dict(places)}


def _write_small_files(folder: Path, snapshot: Snapshot, listed: Listed, index: Mapping[str, Any]) -> None:
    listed = dict(listed)
    small = {**snapshot.files, _INDEX: _json_bytes(index), STATE: _json_bytes(dict(snapshot.state))}
    for name, content in small.items():
        _write_small(folder / name, content)
        listed[name] = {"bytes": len(content), "sha256": sha256_of(folder / name)}
    _write_small(folder / MANIFEST, _json_bytes({"format_version": FORMAT_VERSION, "files": listed}))
    flush_folder(folder)


def _needed_bytes(snapshot: Snapshot) -> int:
    return snapshot.size_bytes + sum(map(len, snapshot.files.values())) + _SPACE_MARGIN_BYTES


def _load_unopposed(path: Path, parameters_only: bool, objection: Objection) -> Snapshot | DamagedCheckpoint:
    found = _load(path, parameters_only)
    reason = objection(found) if isinstance(found, Snapshot) else None
    return found if reason is None else _odd_state(path, reason)


def _odd_state(path: Path, reason: str) -> DamagedCheckpoint:
    return DamagedCheckpoint(
        path=path, message_id="checkpoint-state-odd", arguments={"path": str(path), "file": STATE, "reason": reason}
    )


def _load(path: Path, parameters_only: bool, state_only: bool = False) -> Snapshot | DamagedCheckpoint:
    """Verify all files, then read them; only the state where that is all that is asked for."""
    damage = find_damage(path, parameters_only=parameters_only)
    if damage is not None:
        return damage
    try:
        state = json_values.decode(json.loads((path / STATE).read_bytes()))
        if not isinstance(state, dict):
            return _odd_state(path, type(state).__name__)
        if type(state.get("step")) is not int or not path.name.endswith(f"-{state['step']:08d}"):
            return _odd_state(path, f"step {state.get('step')}")
        if state_only:
            return Snapshot(parameters={}, optimizer={}, state=state)
        found = _read_files(path, parameters_only, state)
        name = first_not_finite(found.parameters) or first_not_finite(found.optimizer)
        if name is not None:
            arguments = {"path": str(path), "name": name}
            return DamagedCheckpoint(path=path, message_id="checkpoint-holds-nan", arguments=arguments)
        return found
    except READING_ERRORS as error:
        # It verified a moment ago: the training dropped it since, or the disk fails.
        name = getattr(error, "filename", None)
        file = path.name if name is None else Path(name).name
        arguments = {"path": str(path), "file": file, "reason": reason_of(error)}
        return DamagedCheckpoint(path=path, message_id="checkpoint-file-unreadable", arguments=arguments)


def _read_files(path: Path, parameters_only: bool, state: dict[str, Any]) -> Snapshot:
    # Only files of the manifest: what else lies in the folder was not verified.
    names = sorted(read_manifest(path)[1])

    def read(kind: str) -> dict[str, NDArray[Any]]:
        merged: dict[str, NDArray[Any]] = {}
        for name in names:
            if is_of(kind, name):
                merged.update(read_tensor_file(path / name))
        return merged

    return Snapshot(
        parameters=read("model"),
        optimizer={} if parameters_only else read("optimizer"),
        state=state,
    )


def _shards(arrays: Arrays) -> list[SomeArrays]:
    names = list(arrays)
    groups = grouped(names, [described(arrays, name).nbytes for name in names]) or [[]]
    return [SomeArrays(arrays, group) for group in groups]


def _write_small(path: Path, content: bytes) -> None:
    with path.open("xb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _json_bytes(content: Any) -> bytes:
    return (json.dumps(json_values.encode(content), indent=1, sort_keys=True, allow_nan=False) + "\n").encode()


def _storage_error(error: OSError, folder: Path, needed_bytes: int) -> CheckpointError:
    if is_disk_full(error):
        return CheckpointError(
            "checkpoint-disk-full",
            folder=str(folder),
            needed_bytes=needed_bytes,
            free_bytes=_free_bytes(folder),
        )
    return CheckpointError("checkpoint-unwritable", folder=str(folder), reason=reason_of(error))


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
