"""Checkpoints in a second place: a folder, and behind a URL fsspec's own store of files, which is everywhere."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from headway.errors import CheckpointError
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.runs import EventLog, RunFolder
from headway.training.second_copy import FolderVault, SecondCopy, copied_steps, load_newest
from headway.training.session import Session, open_run
from tests.resilience.checkpoint.snapshots import require_equal, snapshot_of

Make = Callable[..., Recipe]


def fine(_: object) -> None:
    return None


@pytest.fixture(params=["folder", "url"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    folder = tmp_path / "second"
    return str(folder) if request.param == "folder" else f"file://{folder}"


def copied(make: Make, root: Path, place: str, steps: list[int]) -> tuple[Recipe, RunFolder, CheckpointStore]:
    recipe = make(resilience={"second_copy": place})
    run = RunFolder.create(root, recipe, {})
    store = CheckpointStore(run.checkpoints_folder, keep_last=9)
    with EventLog(run.events_path) as events:
        copies = SecondCopy(recipe, run, events)
        for step in steps:
            copies.offer(step, store.save(snapshot_of(step)))
            copies.close()
    return recipe, run, store


def test_copies_are_whole_and_old_ones_go(make_small_recipe: Make, tmp_path: Path, place: str) -> None:
    recipe, run, store = copied(make_small_recipe, tmp_path, place, [1, 2, 3])
    assert copied_steps(run) == [1, 2, 3]
    there = tmp_path / "second" / run.name
    assert sorted(path.name for path in there.iterdir()) == ["step-00000002", "step-00000003"]
    assert load_newest(run, recipe, fine)[2] is False
    # The first place is lost, and of the copies the newest is damaged.
    shutil.rmtree(store.folder)
    (there / "step-00000003" / "model-00001-of-00001.safetensors").write_bytes(b"")
    snapshot, _, is_copy = load_newest(run, recipe, fine)
    assert is_copy
    require_equal(snapshot, 2)


def test_damage_everywhere_is_an_error(make_small_recipe: Make, tmp_path: Path, place: str) -> None:
    recipe, run, store = copied(make_small_recipe, tmp_path, place, [1])
    (store.path_of(1) / "state.json").unlink()
    require_equal(load_newest(run, recipe, fine)[0], 1)
    shutil.rmtree(tmp_path / "second")
    with pytest.raises(CheckpointError, match="checkpoint-all-damaged"):
        load_newest(run, recipe, fine)


def test_copies_of_another_run_of_the_name_are_left_alone(make_small_recipe: Make, tmp_path: Path, place: str) -> None:
    recipe, run, _ = copied(make_small_recipe, tmp_path, place, [1, 2])
    shutil.rmtree(run.path)
    other = RunFolder.create(tmp_path, recipe, {})
    assert load_newest(other, recipe, fine) == (None, [], False)


def test_a_copy_that_fails_is_told_and_no_more(make_small_recipe: Make, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    recipe, run, _ = copied(make_small_recipe, tmp_path, str(tmp_path / "file"), [1])
    (notice,) = [event for event in run.events() if event["event"] == "notice"]
    assert notice["id"] == "checkpoint-copy-failed"
    assert copied_steps(run) == []
    assert load_newest(run, recipe, fine)[2] is False


def test_a_copy_that_takes_for_ever_holds_nobody_up(
    make_small_recipe: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mock of a store that stands still: a real one of that kind cannot be mounted here."""
    recovers = threading.Event()
    monkeypatch.setattr(FolderVault, "put", lambda *_: recovers.wait())
    recipe = make_small_recipe(resilience={"second_copy": str(tmp_path / "second")})
    run = RunFolder.create(tmp_path, recipe, {})
    with EventLog(run.events_path) as events:
        copies = SecondCopy(recipe, run, events)
        copies.offer(1, CheckpointStore(run.checkpoints_folder).save(snapshot_of(1)))
        copies.close(0.05)
    recovers.set()
    (notice,) = [event for event in run.events() if event["event"] == "notice"]
    assert (notice["id"], notice["arguments"]["reason"]) == ("checkpoint-copy-failed", "timeout")


def test_a_run_goes_on_from_the_second_place(make_small_recipe: Make, tmp_path: Path) -> None:
    def recipe(steps: int) -> Recipe:
        return make_small_recipe(
            training={"steps": steps, "schedule": "constant"},
            resilience={"second_copy": str(tmp_path / "second"), "checkpoint_every_steps": 5},
        )

    run = open_run(recipe(6), {}, root=tmp_path, name="lost")
    assert Session(run).wait() == 0
    assert copied_steps(run)[-1] == 6
    shutil.rmtree(run.checkpoints_folder)
    again = open_run(recipe(8), {}, root=tmp_path, name="lost", resume=True)
    assert Session(again).wait() == 0
    assert any(event.get("id") == "checkpoint-from-copy" for event in again.events())
    assert [event["step"] for event in again.events() if event["event"] == "resumed"] == [6]
    assert CheckpointStore(again.checkpoints_folder).steps() == [8]
