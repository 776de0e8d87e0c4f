import math
import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.errors import PlanError
from headway.planning import series as module
from headway.planning.series import HourlySeries, plan_window, read_series
from headway.recipe import reading

HOUR = 3600.0


def series(*values: float) -> HourlySeries:
    return HourlySeries(path="x.csv", values=values)


def test_means_by_hand() -> None:
    # Two hours from each start, around the end.
    assert series(1, 2, 6).window_means(2 * HOUR).tolist() == pytest.approx([1.5, 4.0, 3.5])
    # An hour and a half: (1 + 2 / 2) / 1.5, ...
    assert series(1, 2, 6).window_means(1.5 * HOUR).tolist() == pytest.approx([2 / 1.5, 5 / 1.5, 6.5 / 1.5])
    # Four hours are once around and one more.
    assert series(1, 2, 6).window_means(4 * HOUR).tolist() == pytest.approx([10 / 4, 11 / 4, 15 / 4])
    assert series(1, 2, 6).window_means(0.0).tolist() == [1, 2, 6]


def test_of_hours_that_are_as_good_the_next_is_taken() -> None:
    """Days that are all alike, and a run of days: no later day is better, whatever the rounding of sums says."""
    day = [0.1 + 0.01 * math.sin(hour) for hour in range(24)]
    cheapest = day.index(min(day))
    for hours in (1, 24 * 7 + 0.3, 1000):
        for start in (0, 30, 4560):
            found = plan_window(series(*(365 * day)), seconds=hours * HOUR, start_hour=start)
            assert (found.best_start_hour - start) % (365 * 24) < 24
            assert found.best_mean <= found.mean
    assert plan_window(series(*(365 * day)), seconds=HOUR, start_hour=48).best_start_hour == 48 + cheapest
    flat = plan_window(series(*([0.07] * 8760)), seconds=12.7 * HOUR, start_hour=5000)
    assert (flat.best_start_hour, flat.mean) == (5000, flat.best_mean)


@given(
    values=st.lists(st.floats(-10, 10), min_size=1, max_size=30),
    hours=st.floats(0.01, 100),
    start=st.integers(0, 100),
)
def test_means_agree_with_going_hour_by_hour(values: list[float], hours: float, start: int) -> None:
    total, left, at = 0.0, hours, start
    while left > 0:
        total += min(1.0, left) * values[at % len(values)]
        left, at = left - 1, at + 1
    found = series(*values).window_means(hours * HOUR)
    assert found[start % len(values)] == pytest.approx(total / hours, abs=1e-9)


def test_an_endless_run_meets_the_mean() -> None:
    found = series(1, 2, 6).window_means(1e18)
    assert np.allclose(found, 3.0)


def test_the_best_hour() -> None:
    found = plan_window(series(5, 1, 1, 9), seconds=2 * HOUR, start_hour=7)
    assert (found.mean, found.best_mean, found.best_start_hour) == (7.0, 1.0, 1)


def test_a_file_of_hours(tmp_path: Path) -> None:
    file = tmp_path / "prices.csv"
    file.write_text("hour,usd_per_kilowatt_hour\n0,0.10\n1,-0.02\n\n2,0.3,spare\n")
    assert read_series(str(file), lowest=-1.0).values == (0.1, -0.02, 0.3)


def test_a_file_of_times(tmp_path: Path) -> None:
    file = tmp_path / "grid.csv"
    file.write_text('2026-01-01T23:00+00:00,0.4\n"2026-01-02T00:00+00:00",0.5\n')
    assert read_series(str(file), lowest=0.0).values == (0.4, 0.5)


@pytest.mark.parametrize(
    ("content", "message_id", "line"),
    [
        ("", "plan-series-empty", None),
        ("hour,value\n", "plan-series-empty", None),
        ("0,0.1\n1,cheap\n", "plan-series-row", 2),
        ("0;0.1\n", "plan-series-row", 1),
        ("0,0.1\n2,0.1\n", "plan-series-gap", 2),
        ("0,0.1\n2026-01-01T00:00,0.1\n", "plan-series-gap", 2),
        ("2026-01-01T00:00,0.1\n2026-01-01T01:00Z,0.1\n", "plan-series-gap", 2),
        ("0,-0.1\n", "plan-series-value", 1),
        ("0,nan\n", "plan-series-value", 1),
        ("0,1e9\n", "plan-series-value", 1),
    ],
)
def test_what_is_no_series_is_refused(tmp_path: Path, content: str, message_id: str, line: int | None) -> None:
    file = tmp_path / "bad.csv"
    file.write_text(content)
    with pytest.raises(PlanError) as caught:
        read_series(str(file), lowest=0.0)
    assert caught.value.message_id == message_id
    assert caught.value.arguments.get("line") == line


def test_a_file_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(PlanError, match="plan-series-unreadable"):
        read_series(str(tmp_path / "none.csv"), lowest=0.0)
    file = tmp_path / "binary.csv"
    file.write_bytes(b"\xff\xfe\xff")
    with pytest.raises(PlanError, match="plan-series-unreadable"):
        read_series(str(file), lowest=0.0)
    monkeypatch.setattr(module, "MAX_BYTES", 2)
    with pytest.raises(PlanError, match="plan-series-large"):
        read_series(str(file), lowest=0.0)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    file = tmp_path / "a.csv"
    file.write_text("0,1\n")
    assert read_series(str(file), lowest=0.0).values == (1,)
    file.write_text("0,1\n1,2\n")
    assert read_series(str(file), lowest=0.0).values == (1, 2)
    assert math.isclose(plan_window(read_series(str(file), lowest=0.0), seconds=HOUR, start_hour=0).mean, 1.0)


def test_what_has_no_size_is_read_no_further_than_the_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "_PIPE_SECONDS", 0.01)
    with pytest.raises(PlanError, match="plan-series-large"):
        read_series("/dev/zero", lowest=0.0)
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(PlanError, match="plan-series-unreadable"):
        read_series(str(pipe), lowest=0.0)
