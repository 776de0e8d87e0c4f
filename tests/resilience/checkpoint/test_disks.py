"""Checkpoints on disks that are full, read-only, limited, or others than expected: with real file systems."""

from __future__ import annotations

import resource
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from tests.resilience.checkpoint.snapshots import leftovers, mount, require_equal, snapshot_of

SIZE = 2**20 // 4
"""Numbers of a checkpoint of one MiB."""


def large(step: int, parameters: dict[str, Any] | None = None) -> Snapshot:
    """Return a snapshot that does not fit beside another on the small disk."""
    content = {"a": np.zeros(3 * 2**20 // 4, np.float32)} if parameters is None else parameters
    return Snapshot(parameters=content, optimizer={}, state={"step": step})


def require_refusal(store: CheckpointStore, snapshot: Snapshot, message_id: str = "checkpoint-disk-full") -> None:
    with pytest.raises(CheckpointError) as caught:
        store.save(snapshot)
    assert caught.value.message_id == message_id
    if message_id == "checkpoint-disk-full":
        assert caught.value.arguments["needed_bytes"] >= snapshot.size_bytes
        assert caught.value.arguments["free_bytes"] >= 0
    newest, damaged = store.load_newest()
    require_equal(newest, 1, SIZE)
    assert damaged == []
    assert store.steps() == [1]
    assert leftovers(store.folder) == []


def test_a_checkpoint_that_does_not_fit_is_refused_beforehand(small_disk: Path) -> None:
    store = CheckpointStore(small_disk)
    store.save(snapshot_of(1, SIZE))
    free_bytes = shutil.disk_usage(small_disk).free
    require_refusal(store, large(2))
    assert shutil.disk_usage(small_disk).free == free_bytes
    store.save(snapshot_of(3, SIZE))
    require_equal(store.load_newest()[0], 3, SIZE)


def test_a_disk_that_fills_during_the_write(small_disk: Path) -> None:
    store = CheckpointStore(small_disk / "checkpoints")
    store.save(snapshot_of(1, SIZE))

    class Filling(dict[str, Any]):
        """Another process takes the space between the check and the write."""

        def __getitem__(self, name: str) -> Any:
            other = small_disk / "other"
            if list(store.folder.glob(".writing-*")) and not other.exists():
                other.write_bytes(b"x" * (shutil.disk_usage(small_disk).free - 2**19))
            return super().__getitem__(name)

    require_refusal(store, large(2, Filling(a=np.ones(SIZE, np.float32))))
    (small_disk / "other").unlink()
    store.save(snapshot_of(2, SIZE))
    require_equal(store.load_newest()[0], 2, SIZE)


def test_a_disk_without_room_for_another_folder(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount("-t", "tmpfs", "-o", "nr_inodes=1,size=4m", "headway-test", disk)
    try:
        with pytest.raises(CheckpointError, match="checkpoint-disk-full"):
            CheckpointStore(disk / "checkpoints").save(snapshot_of(1))
    finally:
        subprocess.run(["umount", disk], check=True)


def test_a_quota_that_the_free_space_does_not_show(store: CheckpointStore) -> None:
    store.save(snapshot_of(1, SIZE))
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (2**20, limits[1]))
    try:
        require_refusal(store, large(2))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


def test_a_disk_that_became_read_only(small_disk: Path) -> None:
    store = CheckpointStore(small_disk)
    store.save(snapshot_of(1, SIZE))
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    require_refusal(store, snapshot_of(2), "checkpoint-unwritable")
    # What is there already and good needs no writing.
    assert store.save(snapshot_of(1, SIZE)) == store.path_of(1)
    subprocess.run(["mount", "-o", "remount,rw", small_disk], check=True)
    store.save(snapshot_of(2))
    assert store.steps() == [1, 2]


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    store = CheckpointStore(tmp_path / "file" / "checkpoints")
    with pytest.raises(CheckpointError, match="checkpoint-unwritable"):
        store.save(snapshot_of(1))
    assert store.load_newest() == (None, [])


def test_an_old_checkpoint_that_cannot_be_removed_stays(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path / "checkpoints", keep_last=1)
    store.save(snapshot_of(1))
    kept = tmp_path / "kept"
    shutil.copytree(store.path_of(1), kept)
    # A mount point can be neither renamed nor removed.
    mount("--bind", kept, store.path_of(1))
    try:
        store.save(snapshot_of(2))
        assert store.steps() == [1, 2]
        require_equal(store.load(1), 1)
        require_equal(store.load_newest()[0], 2)
        (kept / "state.json").unlink()
        with pytest.raises(CheckpointError, match="checkpoint-unwritable"):
            store.save(snapshot_of(1))
        assert leftovers(store.folder) == []
        require_equal(store.load_newest()[0], 2)
    finally:
        subprocess.run(["umount", store.path_of(1)], check=True)
    store.save(snapshot_of(3))
    assert store.steps() == [3]


def test_checkpoints_may_lie_on_another_file_system(tmp_path: Path, small_disk: Path) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / "checkpoints").symlink_to(small_disk)
    store = CheckpointStore(run / "checkpoints")
    for step in (1, 2, 3):
        store.save(snapshot_of(step))
    assert store.steps() == [2, 3]
    assert leftovers(small_disk) == []
