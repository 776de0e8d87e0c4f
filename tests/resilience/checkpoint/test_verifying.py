"""All checkpoints of a folder, looked at before one is needed; and what is not even written."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint import finite as finite_module
from headway.resilience.checkpoint import store as store_module
from headway.resilience.checkpoint.finite import count_not_finite
from headway.resilience.checkpoint.verifying import verify
from tests.resilience.checkpoint.snapshots import snapshot_of

WEIGHTS = "model-00001-of-00001.safetensors"


def flip(path: Path) -> None:
    content = bytearray((path / WEIGHTS).read_bytes())
    content[-3] ^= 16
    (path / WEIGHTS).write_bytes(content)


def truncate(path: Path) -> None:
    (path / WEIGHTS).write_bytes((path / WEIGHTS).read_bytes()[:-1])


@pytest.mark.parametrize(("spoil", "told"), [(flip, "checkpoint-file-checksum"), (truncate, "checkpoint-file-size")])
def test_each_checkpoint_is_told_good_or_not(store: CheckpointStore, spoil: Callable[[Path], None], told: str) -> None:
    store.save(snapshot_of(1))
    store.save(replace(snapshot_of(2), state={"step": 2, "saved_at": 12.5}))
    spoil(store.path_of(1))
    bad, good = verify(store)
    assert bad.error is not None
    assert (bad.step, bad.error.message_id) == (1, told)
    assert bad.to_dict()["error"]["id"] == told
    assert (good.step, good.error, good.saved_at) == (2, None, 12.5)
    assert good.size_bytes == snapshot_of(2).size_bytes
    assert json.loads(json.dumps(good.to_dict()))["is_good"]
    (odd,) = [one for one in verify(store, lambda snapshot: "odd" if snapshot.step == 2 else None) if one.step == 2]
    assert odd.error is not None
    assert odd.error.message_id == "checkpoint-state-odd"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("kind", ["parameters", "optimizer"])
def test_what_is_not_finite_is_not_written(store: CheckpointStore, value: float, kind: str) -> None:
    store.save(snapshot_of(1))
    spoiled = snapshot_of(2)
    name = next(iter(getattr(spoiled, kind)))
    getattr(spoiled, kind)[name].reshape(-1)[3] = value
    with pytest.raises(CheckpointError) as refused:
        store.save(spoiled)
    assert refused.value.message_id == "checkpoint-not-finite"
    assert refused.value.arguments == {"name": name, "count": 1}
    assert store.steps() == [1]
    assert not list(store.folder.glob(".*"))


def test_what_an_earlier_version_wrote_with_nan_is_passed_over(
    store: CheckpointStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.save(snapshot_of(1))
    spoiled = snapshot_of(2)
    spoiled.parameters["model.norm.weight"][0] = np.nan
    with monkeypatch.context() as patched:
        patched.setattr(store_module, "FiniteArrays", lambda arrays: arrays)
        store.save(spoiled)
    newest, damaged = store.load_newest()
    assert newest is not None
    assert newest.step == 1
    assert [one.message_id for one in damaged] == ["checkpoint-holds-nan"]


def test_finite_numbers_whose_sum_is_not_are_finite() -> None:
    assert count_not_finite(np.full(10, 3e38, np.float32)) == 0
    assert count_not_finite(np.array([3e38, 3e38, np.inf], np.float32)) == 1
    assert count_not_finite(np.array([np.inf, -np.inf, np.nan, 0.0])) == 3
    assert count_not_finite(np.array([1, 2], np.int8)) == 0
    assert finite_module.first_not_finite({"a": np.ones(2), "b": np.array([np.nan])}) == "b"


def test_one_of_every_so_long_a_time_stays(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep_last=2, keep_every_seconds=100.0)
    for step in range(1, 11):
        store.save(replace(snapshot_of(step), state={"step": step, "saved_at": 1000.0 + 40 * step}))
    # 40 s apart: those at 40, 160 and 280 s stay for good, and the last two.
    assert store.steps() == [1, 4, 7, 9, 10]


def test_who_does_not_say_when_it_was_saved_is_not_kept_for_it(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep_last=1, keep_every_seconds=100.0)
    for step in (1, 2):
        store.save(snapshot_of(step))
    assert store.steps() == [2]
