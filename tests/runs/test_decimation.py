from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.runs.columns import MISSING
from headway.runs.decimation import decimate, last_of_each_step
from headway.runs.logs import last_per_step


def test_a_worked_case() -> None:
    found = decimate(np.arange(6.0), np.array([1.0, 5.0, 3.0, math.nan, -2.0, math.inf]), 2)
    assert found.to_dict() == {
        "first": [0.0, 3.0],
        "last": [2.0, 5.0],
        "low": [1.0, -2.0],
        "high": [5.0, -2.0],
        "mean": [3.0, -2.0],
        "final": [3.0, None],
        "count": [3, 3],
        "non_finite": [0, 2],
    }


def test_nothing_gives_nothing() -> None:
    assert decimate(np.empty(0), np.empty(0), 5).to_dict()["count"] == []
    assert decimate(np.arange(2.0), np.full(2, MISSING), 5).to_dict()["count"] == []


def test_a_spike_of_one_step_in_a_million_is_kept() -> None:
    values = np.ones(1_000_000)
    values[123_456] = 50.0
    values[654_321] = math.nan
    found = decimate(np.arange(1e6), values, 1000)
    assert found.high.max() == 50.0
    assert found.non_finite.sum() == 1


@given(
    st.lists(st.floats(allow_nan=True, width=32) | st.just(MISSING), max_size=60),
    st.integers(1, 80),
)
def test_buckets_hold_everything_once(values: list[float], buckets: int) -> None:
    array = np.array(values, np.float64)
    axis = np.arange(float(len(values)))
    found = decimate(axis, array, buckets)
    there = [value for value in array if value.tobytes() != np.float64(MISSING).tobytes()]
    assert found.count.sum() == len(there)
    assert len(found.count) == min(buckets, len(there))
    assert (found.count > 0).all()
    finite = [value for value in there if math.isfinite(value)]
    assert found.non_finite.sum() == len(there) - len(finite)
    if finite:
        assert np.nanmin(found.low) == min(finite)
        assert np.nanmax(found.high) == max(finite)
    assert (found.first[1:] > found.last[:-1]).all()
    json.dumps(found.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    ("steps", "kept"),
    [([], []), ([3], [0]), ([1, 2, 3], [0, 1, 2]), ([1, 2, 3, 2, 3, 4], [0, 3, 4, 5]), ([5, 5, 5], [2])],
)
def test_of_steps_that_were_done_twice_the_last_counts(steps: list[float], kept: list[int]) -> None:
    assert last_of_each_step(np.array(steps, np.float64)).tolist() == kept


steps = st.lists(
    st.tuples(st.integers(1, 9), st.integers(0, 3)).map(lambda pair: {"step": pair[0], "roll_backs": pair[1]}),
    max_size=25,
)


@given(steps)
def test_branches_that_were_left_do_not_count_as_in_the_log(records: list[dict[str, int]]) -> None:
    expected = [record["step"] for record in last_per_step(records)]
    step, roll_backs = (np.array([record[name] for record in records], np.float64) for name in ("step", "roll_backs"))
    kept = last_of_each_step(step, roll_backs)
    assert step[kept].tolist() == expected
    assert [records[index] for index in kept] == last_per_step(records)
