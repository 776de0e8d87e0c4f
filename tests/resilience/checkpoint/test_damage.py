from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headway.errors import CheckpointError
from headway.i18n import Translator
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint.damage import find_damage
from tests.resilience.checkpoint.snapshots import leftovers, require_equal, snapshot_of

FILES = (
    "config.json",
    "manifest.json",
    "model-00001-of-00001.safetensors",
    "model.safetensors.index.json",
    "optimizer-00001-of-00001.safetensors",
    "state.json",
)


@pytest.fixture
def two(store: CheckpointStore) -> CheckpointStore:
    """A store that holds steps 1 and 2."""
    for step in (1, 2):
        store.save(snapshot_of(step))
    return store


def require_fallback(store: CheckpointStore, *message_ids: str) -> None:
    """Require that step 2 is passed over for one of the reasons, and step 1 is loaded."""
    newest, damaged = store.load_newest()
    require_equal(newest, 1)
    assert [damage.path for damage in damaged] == [store.path_of(2)]
    assert damaged[0].message_id in message_ids
    translator = Translator("en")
    text = translator.text(damaged[0].message_id, **damaged[0].arguments)
    assert str(store.path_of(2)) in text
    assert "{" not in text
    assert translator.next_step(damaged[0].message_id, **damaged[0].arguments)
    with pytest.raises(CheckpointError) as caught:
        store.load(2)
    assert caught.value.message_id == damaged[0].message_id


@pytest.mark.parametrize("name", FILES)
def test_every_file_is_a_file_of_the_checkpoint(two: CheckpointStore, name: str) -> None:
    assert sorted(file.name for file in two.path_of(2).iterdir()) == sorted(FILES)


def _format_version(store: CheckpointStore) -> object:
    """Return the version of step 2 where it is a number above 1, else None."""
    try:
        version = json.loads((store.path_of(2) / "manifest.json").read_bytes())["format_version"]
    except (ValueError, KeyError):
        return None
    return version if type(version) is int and version > 1 else None


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("seed", range(12))
def test_a_flipped_bit_is_found(two: CheckpointStore, name: str, seed: int) -> None:
    path = two.path_of(2) / name
    content = bytearray(path.read_bytes())
    chosen = random.Random(f"{name} {seed}")
    position = (0, len(content) - 1)[seed] if seed < 2 else chosen.randrange(len(content))
    content[position] ^= 1 << chosen.randrange(8)
    path.write_bytes(content)
    if _format_version(two) not in (1, None):
        # One bit away from 1 there are later versions; what they wrote is not passed over in silence.
        with pytest.raises(CheckpointError, match="checkpoint-version"):
            two.load_newest()
        return
    require_fallback(
        two,
        "checkpoint-no-manifest",
        "checkpoint-file-missing",
        "checkpoint-file-size",
        "checkpoint-file-checksum",
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("keep", [0, 1, -2])
def test_a_truncated_file_is_found(two: CheckpointStore, name: str, keep: int) -> None:
    path = two.path_of(2) / name
    path.write_bytes(path.read_bytes()[:keep])
    require_fallback(two, "checkpoint-no-manifest", "checkpoint-file-size")


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_grew_is_found(two: CheckpointStore, name: str) -> None:
    with (two.path_of(2) / name).open("ab") as file:
        file.write(b"x")
    require_fallback(two, "checkpoint-no-manifest", "checkpoint-file-size")


@pytest.mark.parametrize("name", FILES)
def test_a_missing_file_is_found(two: CheckpointStore, name: str) -> None:
    (two.path_of(2) / name).unlink()
    require_fallback(two, "checkpoint-no-manifest", "checkpoint-file-missing")


def test_a_folder_in_place_of_a_file_is_found(two: CheckpointStore) -> None:
    (two.path_of(2) / FILES[2]).unlink()
    (two.path_of(2) / FILES[2]).mkdir()
    require_fallback(two, "checkpoint-file-missing")


@pytest.mark.parametrize(
    "content",
    [
        b"", b"{}", b"[]", b"null", b"3", b'"files"', b"\xff\xfe", b"[" * 100_000, b'{"files": 3}',
        b'{"files": {"a": 3}}',
        b'{"files": {"a": {"bytes": 1}}}', b'{"files": {"a": {"bytes": 1e999, "sha256": ""}}}',
        b'{"files": {"a": {"bytes": null, "sha256": ""}}}', b'{"format_version": 1, "files": {}}',
    ],
)  # fmt: skip
def test_a_manifest_of_garbage_is_found(two: CheckpointStore, content: bytes) -> None:
    (two.path_of(2) / "manifest.json").write_bytes(content)
    require_fallback(two, "checkpoint-no-manifest")


def set_version(store: CheckpointStore, version: object) -> None:
    path = store.path_of(2) / "manifest.json"
    manifest = json.loads(path.read_bytes())
    path.write_text(json.dumps({**manifest, "format_version": version}))


@pytest.mark.parametrize("version", [None, 0, -1, "1", 1.5])
def test_another_version_is_passed_over(two: CheckpointStore, version: object) -> None:
    set_version(two, version)
    require_fallback(two, "checkpoint-no-manifest")


def test_what_a_later_version_wrote_is_refused_and_never_touched(two: CheckpointStore) -> None:
    set_version(two, 2)
    before = {file: file.read_bytes() for file in two.path_of(2).iterdir()}
    for attempt in (two.load_newest, lambda: two.load(2), lambda: two.save(snapshot_of(2))):
        with pytest.raises(CheckpointError, match="checkpoint-version"):
            attempt()
    one = CheckpointStore(two.folder, keep_last=1)
    for step in (3, 4):
        one.save(snapshot_of(step))
    assert two.steps() == [2, 4]
    assert {file: file.read_bytes() for file in two.path_of(2).iterdir()} == before


@pytest.mark.parametrize(
    "content", [b"[]", b"3", b'{"step": "2"}', b'{"step": -5}', b'{"step": 3}', b'{"step": true}', b"{}"]
)
def test_a_state_that_no_training_wrote_is_found(two: CheckpointStore, content: bytes) -> None:
    replace_state(two, content)
    require_fallback(two, "checkpoint-state-odd")
    two.save(snapshot_of(2))
    require_equal(two.load(2), 2)


def replace_state(store: CheckpointStore, content: bytes) -> None:
    """Change the state as a person would who also mends its checksum."""
    (store.path_of(2) / "state.json").write_bytes(content)
    path = store.path_of(2) / "manifest.json"
    manifest = json.loads(path.read_bytes())
    manifest["files"]["state.json"] = {"bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}
    path.write_text(json.dumps(manifest))


def test_a_renamed_checkpoint_is_found(two: CheckpointStore) -> None:
    two.path_of(2).rename(two.path_of(30))
    newest, damaged = two.load_newest()
    require_equal(newest, 1)
    assert [damage.message_id for damage in damaged] == ["checkpoint-state-odd"]


def test_an_objection_passes_a_snapshot_over(two: CheckpointStore) -> None:
    newest, damaged = two.load_newest(objection=lambda found: "odd" if found.step == 2 else None)
    require_equal(newest, 1)
    assert [damage.arguments["reason"] for damage in damaged] == ["odd"]


def test_a_disk_that_fails_to_read_is_found(two: CheckpointStore) -> None:
    # The memory of a process cannot be read at address 0: the one file of which the kernel reports an I/O error.
    manifest_path = two.path_of(2) / "manifest.json"
    manifest = json.loads(manifest_path.read_bytes())
    manifest["files"]["broken"] = {"bytes": 0, "sha256": "0"}
    manifest_path.write_text(json.dumps(manifest))
    (two.path_of(2) / "broken").symlink_to(f"/proc/{os.getpid()}/mem")
    require_fallback(two, "checkpoint-file-unreadable")


def test_files_that_the_manifest_does_not_name_are_not_read(two: CheckpointStore) -> None:
    shutil.copy(two.path_of(1) / FILES[2], two.path_of(2) / "model-00002-of-00002.safetensors")
    require_equal(two.load(2), 2)


def test_a_file_in_place_of_a_checkpoint_is_passed_over_and_replaced(two: CheckpointStore) -> None:
    two.path_of(3).write_bytes(b"not a folder")
    newest, damaged = two.load_newest()
    require_equal(newest, 2)
    assert [damage.message_id for damage in damaged] == ["checkpoint-no-manifest"]
    two.save(snapshot_of(3))
    require_equal(two.load_newest()[0], 3)
    assert two.steps() == [2, 3]
    assert leftovers(two.folder) == []


def test_files_are_dropped_like_old_checkpoints(two: CheckpointStore) -> None:
    two.path_of(0).write_bytes(b"not a folder")
    two.save(snapshot_of(3))
    assert two.steps() == [2, 3]
    assert leftovers(two.folder) == []


def test_when_all_are_damaged_it_is_an_error(two: CheckpointStore) -> None:
    for step in (1, 2):
        (two.path_of(step) / "state.json").unlink()
    with pytest.raises(CheckpointError, match="checkpoint-all-damaged") as caught:
        two.load_newest()
    assert caught.value.arguments["count"] == 2


def test_a_damaged_checkpoint_of_the_same_step_is_replaced(two: CheckpointStore) -> None:
    (two.path_of(2) / "state.json").write_bytes(b"x")
    two.save(snapshot_of(2))
    require_equal(two.load(2), 2)
    assert two.steps() == [1, 2]
    assert leftovers(two.folder) == []


def test_links_are_followed_for_reading_and_never_for_removing(two: CheckpointStore, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    two.path_of(2).rename(elsewhere)
    two.path_of(2).symlink_to(elsewhere)
    require_equal(two.load_newest()[0], 2)
    (elsewhere / "state.json").write_bytes(b"x")
    two.save(snapshot_of(2))
    require_equal(two.load_newest()[0], 2)
    assert not two.path_of(2).is_symlink()
    assert (elsewhere / "state.json").read_bytes() == b"x"
    assert len(list(elsewhere.iterdir())) == len(FILES)
    two.path_of(1).rename(tmp_path / "other")
    two.path_of(1).symlink_to(tmp_path / "other")
    two.save(snapshot_of(3))
    assert two.steps() == [2, 3]
    assert len(list((tmp_path / "other").iterdir())) == len(FILES)
    assert leftovers(two.folder) == []


def test_a_link_to_nowhere_is_damage_and_is_replaced(two: CheckpointStore) -> None:
    two.path_of(3).symlink_to("/nowhere")
    assert [damage.message_id for damage in two.load_newest()[1]] == ["checkpoint-no-manifest"]
    two.save(snapshot_of(3))
    require_equal(two.load_newest()[0], 3)


def spoil(path: Path) -> None:
    (path / "state.json").unlink()


def flip(path: Path) -> None:
    content = bytearray((path / FILES[2]).read_bytes())
    content[-1] ^= 1
    (path / FILES[2]).write_bytes(content)


@pytest.mark.parametrize(
    ("keep_last", "damaged", "saved", "kept"),
    [
        # Newer steps that are damaged do not push out what is good: the run went back behind them.
        (1, {20: spoil, 30: spoil}, 12, {12}),
        (1, {20: flip, 30: flip}, 12, {12}),
        (2, {20: flip, 30: flip}, 12, {10, 12}),
        (2, {20: spoil}, 12, {12, 30}),
        # Older ones that lack a file do not count either.
        (2, {30: spoil}, 40, {20, 40}),
        (3, {20: spoil, 30: spoil}, 40, {10, 40}),
        (1, {}, 40, {40}),
        (9, {}, 40, {10, 20, 30, 40}),
    ],
)
def test_only_good_checkpoints_count_and_the_last_good_one_stays(
    tmp_path: Path, keep_last: int, damaged: dict[int, Callable[[Path], None]], saved: int, kept: set[int]
) -> None:
    filling = CheckpointStore(tmp_path, keep_last=9)
    for step in (10, 20, 30):
        filling.save(snapshot_of(step))
    for step, damage in damaged.items():
        damage(filling.path_of(step))
    store = CheckpointStore(tmp_path, keep_last)
    store.save(snapshot_of(saved))
    assert {step for step in store.steps() if find_damage(store.path_of(step)) is None} == kept
    assert store.load(saved).step == saved


def test_damage_is_plain_data(two: CheckpointStore) -> None:
    spoil(two.path_of(2))
    (damage,) = two.load_newest()[1]
    arguments: dict[str, Any] = damage.arguments
    assert json.loads(json.dumps(arguments)) == arguments
