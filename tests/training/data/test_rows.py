from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from headway.errors import DataError
from headway.training.data.formats import read_documents, read_rows
from headway.training.data.rows import MAX_LINE_BYTES, BadRows

BROKEN = [b'{"text": "cut', b"[1]", b'{"text": "\xff"}', b'{"other": 1}', b'{"text": 2}', b'{"text": "\\ud83d"}']


def lines(path: Path, *rows: bytes) -> Path:
    path.write_bytes(b"\n".join(rows) + b"\n")
    return path


@pytest.mark.parametrize("row", BROKEN)
def test_a_row_that_cannot_be_used_ends_the_reading(row: bytes, tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", b'{"text": "a"}', row)
    with pytest.raises(DataError) as raised:
        list(read_documents(path, "text"))
    assert raised.value.arguments["path"] == str(path)
    assert raised.value.arguments["line"] == 2


def test_rows_that_cannot_be_used_are_skipped_and_counted(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", b'{"text": "a"}', *BROKEN, b'{"text": "b"}')
    bad = BadRows(skips=True)
    assert list(read_documents(path, "text", bad)) == ["a", "b"]
    assert bad.count == len(BROKEN)
    assert bad.first is not None
    assert bad.first.message_id == "data-json-invalid"
    assert bad.first.arguments["line"] == 2


def test_other_errors_are_not_skipped(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.jsonl.gz"
    path.write_bytes(b"not compressed")
    with refused("data-corrupt-file", path=str(path)):
        list(read_documents(path, "text", BadRows(skips=True)))
    with pytest.raises(KeyError), BadRows(skips=True):
        raise KeyError


def test_a_line_of_any_length_needs_bounded_memory(tmp_path: Path) -> None:
    """The file is sparse: half a gigabyte of null bytes, which is one line, and a good one after it."""
    path = tmp_path / "a.jsonl"
    with path.open("wb") as file:
        file.write(b'{"text": "a"}\n')
        file.seek(8 * MAX_LINE_BYTES)
        file.write(b'\n{"text": "b"}\n')
    bad = BadRows(skips=True)
    tracemalloc.start()
    assert list(read_documents(path, "text", bad)) == ["a", "b"]
    _, peak_bytes = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak_bytes < 2.5 * MAX_LINE_BYTES
    assert bad.count == 1
    assert bad.first is not None
    assert bad.first.arguments == {"path": str(path), "line": 2, "limit_bytes": MAX_LINE_BYTES}


def test_rows_of_a_table_have_the_fields_that_hold_something(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"a": ["x", None], "b": [[{"c": "d"}], []], "other": [1, 2]}), path)
    rows = list(read_rows(path, ("a", "b", "absent"), BadRows()))
    assert [(row.fields, row.line) for row in rows] == [({"a": "x", "b": [{"c": "d"}]}, 1), ({"b": []}, 2)]
    assert rows[1].where == {"path": str(path), "line": 2}


def test_a_row_of_a_table_that_is_not_utf8_is_skipped(tmp_path: Path, refused) -> None:
    path = tmp_path / "a.parquet"
    array = pa.StringArray.from_buffers(2, pa.py_buffer(b"\0\0\0\0\4\0\0\0\5\0\0\0"), pa.py_buffer(b"good\xff"))
    pq.write_table(pa.table({"prompt": array}), path)
    with refused("data-row-not-utf8", line=2, field="prompt"):
        list(read_rows(path, ("prompt",), BadRows()))
    bad = BadRows(skips=True)
    assert [row.fields for row in read_rows(path, ("prompt",), bad)] == [{"prompt": "good"}]
    assert bad.count == 1


def test_json_lines_have_all_their_fields(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", json.dumps({"a": 1}).encode(), b"", b'{"b": 2}')
    assert [(row.fields, row.line) for row in read_rows(path, (), BadRows())] == [({"a": 1}, 1), ({"b": 2}, 3)]
