from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from headway import units
from headway.resilience.preflight import host
from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

Make = Callable[..., Subject]


def told(findings: object) -> list[tuple[str, str]]:
    assert hasattr(findings, "__iter__")
    return [(finding.status, finding.message_id) for finding in findings]


def test_memory_is_compared_with_the_plan(subject: Make) -> None:
    plan = {"memory": {"device_peak_bytes": 3 * units.GIB}}
    enough, short = (subject(plan=plan, parts={"memory": {"usable_bytes": size * units.GIB}}) for size in (4, 2))
    assert told(host.memory(enough)) == [("passed", "preflight-memory")]
    (finding,) = host.memory(short)
    assert finding == Finding(
        status="failed",
        message_id="preflight-memory-short",
        arguments={"available_bytes": 2 * units.GIB, "needed_bytes": 3 * units.GIB},
    )


def test_every_process_of_this_server_takes_memory(subject: Make) -> None:
    hardware = {"accelerator": "cpu", "devices": 2, "devices_per_node": 2}
    found = subject(
        {"hardware": hardware},
        plan={"memory": {"device_peak_bytes": 3 * units.GIB}},
        parts={"memory": {"usable_bytes": 4 * units.GIB}},
    )
    assert told(host.memory(found)) == [("failed", "preflight-memory-short")]


def test_without_a_plan_memory_is_not_judged(subject: Make) -> None:
    assert told(host.memory(subject())) == [("unknown", "preflight-memory-unknown")]


@pytest.mark.parametrize(
    ("devices", "size_bytes", "expected"),
    [
        (1, 1, ("passed", "preflight-shared-memory-unused")),
        (2, 64 * units.MIB, ("warning", "preflight-shared-memory-small")),
        (2, units.GIB, ("passed", "preflight-shared-memory")),
        (2, None, ("unknown", "preflight-shared-memory-unknown")),
    ],
)
def test_processes_need_shared_memory(
    subject: Make, devices: int, size_bytes: int | None, expected: tuple[str, str]
) -> None:
    hardware = {"accelerator": "cpu", "devices": devices, "devices_per_node": devices}
    found = subject({"hardware": hardware}, parts={"limits": {"shared_memory_bytes": size_bytes}})
    assert told(host.shared_memory(found)) == [expected]


def test_limits_that_are_too_low(subject: Make, tmp_path: Path) -> None:
    (tmp_path / "sys/class/infiniband/mlx5_0").mkdir(parents=True)
    limits = {"open_files": 256, "open_files_hard": 4096, "locked_memory_bytes": 65536, "cpu_quota_cores": 1.5}
    recipe = {"hardware": {"accelerator": "cpu", "threads": 4}}
    found = subject(recipe, parts={"limits": limits}, root=tmp_path)
    assert told(host.limits(found)) == [
        ("warning", "preflight-open-files"),
        ("warning", "preflight-locked-memory"),
        ("warning", "preflight-cpu-quota"),
        ("passed", "preflight-limits"),
    ]


def test_limits_that_suffice(subject: Make, tmp_path: Path) -> None:
    found = subject(parts={"limits": {"open_files": None, "locked_memory_bytes": None}}, root=tmp_path)
    assert told(host.limits(found)) == [("passed", "preflight-limits")]


def test_other_work_is_seen(subject: Make) -> None:
    average = os.getloadavg()[0]
    # As many cores as make the present load much, or little.
    idle = subject(parts={"processor": {"usable_cores": int(average * 10) + 10}})
    assert told(host.load(idle)) == [("passed", "preflight-load")]
    if average > 0:
        busy = subject(parts={"processor": {"usable_cores": 0}})
        assert told(host.load(busy)) == [("warning", "preflight-load-busy")]


def test_a_new_file_has_the_time_of_now(tmp_path: Path) -> None:
    assert abs(host.file_skew_seconds(tmp_path) or 0.0) < 1.0
    assert host.file_skew_seconds(tmp_path / "absent") is None


def test_a_clock_that_is_off_is_seen(subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    # A mock: the clock of the machine that runs the tests must not be changed.
    real = time.time
    monkeypatch.setattr(host.time, "time", lambda: real() - 90.0)
    found = {finding.message_id: finding for finding in host.clock(subject())}
    assert found["preflight-clock-skew"].arguments["skew_seconds"] == pytest.approx(90.0, abs=1.0)


def test_the_kernel_says_whether_the_clock_is_kept(subject: Make) -> None:
    synchronized = host.is_synchronized()
    expected = {True: "preflight-clock", False: "preflight-clock-free", None: "preflight-clock-unknown"}[synchronized]
    assert expected in [finding.message_id for finding in host.clock(subject())]
