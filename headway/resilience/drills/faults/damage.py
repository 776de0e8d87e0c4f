"""Files on the disk that are no longer what was written."""

from __future__ import annotations

import shutil
import time
from pathlib import Path
from typing import final

from headway.resilience.drills.fault import Fault, Grounds
from headway.resilience.drills.result import Reason
from headway.resilience.drills.stage import Stage, kill

WRITING_SECONDS = 60.0
"""For a checkpoint that is being written beside the steps to get its name."""


class _DamagedCheckpoint(Fault):
    """The newest checkpoint is damaged while nothing runs; the one before it must do."""

    signs = frozenset({"checkpoint-damaged"})
    is_mended_by_hand = True

    def inject(self, stage: Stage) -> None:
        """Kill everything, as soon as there are two checkpoints."""
        deadline = time.monotonic() + WRITING_SECONDS
        while len(stage.store.steps()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        for pid in (stage.supervisor, *stage.workers()):
            kill(pid)

    def mend(self, stage: Stage) -> None:
        """Damage the largest file of the newest checkpoint, and keep its size and times as they were."""
        steps = stage.store.steps()
        if steps:
            files = stage.store.path_of(steps[-1]).glob("model-*.safetensors")
            self.damage(max(files, key=lambda file: file.stat().st_size))

    def damage(self, file: Path) -> None:
        """Damage a file."""
        raise NotImplementedError


@final
class CheckpointBit(_DamagedCheckpoint):
    """One bit flips on the disk."""

    name = "checkpoint-bit"

    def damage(self, file: Path) -> None:
        """Flip a bit of the last number."""
        with file.open("r+b") as opened:
            opened.seek(-1, 2)
            (last,) = opened.read(1)
            opened.seek(-1, 2)
            opened.write(bytes([last ^ 1]))


@final
class CheckpointCut(_DamagedCheckpoint):
    """The end of a file is missing, as on a disk that did not write what it said it had."""

    name = "checkpoint-cut"

    def damage(self, file: Path) -> None:
        """Cut it in half."""
        with file.open("r+b") as opened:
            opened.truncate(file.stat().st_size // 2)


@final
class UnreadableData(Fault):
    """A file of tokens cannot be read when a killed worker starts again."""

    name = "unreadable-data"

    def __init__(self) -> None:
        self._cache: Path | None = None

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say so where the tokens are the user's own: they are not to be touched."""
        data = grounds.recipe.data
        if data.prepared or any(source.prepared for source in data.sources):
            return Reason(message_id="drill-obstacle-own-data")
        self._cache = None if data.cache is None else Path(data.cache)
        return super().obstacle(grounds)

    def inject(self, stage: Stage) -> None:
        """Put a folder in the place of the largest file of the drill's own cache, and kill a worker."""
        assert self._cache is not None
        files = (file for file in self._cache.rglob("*") if file.is_file())
        largest = max(files, key=lambda file: file.stat().st_size)
        self._moved = largest.with_name(f".moved-{largest.name}")
        self._largest = largest
        largest.rename(self._moved)
        largest.mkdir()
        kill(stage.workers()[-1])

    def close(self, stage: Stage) -> None:
        """Put the file back, for the drills that follow."""
        if self._cache is None or not hasattr(self, "_moved") or not self._moved.exists():
            return
        if self._largest.is_dir():
            shutil.rmtree(self._largest)
        self._moved.replace(self._largest)
