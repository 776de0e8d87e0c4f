"""What a fault is: how it is done to a real run, and what is promised of that run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from headway.recipe import Recipe
from headway.resilience.drills.result import Reason
from headway.resilience.drills.seam import Deed, Order
from headway.resilience.drills.stage import Stage

FAULT_STEP = 10
"""Optimizer steps that are done when a fault comes: two beyond the second checkpoint."""

DOWN = frozenset({"attempt-failed"})
"""The event by which a supervisor says that a worker is gone."""


@dataclass(frozen=True, kw_only=True)
class Grounds:
    """Where a drill takes place.

    Attributes:
        recipe: that is rehearsed, shortened.
        processes: that train it.
        folder: of the runs.
        checkpoint_bytes: of one checkpoint, as the clean run wrote it.
        largest_file_bytes: of the largest file of it.
        may_mount: whether file systems may be mounted here.
        shard: what each process holds only a part of, as the clean run was laid out.
    """

    recipe: Recipe
    processes: int
    folder: Path
    checkpoint_bytes: int
    largest_file_bytes: int
    may_mount: bool
    shard: str


class Fault(ABC):
    """A fault; each drill makes one anew.

    Class attributes:
        name: id; its name for people is the message ``drill-fault-<name>``.
        signs: events that tell that the run noticed; none where it need not.
        guard: which guard must tell, where the sign is one's.
        keeps_weights: whether the last weights must be those of the clean run, byte for byte.
        is_mended_by_hand: whether a person has to start the run again, once the cause is gone.
        needs_many: whether there must be several processes.
        repeats_nothing: whether the run has time to save, so that no step is done again.
    """

    name: ClassVar[str]
    deed: ClassVar[Deed] = "gate"
    rank: ClassVar[int] = 0
    signs: ClassVar[frozenset[str]] = DOWN
    guard: ClassVar[str | None] = None
    keeps_weights: ClassVar[bool] = True
    is_mended_by_hand: ClassVar[bool] = False
    needs_many: ClassVar[bool] = False
    repeats_nothing: ClassVar[bool] = False

    def order(self, grounds: Grounds) -> Order:
        """Return what a worker is asked for; the last one has the rank of faults that need several."""
        rank = grounds.processes - 1 if self.needs_many else self.rank
        return Order(deed=self.deed, step=FAULT_STEP, rank=rank, amount=self.amount(grounds))

    def amount(self, grounds: Grounds) -> int:
        """Return the amount of the order; see `Order`."""
        return 0

    def settings(self, grounds: Grounds) -> Mapping[str, Mapping[str, Any]]:
        """Return what the recipe must say so that the fault can be seen in a short run, by section."""
        return {}

    def obstacle(self, grounds: Grounds) -> Reason | None:
        """Say why the fault is not possible here; None where it is."""
        if self.needs_many and grounds.processes < 2:
            return Reason(message_id="drill-obstacle-one-process")
        return None

    def is_told_by(self, event: Mapping[str, Any]) -> bool:
        """Say whether an event tells that the run noticed."""
        if event.get("event") not in self.signs:
            return False
        return self.guard is None or event.get("event") != "guard" or event.get("guard") == self.guard

    def prepare(self, stage: Stage) -> None:
        """Do what must be there before the run starts."""
        return

    @abstractmethod
    def inject(self, stage: Stage) -> None:
        """Do it, while a worker waits at the gate; nothing is left to do where the worker does it itself."""

    def mend(self, stage: Stage) -> None:
        """Do what a person would before starting the run again."""
        return

    def close(self, stage: Stage) -> None:
        """Leave nothing behind."""
        return


class InnerFault(Fault):
    """A fault that the worker does to itself."""

    def inject(self, stage: Stage) -> None:
        """Do nothing: it is done."""
