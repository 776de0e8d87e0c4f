"""Batches that are read in the background while the step before them is computed.

Nothing can be lost on the way: which batch a step has follows from the step alone, so that a reader which is closed
early has only done work in vain.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import Queue
from typing import final

from headway.training.data import Batch

AHEAD = 2
"""Steps that are read ahead. One hides a steady reader; the second one evens out a page that the disk has to bring."""

_TELLING_STEPS = 20
"""Steps after which a share of the time says something."""

_Item = tuple[int, Sequence[Batch] | BaseException]


@final
class Prefetcher:
    """Reads the batches of steps, one after the other, in a thread of its own.

    Args:
        read: returns this process's batches of a step.
        first_step: from which on.
        end_step: the first one that is not read any more.
    """

    def __init__(self, read: Callable[[int], Sequence[Batch]], first_step: int, end_step: int) -> None:
        self._read = read
        self._ready: Queue[_Item] = Queue(maxsize=AHEAD)
        self._is_closed = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(first_step, end_step), name="data-reader", daemon=True)
        self._thread.start()

    def take(self, step: int) -> Sequence[Batch]:
        """Return the batches of a step, waiting for them where they are not ready; steps must be taken in order.

        Raises:
            BaseException: whatever reading them raised.
        """
        found, batches = self._ready.get()
        if isinstance(batches, BaseException):
            raise batches
        assert found == step
        return batches

    def close(self) -> None:
        """Stop reading, and wait until it has stopped."""
        self._is_closed.set()
        while self._thread.is_alive():
            # It may wait for room.
            if not self._ready.empty():
                self._ready.get_nowait()
            self._thread.join(0.01)

    def _run(self, first_step: int, end_step: int) -> None:
        for step in range(first_step, end_step):
            if self._is_closed.is_set():
                return
            try:
                item: _Item = step, self._read(step)
            except BaseException as error:  # the step that needs it raises it
                item = step, error
            self._ready.put(item)
            if isinstance(item[1], BaseException):
                return


@final
class Stalls:
    """How long steps waited for their batches.

    Args:
        limit_share: of the time, beyond which the reader should know.
    """

    def __init__(self, limit_share: float) -> None:
        self._limit_share = limit_share
        self._steps = 0
        self._stall_seconds = 0.0
        self._total_seconds = 0.0
        self._is_told = False

    @property
    def share(self) -> float:
        """Share of the time of all steps but the first, which waits for the first reading."""
        return self._stall_seconds / self._total_seconds if self._total_seconds else 0.0

    def add(self, stall_seconds: float, step_seconds: float) -> bool:
        """Count a step; return whether it is time to tell that steps wait too long."""
        self._steps += 1
        if self._steps > 1:
            self._stall_seconds += stall_seconds
            self._total_seconds += step_seconds
        if self._is_told or self._steps < _TELLING_STEPS or self.share <= self._limit_share:
            return False
        self._is_told = True
        return True

    def to_dict(self) -> dict[str, float | int]:
        """Return what was counted as plain data."""
        return {"steps": self._steps, "stall_seconds": self._stall_seconds, "stall_share": self.share}
