"""All checkpoints of a folder, each looked at as a run that resumes would, before one is needed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.errors import CheckpointError
from headway.resilience.checkpoint.retention import SAVED_AT
from headway.resilience.checkpoint.store import CheckpointStore, Objection


@dataclass(frozen=True, kw_only=True)
class Verified:
    """What became of one checkpoint.

    Attributes:
        path: its folder.
        step: that it holds, by its name.
        size_bytes: of its arrays; None where they cannot be read.
        saved_at: seconds since 1970; None where it does not say.
        error: why it cannot be trusted; None where it is good.
    """

    path: Path
    step: int
    size_bytes: int | None = None
    saved_at: float | None = None
    error: CheckpointError | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON has it, the error's body among it where there is one."""
        return {
            "step": self.step,
            "path": str(self.path),
            "is_good": self.error is None,
            "bytes": self.size_bytes,
            "saved_at": self.saved_at,
            **({} if self.error is None else self.error.to_dict()),
        }


def verify(store: CheckpointStore, objection: Objection = lambda _snapshot: None) -> Iterator[Verified]:
    """Read every checkpoint, oldest first: manifest, checksums, state, and whether all numbers are finite.

    One is held in memory at a time.

    Args:
        store: has them.
        objection: what else to ask; see `CheckpointStore.load_newest`.
    """
    for step in store.steps():
        path = store.path_of(step)
        try:
            snapshot = store.load(step, objection=objection)
        except CheckpointError as error:
            yield Verified(path=path, step=step, error=error)
            continue
        saved_at = snapshot.state.get(SAVED_AT)
        yield Verified(
            path=path,
            step=step,
            size_bytes=snapshot.size_bytes,
            saved_at=float(saved_at) if isinstance(saved_at, (int, float)) else None,
        )
