"""Checkpoints in a second place: another folder, or an object store; the first place may be lost as a whole.

A copy is made in the background after each save, and verified. What fails is told, and never ends the run.
Only what the run's own log says was copied is ever loaded or removed: another run may have had the same name.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from headway.errors import CheckpointError, HeadwayError
from headway.recipe import Recipe
from headway.recipe.paths import is_url
from headway.resilience.checkpoint import CheckpointStore, DamagedCheckpoint, Snapshot
from headway.resilience.checkpoint.damage import MANIFEST, find_damage, read_manifest
from headway.resilience.checkpoint.store import Objection
from headway.runs import EventLog, RunFolder
from headway.training.data.locations import reaching, store_of

COPIED = "checkpoint-copied"
"""The event of a copy that was verified."""

COPY_SECONDS = 3600.0
"""For the copies that are still to be made when a training has come to its end."""

_BLOCK_BYTES = 2**22


class Vault(ABC):
    """Where copies lie."""

    @abstractmethod
    def put(self, checkpoint: Path) -> None:
        """Copy a checkpoint's folder, and verify the copy.

        Raises:
            OSError: as the file system reports it.
            HeadwayError: the store cannot be reached, or the copy is not what was copied.
        """

    @abstractmethod
    def remove(self, name: str) -> None:
        """Remove a copy, as far as it is there; errors as for `put`."""

    @abstractmethod
    def store(self, name: str) -> Any:
        """Return a context with a store on this machine that has the copy; errors as for `put`."""


@final
class FolderVault(Vault):
    """A folder of another disk.

    Args:
        folder: in which copies lie.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, checkpoint: Path) -> None:
        """Copy a checkpoint; see `Vault.put`."""
        temporary = self._folder / f".copying-{checkpoint.name}"
        shutil.rmtree(temporary, ignore_errors=True)
        try:
            shutil.copytree(checkpoint, temporary)
            _require_whole(find_damage(temporary))
            self.remove(checkpoint.name)
            temporary.rename(self._folder / checkpoint.name)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)

    def remove(self, name: str) -> None:
        """Remove a copy; see `Vault.remove`."""
        if (self._folder / name).exists():
            doomed = self._folder / f".removing-{name}"
            shutil.rmtree(doomed, ignore_errors=True)
            (self._folder / name).rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)

    @contextmanager
    def store(self, name: str) -> Iterator[CheckpointStore]:
        """Return the folder's own store; see `Vault.store`."""
        yield CheckpointStore(self._folder)


@final
class RemoteVault(Vault):
    """A folder behind a URL; a copy counts once it has its manifest, which comes last.

    Args:
        url: of the folder.
    """

    def __init__(self, url: str) -> None:
        self._url = url
        self._system, self._path = store_of(url)

    def put(self, checkpoint: Path) -> None:
        """Copy a checkpoint; see `Vault.put`. What was sent is read back, since stores tell digests of many kinds."""
        listed = read_manifest(checkpoint)[1]
        with reaching(self._url):
            target = f"{self._path}/{checkpoint.name}"
            self._system.makedirs(target, exist_ok=True)
            for name, (_, sha256) in listed.items():
                self._system.put_file(str(checkpoint / name), f"{target}/{name}")
                if self._digest(f"{target}/{name}") != sha256:
                    raise CheckpointError("checkpoint-file-checksum", path=f"{self._url}/{checkpoint.name}", file=name)
            self._system.put_file(str(checkpoint / MANIFEST), f"{target}/{MANIFEST}")

    def remove(self, name: str) -> None:
        """Remove a copy, its manifest first; see `Vault.remove`."""
        with reaching(self._url):
            target = f"{self._path}/{name}"
            for path in (f"{target}/{MANIFEST}", target):
                if self._system.exists(path):
                    self._system.rm(path, recursive=True)

    @contextmanager
    def store(self, name: str) -> Iterator[CheckpointStore]:
        """Fetch a copy; see `Vault.store`."""
        with tempfile.TemporaryDirectory(prefix="headway-copy-") as folder:
            with reaching(self._url):
                (Path(folder) / name).mkdir()
                for path in self._system.ls(f"{self._path}/{name}", detail=False):
                    self._system.get_file(path, str(Path(folder) / name / Path(path).name))
            yield CheckpointStore(Path(folder))

    def _digest(self, path: str) -> str:
        digest = hashlib.sha256()
        with self._system.open(path, "rb") as stream:
            while content := stream.read(_BLOCK_BYTES):
                digest.update(content)
        return digest.hexdigest()


def vault_of(recipe: Recipe, run: RunFolder) -> Vault | None:
    """Return where copies of a run's checkpoints lie; None where the recipe asks for none.

    Raises:
        HeadwayError: there is no such kind of store, or its driver is not installed.
    """
    location = recipe.resilience.second_copy
    if location is None:
        return None
    place = f"{location.rstrip('/')}/{run.name}"
    return RemoteVault(place) if is_url(location) else FolderVault(Path(place))


def copied_steps(run: RunFolder) -> list[int]:
    """Return the steps that the run's log says were copied, oldest first; some may have been dropped since."""
    steps = {event.get("step") for event in run.events() if event.get("event") == COPIED}
    return sorted(step for step in steps if type(step) is int)


def load_newest(
    run: RunFolder, recipe: Recipe, objection: Objection
) -> tuple[Snapshot | None, list[DamagedCheckpoint], bool]:
    """Load the newest checkpoint that verifies: from the run's folder, else from the second place.

    Returns:
        As `CheckpointStore.load_newest`; and whether the snapshot is of the second place.

    Raises:
        CheckpointError: see `CheckpointStore.load_newest`; there is no good copy either.
    """
    failure: CheckpointError | None = None
    try:
        snapshot, damaged = CheckpointStore(run.checkpoints_folder).load_newest(objection=objection)
        if snapshot is not None:
            return snapshot, damaged, False
    except CheckpointError as error:
        if error.message_id != "checkpoint-all-damaged":
            raise
        failure = error
    found = _newest_copy(run, recipe, objection)
    if found is None and failure is not None:
        raise failure
    return found, [], found is not None


def _newest_copy(run: RunFolder, recipe: Recipe, objection: Objection) -> Snapshot | None:
    steps = copied_steps(run)
    vault = vault_of(recipe, run) if steps else None
    if vault is None:
        return None
    for step in reversed(steps):
        try:
            with vault.store(CheckpointStore(run.checkpoints_folder).path_of(step).name) as store:
                snapshot: Snapshot = store.load(step, objection=objection)
                return snapshot
        except (HeadwayError, OSError):
            # It was dropped, is damaged, or cannot be reached; an older one may be good.
            continue
    return None


@final
class SecondCopy:
    """Copies checkpoints in a thread, one at a time; where one is under way, only the newest waits.

    Args:
        recipe: the resolved recipe.
        run: the run.
        events: the run's event log.
    """

    def __init__(self, recipe: Recipe, run: RunFolder, events: EventLog) -> None:
        self._events, self._keep = events, recipe.resilience.second_copy_keep_last
        self._location = recipe.resilience.second_copy
        self._vault = vault_of(recipe, run)
        self._steps = copied_steps(run) if self._vault is not None else []
        self._lock = threading.Lock()
        self._is_late = False
        self._thread: threading.Thread | None = None
        self._busy: tuple[int, Path] | None = None
        self._waiting: tuple[int, Path] | None = None

    @property
    def steps(self) -> frozenset[int]:
        """Steps that must not be dropped, since they are being copied or are about to be."""
        with self._lock:
            return frozenset(one[0] for one in (self._busy, self._waiting) if one is not None)

    def offer(self, step: int, path: Path) -> None:
        """Copy a checkpoint as soon as no other is copied."""
        if self._vault is None:
            return
        with self._lock:
            self._waiting = (step, path)
            if self._busy is None:
                self._busy, self._waiting = self._waiting, None
                self._thread = threading.Thread(target=self._work, name="checkpoint-copier", daemon=True)
                self._thread.start()

    def close(self, limit_seconds: float = COPY_SECONDS) -> None:
        """Return when what was offered last is copied, or has failed, or the time is over; then it is told.

        Args:
            limit_seconds: for the copies that are still to be made.
        """
        if self._thread is not None:
            self._thread.join(limit_seconds)
            if self._thread.is_alive():
                self._tell("timeout")
                self._is_late = True

    def _work(self) -> None:
        with self._lock:
            copied = self._busy
        while copied is not None:
            self._copy(*copied)
            # Under the lock: who offers the next one must not see a thread that is about to end.
            with self._lock:
                copied = self._busy = self._waiting
                self._waiting = None

    def _copy(self, step: int, path: Path) -> None:
        assert self._vault is not None, "nothing is offered without one"
        try:
            self._vault.put(path)
            self._events.record(COPIED, step=step)
            self._steps = [*(one for one in self._steps if one != step), step]
            while len(self._steps) > self._keep:
                self._vault.remove(CheckpointStore(path.parent).path_of(self._steps[0]).name)
                self._steps = self._steps[1:]
        except HeadwayError as error:
            self._tell(error.message_id)
        except Exception as error:  # each driver has errors of its own, and none of them may end the run
            self._tell(str(error).splitlines()[0] if str(error) else type(error).__name__)

    def _tell(self, reason: str) -> None:
        if self._is_late:
            # Nobody listens any more, and the process is about to end.
            return
        arguments = {"location": str(self._location), "reason": reason}
        self._events.record("notice", id="checkpoint-copy-failed", arguments=arguments)


def _require_whole(damage: DamagedCheckpoint | None) -> None:
    if damage is not None:
        raise CheckpointError(damage.message_id, **damage.arguments)
