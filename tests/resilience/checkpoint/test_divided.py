"""Checkpoints that several processes write: here threads, each with its own view of the folder."""

from __future__ import annotations

import threading
from pathlib import Path

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint import divided as divided_module
from headway.resilience.checkpoint import division as division_module
from headway.resilience.checkpoint.divided import DividedWrite
from headway.resilience.checkpoint.division import Division, Part, shared_out, wait_for_parts
from headway.resilience.checkpoint.snapshot import described
from tests.resilience.checkpoint.snapshots import leftovers, require_equal, snapshot_of


def writes_of(folder: Path, snapshot: Snapshot, size: int) -> list[DividedWrite]:
    kinds = {"model": snapshot.parameters, "optimizer": snapshot.optimizer}
    both = {kind: {name: described(arrays, name) for name in arrays} for kind, arrays in kinds.items()}
    sizes = {name: one.nbytes for each in both.values() for name, one in each.items()}
    division = Division(described=both, writers=shared_out(sizes, dict.fromkeys(sizes, range(size))))
    whole = {**snapshot.parameters, **snapshot.optimizer}
    plain = Snapshot(parameters={}, optimizer={}, state=snapshot.state, files=snapshot.files)
    return [
        DividedWrite(
            store=CheckpointStore(folder),
            part=Part(
                division=division,
                arrays={name: whole[name] for name in sizes if division.writers[name] == rank},
                state={},
            ),
            snapshot=plain,
            rank=rank,
            size=size,
        )
        for rank in range(size)
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_many_write_what_one_would(tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division_module, "MAX_FILE_BYTES", 2000)
    writes = writes_of(tmp_path, snapshot_of(3), size)
    assert writes[0].begin()
    others = [threading.Thread(target=write.run) for write in writes[1:]]
    for thread in others:
        thread.start()
    path = writes[0].run()
    for thread in others:
        thread.join()
    store = CheckpointStore(tmp_path)
    assert path == store.path_of(3)
    require_equal(store.load(3), 3)
    assert leftovers(tmp_path) == []
    assert not list(path.glob("*part-*"))
    assert not writes[0].begin()


def test_one_that_never_writes_leaves_the_checkpoint_before(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(snapshot_of(1))
    monkeypatch.setattr(divided_module, "PARTS_TIMEOUT_SECONDS", 0.05)
    first, _ = writes_of(store.folder, snapshot_of(2), 2)
    assert first.begin()
    with pytest.raises(CheckpointError, match="checkpoint-part-missing") as missing:
        first.run()
    assert missing.value.arguments["rank"] == 1
    require_equal(store.load_newest()[0], 1)
    assert leftovers(store.folder) == []


def test_one_that_does_not_see_the_folder_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(divided_module, "FOLDER_TIMEOUT_SECONDS", 0.05)
    _, second = writes_of(tmp_path, snapshot_of(1), 2)
    with pytest.raises(CheckpointError, match="checkpoint-unwritable"):
        second.run()


def test_what_one_has_that_is_not_finite_is_no_checkpoint(tmp_path: Path) -> None:
    snapshot = snapshot_of(1)
    snapshot.parameters["model.embed_tokens.weight"][0, 0] = np.nan
    first, second = writes_of(tmp_path, snapshot, 2)
    assert first.begin()
    failing = first if "model.embed_tokens.weight" in first.part.arrays else second
    with pytest.raises(CheckpointError, match="checkpoint-not-finite"):
        failing.run()
    assert CheckpointStore(tmp_path).steps() == []


def test_work_is_shared_out_evenly() -> None:
    sizes = {f"{number}": number for number in range(1, 101)}
    writers = shared_out(sizes, dict.fromkeys(sizes, (0, 1, 2, 3)))
    loads = [sum(sizes[name] for name, writer in writers.items() if writer == rank) for rank in range(4)]
    assert max(loads) - min(loads) <= 4
    assert shared_out({"a": 1}, {"a": (5, 6)}) == {"a": 5}


def test_parts_are_waited_for(tmp_path: Path) -> None:
    (tmp_path / "part-0").write_text('{"x": {"bytes": 1, "sha256": "y"}}')
    assert wait_for_parts(tmp_path, [0]) == {"x": {"bytes": 1, "sha256": "y"}}
