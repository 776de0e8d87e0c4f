import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import headway
from headway.machine import cache, take_inventory
from headway.machine.inventory import Inventory
from headway.machine.measurements import DiskSpeed, Measurements, Note

FULL = Measurements(
    measured_at="2026-01-01T00:00:00+00:00",
    elapsed_seconds=1.5,
    disk=DiskSpeed(
        folder="/x", file_bytes=1, write_bytes_per_second=2.0, read_bytes_per_second=3.0, read_method="direct"
    ),
    notes=(Note(message_id="machine-note-busy", arguments={"load": 1.5, "cores": 2}),),
)


@pytest.fixture(scope="module")
def inventory() -> Inventory:
    return take_inventory(Path())


def test_what_is_stored_is_loaded(tmp_path: Path) -> None:
    path = tmp_path / "new/folder/machine.json"
    assert cache.store(path, FULL) is True
    assert cache.load(path) == FULL
    assert [entry.name for entry in path.parent.iterdir()] == ["machine.json"]


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\x00", b'{"measured_at": 5, "elapsed_seconds": 1}', b"{}"])
def test_a_damaged_file_is_no_cache(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "machine.json"
    path.write_bytes(content)
    assert cache.load(path) is None
    assert cache.load(tmp_path) is None
    assert cache.load(tmp_path / "absent") is None


def test_a_cache_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    assert cache.store(Path("/proc/no/such/machine.json"), FULL) is False
    # Replacing a folder by a file fails after the temporary file was written; that one must go too.
    (tmp_path / "machine.json").mkdir()
    assert cache.store(tmp_path / "machine.json", FULL) is False
    assert [entry.name for entry in tmp_path.iterdir()] == ["machine.json"]


WRITER = """
import sys
from dataclasses import replace
from pathlib import Path
from headway.machine import cache
path = Path(sys.argv[1])
found = cache.load(path)
for _ in range(150):
    assert cache.store(path, replace(found, elapsed_seconds=float(sys.argv[2])))
"""


def test_two_writers_and_a_reader_never_see_half_a_file(tmp_path: Path) -> None:
    path = tmp_path / "machine.json"
    cache.store(path, replace(FULL, elapsed_seconds=1.0))
    environment = os.environ | {"PYTHONPATH": str(Path(headway.__file__).parent.parent)}
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(path), seconds], env=environment) for seconds in ("1", "2")
    ]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        found = cache.load(path)
        assert found is not None
        seen.add(found.elapsed_seconds)
    assert [writer.wait() for writer in writers] == [0, 0]
    assert seen and seen <= {1.0, 2.0}
    assert [entry.name for entry in tmp_path.iterdir()] == ["machine.json"]


CHANGES: dict[str, dict[str, Any]] = {
    "processor": {"model_name": "other", "num_logical_cores": 77, "usable_cores": 76, "instruction_sets": ("sve",)},
    "memory": {"total_bytes": 5, "cgroup_limit_bytes": 6},
    "disk": {"mount_point": "/elsewhere", "filesystem": "xfs"},
    "software": {"kernel": "9.9", "compiler": "/other/cc", "frameworks": {"torch": "9.9"}},
}


@pytest.mark.parametrize(("part", "name"), [(part, name) for part, names in CHANGES.items() for name in names])
def test_whatever_changes_the_figures_changes_the_digest(inventory: Inventory, part: str, name: str) -> None:
    changed = replace(getattr(inventory, part), **{name: CHANGES[part][name]})
    assert names_of(replace(inventory, **{part: changed})) != names_of(inventory)


def names_of(inventory: Inventory) -> str:
    return cache.cache_file(Path(), inventory).name


def test_what_varies_by_itself_does_not_change_the_digest(inventory: Inventory) -> None:
    memory = replace(inventory.memory, available_bytes=1, usable_bytes=1, swap_used_bytes=1)
    disk = replace(inventory.disk, free_bytes=1, folder="/other")
    assert names_of(replace(inventory, memory=memory, disk=disk)) == names_of(inventory)


def test_figures_of_other_disks_are_found_newest_first(inventory: Inventory, tmp_path: Path) -> None:
    others = [
        cache.cache_file(tmp_path, replace(inventory, disk=replace(inventory.disk, mount_point=place)))
        for place in ("/old", "/new")
    ]
    other_machine = replace(inventory, software=replace(inventory.software, kernel="another"))
    for number, path in enumerate([*others, cache.cache_file(tmp_path, inventory)]):
        assert cache.store(path, FULL)
        os.utime(path, (number, number))
    assert cache.store(cache.cache_file(tmp_path, other_machine), FULL)
    assert cache.files_of_other_disks(tmp_path, inventory) == others[::-1]
    assert cache.files_of_other_disks(tmp_path / "absent", inventory) == []


def test_the_version_of_the_probe_changes_the_digest(inventory: Inventory, monkeypatch: pytest.MonkeyPatch) -> None:
    before = cache.cache_file(Path("/c"), inventory)
    monkeypatch.setattr(cache, "PROBE_VERSION", cache.PROBE_VERSION + 1)
    assert cache.cache_file(Path("/c"), inventory) != before


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"HEADWAY_CACHE": "/a", "XDG_CACHE_HOME": "/b"}, Path("/a")),
        ({"HEADWAY_CACHE": "~/a"}, Path.home() / "a"),
        ({"HEADWAY_CACHE": "~no-such-user/a"}, Path("~no-such-user/a")),
        ({"XDG_CACHE_HOME": "/b"}, Path("/b/headway")),
        ({"HEADWAY_CACHE": "", "XDG_CACHE_HOME": "relative"}, Path.home() / ".cache/headway"),
        ({}, Path.home() / ".cache/headway"),
    ],
)
def test_the_folder(environment: dict[str, str], expected: Path) -> None:
    assert cache.cache_folder(environment) == expected


def test_a_user_without_a_home_has_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    assert cache.cache_folder({}) is None
