"""What stands before the message of a line."""

from __future__ import annotations

import time

import pytest

from headway.diagnosis.line import LONGEST_LINE, cleaned, parse_prefix, rank_of_file

NOON = 1_796_040_000.0
"""2026-11-30 12:00:00 UTC, in seconds since 1970."""


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("2026-11-30 12:00:00,250 INFO step", NOON + 0.25),
        ("2026-11-30T12:00:00.5Z stdout F step", NOON + 0.5),
        ("2026-11-30T14:00:00+02:00 node kernel: x", NOON),
        ("[2026-11-30 12:00:00] iteration 1", NOON),
        ("[Mon Nov 30 12:00:00 2026] Out of memory", NOON),
        ("E1130 12:00:00.125000 140 api.py:869] failed", NOON + 0.125),
        ("[rank1]:[E1130 12:00:00.250000000 ProcessGroupNCCL.cpp:616] x", NOON + 0.25),
        ("Nov 30 12:00:00 node1 kernel: x", NOON),
        ("11/30/2026 12:00:00 - INFO - x", NOON),
        ("2026-13-41 12:00:00 x", None),
        ("iteration 12:00", None),
        ("", None),
    ],
)
def test_times(text: str, seconds: float | None) -> None:
    assert parse_prefix(text, year=2026).time == seconds


def test_a_month_of_one_digit_is_read() -> None:
    """PyTorch's C++ code writes the month without a zero."""
    assert parse_prefix("[E321 02:07:08.5 ProcessGroupNCCL.cpp:607] x", year=2025).time == 1_742_522_828.5


@pytest.mark.parametrize(
    ("text", "rank"),
    [
        ("[rank3]: Traceback", 3),
        ("[default12]:loss", 12),
        ("[1,7]<stderr>:Segmentation fault", 7),
        ("14: step 3", 14),
        ("[2026-11-30 12:00:00,1] [INFO] [Rank 9] step=3", 9),
        ("E1130 x] [Rank 5] Watchdog caught", 5),
        ('{"rank": 31, "message": "x"}', 31),
        ("rank=6 loss=3", 6),
        ("[PG ID 0 PG GUID 0(default_pg) Rank 4] x", 4),
        ("frank said 3", None),
        ("step 3: loss", None),
    ],
)
def test_ranks(text: str, rank: int | None) -> None:
    assert parse_prefix(text).rank == rank


@pytest.mark.parametrize(
    ("text", "host", "pid"),
    [
        ("gpu-7:4121:4410 [3] NCCL WARN x", "gpu-7", 4121),
        ("(RayTrainWorker pid=12, ip=10.0.0.4) x", "10.0.0.4", 12),
        ("Nov 30 12:00:00 dgx-4 kernel: NVRM", "dgx-4", None),
        ("loss: 3", None, None),
    ],
)
def test_hosts(text: str, host: str | None, pid: int | None) -> None:
    found = parse_prefix(text)
    assert (found.host, found.pid) == (host, pid)


def test_the_kernels_uptime_is_no_date() -> None:
    found = parse_prefix("[812345.100000] python invoked oom-killer")
    assert (found.uptime, found.time) == (812345.1, None)


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("logs/rank_12.log", 12),
        ("logs/rank-3.txt", 3),
        ("a/attempt_0/5/stderr.log", 5),
        ("stderr.7", 7),
        ("worker-2.log", 2),
        ("job.tar.gz!node1/rank9.out", 9),
        ("slurm-4711.out", None),
        ("crank5.log", None),
    ],
)
def test_ranks_in_the_names_of_files(name: str, rank: int | None) -> None:
    assert rank_of_file(name) == rank


def test_lines_are_cleaned() -> None:
    assert cleaned(b"\x1b[31mERROR\x1b[0m: x\r\n") == "ERROR: x"
    assert cleaned(b"\x1b]0;title\x07x") == "x"
    assert cleaned(b"x\xe9\x00") == "x\N{REPLACEMENT CHARACTER}"
    assert len(cleaned(b"x" * 10_000_000)) <= LONGEST_LINE + 5


HOSTILE = ("[" * 5000, "1" * 5000, " " * 5000, "rank" * 1300, "2026-11-30 " * 450, "a.b-" * 1300, "x:1:" * 1300)


@pytest.mark.parametrize("text", HOSTILE, ids=lambda text: text[:6])
def test_no_line_stalls_the_reader(text: str) -> None:
    """Ten times the length takes no more than some times as long: both are cut to the same start."""

    def seconds(line: str) -> float:
        started = time.perf_counter()
        for _ in range(20):
            parse_prefix(line)
        return time.perf_counter() - started

    parse_prefix(text)
    assert min(seconds(text * 10) for _ in range(5)) < 20 * min(seconds(text) for _ in range(5)) + 1e-3
