from __future__ import annotations

from pathlib import Path

from headway.runs.logs import JsonLines
from headway.runs.tail import Tail


def test_each_record_is_told_once(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    tail = Tail(path)
    assert tail.read() == []
    with JsonLines(path) as log:
        log.append({"step": 1})
        log.append({"step": 2})
        assert tail.read() == [{"step": 1}, {"step": 2}]
        assert tail.read() == []
        log.append({"step": 3})
        assert tail.read() == [{"step": 3}]


def test_a_line_in_the_making_waits(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"step":1}\n{"st')
    tail = Tail(path)
    assert tail.read() == [{"step": 1}]
    assert tail.read() == []
    with path.open("ab") as file:
        file.write(b'ep":2}\n{"step":3}\n')
    assert tail.read() == [{"step": 2}, {"step": 3}]


def test_a_torn_line_that_was_closed_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"st')
    tail = Tail(path)
    with JsonLines(path) as log:
        log.append({"step": 2})
    assert tail.read() == [{"step": 2}]


def test_from_the_end(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    assert Tail(path, from_end=True).read() == []
    path.write_bytes(b'{"step":1}\n{"st')
    tail = Tail(path, from_end=True)
    assert tail.read() == []
    with path.open("ab") as file:
        file.write(b'ep":2}\n')
    assert tail.read() == [{"step": 2}]


def test_a_log_that_was_replaced_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"step":1}\n{"step":2}\n')
    tail = Tail(path)
    assert len(tail.read()) == 2
    path.write_bytes(b'{"step":9}\n')
    assert tail.read() == [{"step": 9}]
    path.unlink()
    assert tail.read() == []
