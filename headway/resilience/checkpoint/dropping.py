"""Taking away checkpoints of a branch that a run has left."""

from __future__ import annotations

import shutil

from headway.resilience.checkpoint.store import CheckpointStore


def drop_after(store: CheckpointStore, step: int) -> None:
    """Remove all checkpoints beyond a step: the run comes to these steps again, with other weights.

    Each loses its name first, so that none is ever seen half removed; what is left then is swept by the next save.

    Raises:
        OSError: as the file system reports it.
    """
    for later in store.steps():
        if later > step:
            path = store.path_of(later)
            doomed = path.with_name(f".writing-dropped-{path.name}")
            shutil.rmtree(doomed, ignore_errors=True)
            path.rename(doomed)
            shutil.rmtree(doomed, ignore_errors=True)
