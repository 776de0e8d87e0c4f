from __future__ import annotations

import json
import math
import random
import resource
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.errors import RunError
from headway.runs.logs import EventLog, JsonLines, MetricLog, last_per_step, read_lines

WRITER = """
import sys
from pathlib import Path
from headway.runs.logs import JsonLines
log = JsonLines(Path(sys.argv[1]))
print("ready", flush=True)
number = 0
while number < int(sys.argv[3]):
    log.append({"writer": sys.argv[2], "number": number, "text": "x" * (number % 700)})
    number += 1
"""


def start_writer(path: Path, name: str, count: int = 10**9) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(count)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def finish(process: subprocess.Popen[str]) -> int:
    process.communicate()
    return process.returncode


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_json_cannot_say_survives(tmp_path: Path, value: float) -> None:
    path = tmp_path / "a.jsonl"
    with JsonLines(path) as log:
        log.append({"loss": value, "nested": {"list": [1, value]}})
    (record,) = read_lines(path)
    for found in (record["loss"], record["nested"]["list"][1]):
        assert type(found) is float
        assert found == value or (math.isnan(found) and math.isnan(value))
    # A strict reader, such as a browser, takes the line too.
    json.loads(path.read_text(), parse_constant=pytest.fail)


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False)
    | st.text().filter(lambda text: text not in ("NaN", "Infinity", "-Infinity")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4),
    max_leaves=12,
)


@given(records=st.lists(st.dictionaries(st.text(max_size=9), JSON, max_size=5), max_size=5))
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_record_survives(tmp_path: Path, records: list[dict[str, Any]]) -> None:
    path = tmp_path / "a.jsonl"
    path.unlink(missing_ok=True)
    with JsonLines(path) as log:
        for record in records:
            log.append(record)
    assert read_lines(path) == records
    assert path.read_bytes().count(b"\n") == len(records)


def test_a_name_that_is_not_unicode_does_not_lose_the_record(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    with JsonLines(path) as log:
        log.append({"path": b"\xe9.txt".decode("utf-8", "surrogateescape"), "\udc80": 1})
    assert read_lines(path) == [{"path": "\\udce9.txt", "\\udc80": 1}]


@pytest.mark.parametrize(
    "torn", [b'{"step":3', b"{", b'{"step":3}', b'\xff\xfe{"step":', b"[" * 100_000, b"3", b"[1]", b"NaN"]
)
def test_torn_lines_are_passed_over(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "a.jsonl"
    path.write_bytes(b'{"step":1}\n\n{"step":2}\n' + torn)
    whole = [{"step": 3}] if torn == b'{"step":3}' else []
    assert read_lines(path) == [{"step": 1}, {"step": 2}, *whole]
    with JsonLines(path) as log:
        log.append({"step": 4})
    assert read_lines(path) == [{"step": 1}, {"step": 2}, *whole, {"step": 4}]


def test_a_missing_log_has_no_records(tmp_path: Path) -> None:
    assert read_lines(tmp_path / "absent.jsonl") == []


def test_a_log_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-file-damaged"):
        read_lines(tmp_path)


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-unwritable"):
        JsonLines(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="run-unwritable"):
        JsonLines(tmp_path / "file" / "a.jsonl")
    log = JsonLines(tmp_path / "a.jsonl")
    log.close()
    log.close()
    with pytest.raises(RunError, match="run-unwritable"):
        log.append({})


def test_a_full_disk_tears_one_line_and_loses_no_other(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with JsonLines(path) as log:
        log.append({"step": 1})
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        try:
            with pytest.raises(RunError, match="run-unwritable"):
                log.append({"step": 2, "text": "x" * 100})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        log.append({"step": 3})
    assert path.read_bytes()[:20].startswith(b'{"step":1}\n{"step":2')
    assert read_lines(path) == [{"step": 1}, {"step": 3}]


def test_two_processes_append_whole_lines(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    writers = [start_writer(path, name, 3000) for name in "ab"]
    assert [finish(writer) for writer in writers] == [0, 0]
    records = read_lines(path)
    for name in "ab":
        assert [record["number"] for record in records if record["writer"] == name] == list(range(3000))
    assert path.read_bytes().count(b"\n") == 6000


def test_a_kill_loses_at_most_the_line_that_was_being_written(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    random.seed(20)
    written = 0
    for round_number in range(6):
        process = start_writer(path, str(round_number))
        until = path.stat().st_size + random.randrange(1, 200_000)
        while path.stat().st_size < until:
            assert process.poll() is None
        process.send_signal(signal.SIGKILL)
        assert finish(process) == -signal.SIGKILL
        numbers = [record["number"] for record in read_lines(path) if record["writer"] == str(round_number)]
        assert numbers == list(range(len(numbers)))
        written += len(numbers)
        lines = path.read_bytes().split(b"\n")
        assert len([line for line in lines if line]) - written <= round_number + 1
    assert len(read_lines(path)) == written > 0


def test_events_carry_their_time(tmp_path: Path) -> None:
    with EventLog(tmp_path / "events.jsonl") as log:
        log.record("started", step=3)
    (event,) = read_lines(tmp_path / "events.jsonl")
    assert (event["event"], event["step"]) == ("started", 3)
    assert event["time"] > 1.7e9


def test_steps_of_a_branch_that_was_left_do_not_count() -> None:
    log = [{"step": step} for step in (1, 2, 3, 4, 5)]
    log += [{"step": step, "roll_backs": 1} for step in (3, 4)]
    assert [record["step"] for record in last_per_step(log)] == [1, 2, 3, 4]
    # A kill goes back too, and leaves no branch.
    log += [{"step": 3, "roll_backs": 1}]
    assert last_per_step(log) == [{"step": 1}, {"step": 2}, {"step": 3, "roll_backs": 1}, {"step": 4, "roll_backs": 1}]


def test_the_last_record_of_a_step_counts(tmp_path: Path) -> None:
    with MetricLog(tmp_path / "deep" / "a.jsonl") as log:
        for step, loss in ((1, 5.0), (2, 4.0), (3, 3.0), (2, 4.5), (10, 1.0)):
            log.append({"step": step, "loss": loss})
        for odd in ({}, {"step": None}, {"step": "2"}, {"step": [2]}, {"step": 2.5}, {"step": True}):
            log.append(odd)
    kept = last_per_step(read_lines(tmp_path / "deep" / "a.jsonl"))
    assert [(record["step"], record["loss"]) for record in kept] == [(1, 5.0), (2, 4.5), (3, 3.0), (10, 1.0)]


def test_the_end_of_a_log_has_whole_records_only(tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(f'{{"step":{step}}}\n' for step in range(1000)) + '{"st')
    assert [record["step"] for record in read_lines(path)] == list(range(1000))
    assert [record["step"] for record in read_lines(path, last_bytes=31)] == [998, 999]
    assert read_lines(path, last_bytes=3) == []
    assert read_lines(path, last_bytes=10**6) == read_lines(path)
    assert read_lines(tmp_path / "none", last_bytes=10) == []
