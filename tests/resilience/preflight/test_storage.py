from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from headway import units
from headway.machine.measurements import DiskSpeed
from headway.resilience.preflight import storage
from headway.resilience.preflight.subject import Subject

Make = Callable[..., Subject]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=2m,nr_inodes=4", "tmpfs", str(folder)], check=True)
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def ids(findings: object) -> list[str]:
    assert hasattr(findings, "__iter__")
    return [finding.message_id for finding in findings]


def test_room_is_compared_with_the_plan(subject: Make, small_disk: Path) -> None:
    plan = {"storage": {"total_bytes": 3 * units.MIB}}
    (short,) = storage.disk_space(subject(plan=plan, folder=small_disk))
    assert (short.status, short.message_id) == ("failed", "preflight-disk-short")
    assert short.arguments["needed_bytes"] == 3 * units.MIB
    # What the run has there already needs no room any more.
    assert ids(storage.disk_space(subject(plan=plan, folder=small_disk, present_bytes=2 * units.MIB))) == [
        "preflight-disk"
    ]
    assert ids(storage.disk_space(subject(folder=small_disk))) == ["preflight-disk-unplanned"]


def test_a_disk_without_inodes_is_full(subject: Make, small_disk: Path) -> None:
    for number in range(3):
        (small_disk / str(number)).touch()
    assert "preflight-inodes" in ids(storage.disk_space(subject(folder=small_disk)))


def test_a_disk_that_is_full_cannot_be_measured(subject: Make, small_disk: Path) -> None:
    (small_disk / "file").write_bytes(b"." * shutil.disk_usage(small_disk).free)
    inventory = {"disk": {"free_bytes": 0}}
    (finding,) = storage.disk_speed(subject(folder=small_disk, parts=inventory))
    assert (finding.status, finding.message_id) == ("failed", "machine-note-disk-full")


def test_a_read_only_disk_is_refused(subject: Make, small_disk: Path) -> None:
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    assert ids(storage.disk_space(subject(folder=small_disk))) == ["preflight-disk-closed"]


@pytest.mark.parametrize(
    ("rate", "expected"), [(1e9, ("passed", "preflight-checkpoint-time")), (1e7, ("warning", "preflight-disk-slow"))]
)
def test_a_checkpoint_may_take_too_long(
    subject: Make, monkeypatch: pytest.MonkeyPatch, rate: float, expected: tuple[str, str]
) -> None:
    # A mock of the measurement: a disk of a given speed cannot be had here.
    speed = DiskSpeed(
        folder="x", file_bytes=1, write_bytes_per_second=rate, read_bytes_per_second=rate, read_method="cached"
    )
    monkeypatch.setattr(storage, "measure_disk", lambda *_args, **_keywords: (speed, []))
    (finding,) = storage.disk_speed(subject(plan={"storage": {"checkpoint_bytes": 100_000_000}}))
    # 0.1 s and 10 s, of 60 s between two.
    assert (finding.status, finding.message_id) == expected
    assert finding.arguments["seconds"] == 1e8 / rate


def test_the_disk_is_really_written(subject: Make) -> None:
    (finding,) = storage.disk_speed(subject())
    assert finding.message_id == "preflight-disk-speed"
    assert float(finding.arguments["write_bytes_per_second"]) > 0
