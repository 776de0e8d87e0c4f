"""Which batch each optimizer step takes, where a run has gone back and passes over some.

Without that, step s takes batch s of the order that follows from the seed. Each pass-over moves all steps from its own
on by some batches, so that the batch of a step follows from the list alone: a run that is resumed or killed anywhere
takes the same. The list is part of every checkpoint and of the event that tells of the roll-back.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from itertools import pairwise
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint.dropping import drop
from headway.runs.logs import ROLL_BACKS


@dataclass(frozen=True, kw_only=True)
class PassOver:
    """Batches that are passed over once."""

    step: int
    """From which step on all steps take later batches."""
    batches: int
    """How many; 0 where a later roll-back went behind it and took its place."""
    from_step: int
    """Steps that were done when the run went back."""


@final
@dataclass(frozen=True)
class SkippedData:
    """All that is passed over, in the order in which it came about."""

    entries: tuple[PassOver, ...] = ()

    @classmethod
    def of(cls, content: Any) -> SkippedData:
        """Read what `to_list` wrote; nothing is skipped where it is not that."""
        names = {field.name for field in fields(PassOver)}
        if not isinstance(content, list) or not all(isinstance(one, dict) and set(one) == names for one in content):
            return cls()
        if any(type(value) is not int or value < 0 for one in content for value in one.values()):
            return cls()
        return cls(tuple(PassOver(**one) for one in content))

    def to_list(self) -> list[dict[str, int]]:
        """Return it as plain data."""
        return [asdict(entry) for entry in self.entries]

    def batch_of(self, step: int) -> int:
        """Return the batch that a step takes, both from 0."""
        return step + sum(entry.batches for entry in self.entries if entry.step <= step)

    def after_bad_batch(self, step: int) -> SkippedData:
        """Return it with the batch of one step passed over, since its data gave no number."""
        return SkippedData((*self.entries, PassOver(step=step, batches=1, from_step=step + 1)))

    def after_spike(self, step: int, to_step: int) -> SkippedData:
        """Return it with everything passed over that was taken from a step on, up to now.

        Args:
            step: the last step that was done, from 0.
            to_step: the step that the run goes back to.
        """
        next_batch = self.batch_of(step) + 1
        kept = tuple(entry if entry.step < to_step else replace(entry, batches=0) for entry in self.entries)
        moved = next_batch - SkippedData(kept).batch_of(to_step)
        return SkippedData((*kept, PassOver(step=to_step, batches=moved, from_step=step + 1)))

    def mark(self) -> dict[str, int]:
        """Return what a metric log has of it, so that readers can tell the branches of a run apart."""
        return {ROLL_BACKS: len(self.entries)} if self.entries else {}

    def in_a_row(self, step: int, passed_steps: int) -> int:
        """Return how many roll-backs there were from nearby: one counts until the run is so many steps beyond it."""
        return sum(entry.from_step + passed_steps > step for entry in self.entries)

    def rows_of_sources(self, steps: int, rows: Callable[[int], Iterable[int]]) -> list[int]:
        """Return how many sequences of each source the first steps have taken.

        Args:
            steps: how many.
            rows: returns those of the first batches.
        """

        def counted(batches: int) -> NDArray[np.int64]:
            return np.array(list(rows(batches)), dtype=np.int64)

        borders = sorted({0, steps, *(entry.step for entry in self.entries if entry.step < steps)})
        total = counted(0)
        for first, end in pairwise(borders):
            start = self.batch_of(first)
            total = total + counted(start + end - first) - counted(start)
        return [int(count) for count in total]


@final
class RollBackHistory:
    """The last roll-back that a run's events tell of.

    Args:
        events: of the run, oldest first.
    """

    def __init__(self, events: Sequence[Mapping[str, Any]]) -> None:
        told = [event for event in events if event.get("event") == "guard" and event.get("action") == "roll-back"]
        self._last = told[-1] if told else None

    def objection(self, snapshot: Snapshot) -> str | None:
        """Say why a checkpoint is of a branch that the run has left; None where it is not."""
        if self._last is None or snapshot.step <= self._last.get("to_step", 0):
            return None
        saved = _of_snapshot(snapshot).to_list()
        # One that was saved after the roll-back has its list, and perhaps more behind it.
        return None if saved == self._last.get("skipped") else f"data.skipped {len(saved)}"

    def drop_left(self, store: CheckpointStore) -> None:
        """Remove the checkpoints of the branch that was left, where a kill came before that.

        They look whole, and a run that comes to their steps again would take them for its own. What cannot be read is
        left for loading to judge.
        """
        left = []
        for step in store.steps():
            with suppress(OSError, ValueError):
                state = json.loads((store.path_of(step) / "state.json").read_bytes())
                if isinstance(state, dict) and type(state.get("step")) is int:
                    found = Snapshot(parameters={}, optimizer={}, state=state)
                    left += [step] if self.objection(found) is not None else []
        drop(store, left)

    def skipped(self, snapshot: Snapshot | None) -> SkippedData:
        """Return what is passed over from a checkpoint on; from the beginning where there is none."""
        if self._last is not None:
            return SkippedData.of(self._last.get("skipped"))
        return SkippedData() if snapshot is None else _of_snapshot(snapshot)


def _of_snapshot(snapshot: Snapshot) -> SkippedData:
    data = snapshot.state.get("data")
    return SkippedData.of(data.get("skipped") if isinstance(data, Mapping) else None)
