"""Taking away checkpoints of a branch that a run has left."""

from __future__ import annotations

import shutil
from collections.abc import Iterable

from headway.resilience.checkpoint.store import CheckpointStore


def drop(store: CheckpointStore, steps: Iterable[int]) -> None:
    """Remove the checkpoints of some steps: the run comes to these steps again, with other weights.

    Each loses its name first, so that none is ever seen half removed; what is left then is swept by the next save.

    Raises:
        OSError: as the file system reports it.
    """
    for step in steps:
        path = store.path_of(step)
        doomed = path.with_name(f".writing-dropped-{path.name}")
        shutil.rmtree(doomed, ignore_errors=True)
        path.rename(doomed)
        shutil.rmtree(doomed, ignore_errors=True)
