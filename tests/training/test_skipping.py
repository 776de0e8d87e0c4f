"""Which batch each step takes, through any history of roll-backs."""

from __future__ import annotations

import random

import pytest

from headway.resilience.checkpoint import Snapshot
from headway.training.skipping import RollBackHistory, SkippedData


def test_batches_by_hand() -> None:
    nothing = SkippedData()
    assert [nothing.batch_of(step) for step in range(4)] == [0, 1, 2, 3]
    # Step 19 (from 0) is bad: back to 15, all since is passed over.
    once = nothing.after_spike(19, 15)
    assert [once.batch_of(step) for step in (0, 14, 15, 16)] == [0, 14, 20, 21]
    # Step 16, which took batch 21, is bad again: further back, to 10.
    twice = once.after_spike(16, 10)
    assert [twice.batch_of(step) for step in (9, 10, 15, 20)] == [9, 22, 27, 32]
    bad = twice.after_bad_batch(12)
    assert [bad.batch_of(step) for step in (10, 11, 12, 13)] == [22, 23, 25, 26]


@pytest.mark.parametrize("seed", range(20))
def test_no_batch_is_taken_twice_and_rows_add_up(seed: int) -> None:
    randomness = random.Random(seed)
    skipped, step = SkippedData(), 0
    for _ in range(6):
        step += randomness.randrange(1, 20)
        if randomness.random() < 0.5:
            skipped = skipped.after_bad_batch(step)
        else:
            back = randomness.randrange(step + 1)
            highest = skipped.batch_of(step)
            skipped = skipped.after_spike(step, back)
            assert skipped.batch_of(back) == highest + 1
            step = back
        taken = [skipped.batch_of(one) for one in range(100)]
        assert taken == sorted(set(taken))
        rows = skipped.rows_of_sources(60, lambda batches: [batches // 3, batches - batches // 3])
        expected = [sum(batch % 3 == 2 for batch in taken[:60]), sum(batch % 3 != 2 for batch in taken[:60])]
        assert rows == expected
        assert SkippedData.of(skipped.to_list()) == skipped


def test_roll_backs_in_a_row_are_those_nearby() -> None:
    skipped = SkippedData().after_bad_batch(99).after_bad_batch(109)
    assert skipped.in_a_row(115, 50) == 2
    assert skipped.in_a_row(155, 50) == 1
    assert skipped.in_a_row(200, 50) == 0


@pytest.mark.parametrize("odd", [None, 3, [3], [{}], [{"step": 1, "batches": -1, "from_step": 2}], [{"step": "1"}]])
def test_an_odd_list_skips_nothing(odd: object) -> None:
    assert SkippedData.of(odd) == SkippedData()


def snapshot(step: int, skipped: SkippedData) -> Snapshot:
    return Snapshot(parameters={}, optimizer={}, state={"step": step, "data": {"skipped": skipped.to_list()}})


def test_the_last_roll_back_decides() -> None:
    first = SkippedData().after_spike(19, 15)
    second = first.after_spike(17, 10)
    events = [
        {"event": "guard", "action": "roll-back", "to_step": step, "skipped": skipped.to_list()}
        for step, skipped in ((15, first), (10, second))
    ]
    history = RollBackHistory(events)
    # Saved before the second roll-back, and removed or not: they are of a branch that was left.
    assert history.objection(snapshot(15, first)) is not None
    assert history.objection(snapshot(10, SkippedData())) is None
    assert history.objection(snapshot(12, second)) is None
    assert history.skipped(snapshot(10, SkippedData())) == second
    # Where the events are gone, the checkpoint knows.
    assert RollBackHistory([]).skipped(snapshot(15, first)) == first
    assert RollBackHistory([]).skipped(None) == SkippedData()
