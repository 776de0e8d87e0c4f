from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest

from headway.machine import cache as machine_cache
from headway.training.data.cache import ABANDONED_SECONDS, building, cache_folder, cache_key, exclusive


def test_the_recipe_decides_before_the_environment(tmp_path: Path) -> None:
    environment = {"HEADWAY_CACHE": str(tmp_path / "h"), "XDG_CACHE_HOME": str(tmp_path / "x")}
    assert cache_folder(str(tmp_path), environment) == tmp_path / "data"
    assert cache_folder(None, environment) == tmp_path / "h" / "data"
    del environment["HEADWAY_CACHE"]
    assert cache_folder(None, environment) == tmp_path / "x" / "headway" / "data"
    for ignored in ({}, {"XDG_CACHE_HOME": "relative"}):
        assert cache_folder(None, ignored) == Path.home() / ".cache" / "headway" / "data"


@pytest.mark.parametrize(
    "environment", [{}, {"HEADWAY_CACHE": "~/a"}, {"XDG_CACHE_HOME": "relative"}, {"XDG_CACHE_HOME": "/b"}]
)
def test_prepared_data_lies_beside_the_measurements(environment: dict[str, str]) -> None:
    folder = machine_cache.cache_folder(environment)
    assert folder is not None
    assert cache_folder(None, environment) == folder / "data"
    assert cache_folder("~/c", environment) == Path.home() / "c" / "data"


def test_a_user_without_a_home_has_a_temporary_folder_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    monkeypatch.setattr("os.getuid", lambda: 4_000_000_000)
    assert cache_folder(None, {}) == Path(tempfile.gettempdir()) / "headway-4000000000" / "data"


def test_the_process_environment_is_the_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(tmp_path))
    assert cache_folder(None) == tmp_path / "data"


def test_the_key_depends_on_every_part_and_not_on_their_order() -> None:
    assert cache_key({"a": 1, "b": [2, 3]}) == cache_key({"b": (2, 3), "a": 1})
    assert len({cache_key({"a": 1}), cache_key({"a": 2}), cache_key({"b": 1})}) == 3


def never_waits() -> None:
    raise AssertionError("nobody else holds the lock")


def build(cache: Path, content: str) -> None:
    with exclusive(cache, "key", never_waits), building(cache, "key", lambda: 1) as folder:
        (folder / "file").write_text(content)
        assert not (cache / "key" / content).exists()


def test_a_folder_appears_when_it_is_complete(tmp_path: Path) -> None:
    cache = tmp_path / "deep" / "cache"
    build(cache, "one")
    assert (cache / "key" / "file").read_text() == "one"
    build(cache, "two")
    assert (cache / "key" / "file").read_text() == "two"
    assert sorted(path.name for path in cache.iterdir()) == [".key.lock", "key"]


def leave(cache: Path, error: BaseException) -> None:
    with exclusive(cache, "key", never_waits), building(cache, "key", lambda: 1) as folder:
        (folder / "file").write_text("half")
        raise error


def test_an_error_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError):
        leave(tmp_path, RuntimeError())
    assert [path.name for path in tmp_path.iterdir()] == [".key.lock"]


def test_what_was_interrupted_is_there_for_the_next(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        leave(tmp_path, KeyboardInterrupt())
    assert not (tmp_path / "key").exists()
    with exclusive(tmp_path, "key", never_waits), building(tmp_path, "key", lambda: 1) as folder:
        assert (folder / "file").read_text() == "half"
    assert (tmp_path / "key" / "file").read_text() == "half"


def test_the_second_waits_for_the_first(tmp_path: Path) -> None:
    entered, waiting, order = threading.Event(), threading.Event(), []

    def second() -> None:
        entered.wait(10)
        with exclusive(tmp_path, "key", waiting.set):
            order.append("second")

    thread = threading.Thread(target=second)
    thread.start()
    with exclusive(tmp_path, "key", never_waits):
        entered.set()
        assert waiting.wait(10)
        order.append("first")
    thread.join(10)
    assert order == ["first", "second"]


def test_what_dead_processes_left_is_cleared_and_what_is_in_use_is_not(tmp_path: Path) -> None:
    for name in (".key.replaced", ".other.building", ".third.replaced", ".busy.building", ".fresh.building"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("x")
    for name in (".other.building", ".busy.building"):
        for path in (tmp_path / name / "file", tmp_path / name):
            os.utime(path, (0, time.time() - ABANDONED_SECONDS - 60))
    holder = (
        "import fcntl, sys; lock = open(sys.argv[1], 'wb'); fcntl.flock(lock, fcntl.LOCK_EX)\n"
        "print('held', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", holder, str(tmp_path / ".busy.lock")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        with exclusive(tmp_path, "key", never_waits):
            left = {path.name for path in tmp_path.iterdir() if path.is_dir()}
        process.communicate(b"")
    assert left == {".busy.building", ".fresh.building"}


def test_a_cache_that_cannot_be_made_is_refused(tmp_path: Path, refused) -> None:
    (tmp_path / "file").write_text("x")
    with (
        refused("data-cache-unusable", path=str(tmp_path / "file" / "data")),
        exclusive(tmp_path / "file" / "data", "key", never_waits),
    ):
        pass


def test_an_error_of_the_file_system_is_named(tmp_path: Path, refused) -> None:
    with (
        refused("data-cache-unusable", path=str(tmp_path)),
        exclusive(tmp_path, "key", never_waits),
        building(tmp_path, "key", lambda: 1) as folder,
    ):
        (folder / "gone" / "file").write_text("x")
    assert [path.name for path in tmp_path.iterdir()] == [".key.lock"]


def test_a_file_size_limit_is_a_full_disk(tmp_path: Path, refused) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        with (
            refused("data-disk-full", path=str(tmp_path), needed_bytes=12345),
            exclusive(tmp_path, "key", never_waits),
            building(tmp_path, "key", lambda: 12345) as folder,
        ):
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
            (folder / "file").write_bytes(bytes(2000))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert [path.name for path in tmp_path.iterdir()] == [".key.lock"]
