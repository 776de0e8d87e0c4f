"""One process's work on a checkpoint that many write together."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from headway.errors import CheckpointError
from headway.resilience.checkpoint.division import PARTS_TIMEOUT_SECONDS, Part, wait_for_parts, write_part
from headway.resilience.checkpoint.snapshot import Snapshot
from headway.resilience.checkpoint.store import CheckpointStore, index_of

FOLDER_TIMEOUT_SECONDS = 60.0
"""Until all see a folder that the first process has made: a network file system may remember that it was not there."""

_SMALL_FILES_BYTES = 2**20
_POLL_SECONDS = 0.01


@dataclass(frozen=True, kw_only=True)
class DividedWrite:
    """One process's work on it.

    Attributes:
        store: takes the checkpoint.
        part: of this process.
        snapshot: state and small files, without arrays.
        rank: of this process.
        size: how many there are.
    """

    store: CheckpointStore
    part: Part
    snapshot: Snapshot
    rank: int
    size: int

    def begin(self) -> bool:
        """Make the folder, in the first process; return False where the checkpoint is there already.

        Raises:
            CheckpointError: see `CheckpointStore.save`.
        """
        return self.store.begin(self.snapshot.step, self._needed_bytes()) is not None

    def run(self) -> Path | None:
        """Write this process's part; the first one then waits for the others, and gives the checkpoint its name.

        Returns:
            The checkpoint's folder in the first process, None in the others.

        Raises:
            CheckpointError: see `CheckpointStore.save`; or another process has not written its part.
        """
        temporary = self._folder()
        if self.rank:
            with self.store.taking(None, self._needed_bytes()):
                write_part(temporary, self.part, self.rank)
            return None
        with self.store.taking(temporary, self._needed_bytes()):
            write_part(temporary, self.part, self.rank)
            listed = wait_for_parts(temporary, range(self.size), PARTS_TIMEOUT_SECONDS)
            division = self.part.division
            places = {name: file.name for file in division.files() if file.kind == "model" for name in file.arrays}
            index = index_of(places, division.kind_bytes("model"))
            return self.store.finish(temporary, self.snapshot, listed, index)

    def _folder(self) -> Path:
        deadline = time.monotonic() + FOLDER_TIMEOUT_SECONDS
        while (found := self.store.begun(self.snapshot.step)) is None:
            if time.monotonic() > deadline:
                raise CheckpointError(
                    "checkpoint-unwritable", folder=str(self.store.folder), reason="rank 0 has it, others do not"
                )
            time.sleep(_POLL_SECONDS)
        return found

    def _needed_bytes(self) -> int:
        return self.part.division.size_bytes + sum(map(len, self.snapshot.files.values())) + _SMALL_FILES_BYTES
