from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.runs.columns import MISSING, MOST_METRICS, MetricColumns, is_missing
from headway.runs.logs import MetricLog


def write(path: Path, records: list[dict[str, Any]]) -> None:
    log = MetricLog(path)
    for record in records:
        log.append(record)
    log.close()


def read(columns: MetricColumns) -> dict[str, list[float]]:
    return {name: columns.column(name).tolist() for name in columns.names}


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "rank-0.jsonl"


@pytest.mark.parametrize("is_cached", [True, False])
def test_columns_grow_with_the_log(log: Path, tmp_path: Path, is_cached: bool) -> None:
    cache = tmp_path / "cache" if is_cached else None
    columns = MetricColumns(log, cache)
    assert columns.update() == 0
    write(log, [{"step": 1, "loss": 2.5}, {"step": 2, "loss": 2.0}])
    assert columns.update() == 2
    write(log, [{"step": 3, "loss": 1.5}])
    assert columns.update() == 1
    assert columns.update() == 0
    assert read(columns) == {"step": [1, 2, 3], "loss": [2.5, 2.0, 1.5]}


def test_a_second_reader_starts_from_the_cache(log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(log, [{"step": step, "loss": 1 / step} for step in range(1, 50)])
    MetricColumns(log, tmp_path / "cache").update()
    write(log, [{"step": 50, "loss": 0.5}])
    again = MetricColumns(log, tmp_path / "cache")
    assert len(again) == 49
    # Only what is new is parsed.
    taken: list[bytes] = []
    take = MetricColumns._take
    monkeypatch.setattr(MetricColumns, "_take", lambda self, lines: (taken.append(lines), take(self, lines))[1])
    assert again.update() == 1
    assert [json.loads(lines)["step"] for lines in taken] == [50]
    assert again.column("loss").tolist() == [*(1 / step for step in range(1, 50)), 0.5]


def test_what_is_missing_is_not_nan(log: Path, tmp_path: Path) -> None:
    write(log, [{"step": 1}, {"step": 2, "loss": math.nan}, {"step": 3, "loss": -math.inf}, {"step": 4, "late": True}])
    for _ in range(2):
        # The second time from the cache.
        columns = MetricColumns(log, tmp_path / "cache")
        columns.update()
        loss = columns.column("loss")
        assert is_missing(loss).tolist() == [True, False, False, True]
        assert math.isnan(loss[1])
        assert loss[2] == -math.inf
        assert columns.column("late")[3] == 1.0
        assert is_missing(columns.column("late")).tolist() == [True, True, True, False]


def test_lines_that_are_no_records_are_passed_over(log: Path) -> None:
    log.write_bytes(
        b'{"step":1,"loss":1.0}\nnonsense\n{"loss":3}\n[1]\n{"step":"x"}\n\xff\n{"step":2,"loss":{"a":1}}\n{"st'
    )
    columns = MetricColumns(log, None)
    assert columns.update() == 2
    assert columns.column("step").tolist() == [1, 2]
    assert is_missing(columns.column("loss")).tolist() == [False, True]
    with log.open("ab") as file:
        file.write(b'ep":3,"loss":4}\n')
    assert columns.update() == 1
    assert columns.column("loss")[2] == 4


def test_names_without_end_are_passed_over(log: Path) -> None:
    records = [{"step": step, "loss": 1.0, **{f"of_{step}_{number}": 1.0 for number in range(800)}} for step in (1, 2)]
    write(log, records)
    columns = MetricColumns(log, None)
    assert columns.update() == 2
    assert len(columns.names) == MOST_METRICS
    assert columns.column("loss").tolist() == [1.0, 1.0]


@pytest.mark.parametrize("is_longer", [True, False])
def test_another_log_of_the_same_name_is_read_anew(log: Path, tmp_path: Path, is_longer: bool) -> None:
    write(log, [{"step": step, "loss": 1.0} for step in range(10)])
    columns = MetricColumns(log, tmp_path / "cache")
    columns.update()
    log.unlink()
    write(log, [{"step": step, "other": 2.0} for step in range(30 if is_longer else 3)])
    columns.update()
    assert columns.names == ["step", "other"]
    assert len(columns) == (30 if is_longer else 3)


@pytest.mark.parametrize("content", [b"", b"{}", b"[", b'{"version":1,"rows":7,"offset":9,"head":"","names":["a"]}'])
def test_a_damaged_cache_is_made_anew(log: Path, tmp_path: Path, content: bytes) -> None:
    write(log, [{"step": 1, "loss": 1.0}])
    MetricColumns(log, tmp_path / "cache").update()
    (index,) = (tmp_path / "cache").rglob("index.json")
    index.write_bytes(content)
    columns = MetricColumns(log, tmp_path / "cache")
    columns.update()
    assert read(columns) == {"step": [1], "loss": [1.0]}


def test_a_column_that_was_cut_off_is_made_anew(log: Path, tmp_path: Path) -> None:
    write(log, [{"step": step, "loss": float(step)} for step in range(5)])
    MetricColumns(log, tmp_path / "cache").update()
    for column in (tmp_path / "cache").rglob("*.f64"):
        column.write_bytes(column.read_bytes()[:-3])
    columns = MetricColumns(log, tmp_path / "cache")
    columns.update()
    assert columns.column("loss").tolist() == [0, 1, 2, 3, 4]


def test_a_cache_that_cannot_be_written_does_not_matter(log: Path) -> None:
    write(log, [{"step": 1, "loss": 1.0}])
    columns = MetricColumns(log, Path("/proc/no/such"))
    assert columns.update() == 1


names = st.sampled_from(["loss", "rate", "other"])
values = st.floats(width=64) | st.integers(-(10**15), 10**15)
records = st.lists(st.dictionaries(names, values), max_size=20)


@given(records, st.data())
def test_cached_and_read_in_any_parts_it_is_the_same(
    tmp_path_factory: pytest.TempPathFactory, records: list[dict[str, Any]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("log")
    log, cache = folder / "rank-0.jsonl", folder / "cache"
    numbered = [{"step": number, **record} for number, record in enumerate(records)]
    cut = data.draw(st.integers(0, len(numbered)))
    write(log, numbered[:cut])
    MetricColumns(log, cache).update()
    write(log, numbered[cut:])
    parts, whole = MetricColumns(log, cache), MetricColumns(log, None)
    parts.update()
    whole.update()
    assert set(parts.names) == set(whole.names)
    for name in whole.names:
        assert parts.column(name).tobytes() == whole.column(name).tobytes()
        expected = [record.get(name, MISSING) for record in numbered]
        np.testing.assert_array_equal(whole.column(name), np.array(expected, np.float64))
