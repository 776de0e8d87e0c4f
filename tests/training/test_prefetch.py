"""Reading ahead: nothing is lost, nothing is left behind, and what goes wrong is told by the step that it is of."""

from __future__ import annotations

import threading
from collections.abc import Sequence

import numpy as np
import pytest

from headway.training.data import Batch
from headway.training.prefetch import AHEAD, Prefetcher, Stalls


def batch(step: int) -> list[Batch]:
    return [Batch(np.full((1, 2), step))]


def test_every_step_gets_its_batch() -> None:
    reader = Prefetcher(batch, 5, 50)
    for step in range(5, 50):
        assert reader.take(step)[0].tokens[0, 0] == step
    reader.close()


def test_no_more_is_read_than_is_asked_for_soon() -> None:
    read: list[int] = []
    asked = threading.Semaphore(0)

    def reading(step: int) -> Sequence[Batch]:
        read.append(step)
        asked.release()
        return batch(step)

    reader = Prefetcher(reading, 0, 1000)
    # One more than fit is read, and waits for room.
    for _ in range(AHEAD + 1):
        assert asked.acquire(timeout=60)
    assert not asked.acquire(timeout=0.05)
    assert reader.take(0)[0].tokens[0, 0] == 0
    assert asked.acquire(timeout=60)
    reader.close()
    assert len(read) <= AHEAD + 3


def test_an_error_comes_at_its_step() -> None:
    def reading(step: int) -> Sequence[Batch]:
        if step == 2:
            raise ValueError("torn")
        return batch(step)

    reader = Prefetcher(reading, 0, 10)
    assert [reader.take(step)[0].tokens[0, 0] for step in (0, 1)] == [0, 1]
    with pytest.raises(ValueError, match="torn"):
        reader.take(2)
    reader.close()


def test_closing_ends_the_thread_whatever_it_does() -> None:
    before = threading.active_count()
    for taken in range(4):
        reader = Prefetcher(batch, 0, 3)
        for step in range(min(taken, 3)):
            reader.take(step)
        reader.close()
    assert threading.active_count() == before


def test_stalls_are_told_once_and_without_the_first_step() -> None:
    stalls = Stalls(0.05)
    told = [stalls.add(9.0 if step == 0 else 0.1, 10.0 if step == 0 else 1.0) for step in range(40)]
    assert told.count(True) == 1 and told.index(True) == 19
    assert stalls.to_dict() == pytest.approx({"steps": 40, "stall_seconds": 3.9, "stall_share": 0.1})
    quick = Stalls(0.05)
    assert not any(quick.add(0.01, 1.0) for _ in range(40))
