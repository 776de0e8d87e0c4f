from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.checkpoint import division as division_module
from headway.resilience.checkpoint import store as store_module
from headway.resilience.checkpoint.damage import find_damage
from tests.resilience.checkpoint.snapshots import leftovers, require_equal, snapshot_of


def test_a_checkpoint_survives(store: CheckpointStore) -> None:
    assert store.steps() == []
    assert store.load_newest() == (None, [])
    path = store.save(snapshot_of(1))
    assert path == store.path_of(1)
    assert find_damage(path) is None
    require_equal(store.load(1), 1)
    newest, damaged = store.load_newest()
    require_equal(newest, 1)
    assert damaged == []
    assert leftovers(store.folder) == []
    assert sorted(file.name for file in path.iterdir()) == [
        "config.json",
        "manifest.json",
        "model-00001-of-00001.safetensors",
        "model.safetensors.index.json",
        "optimizer-00001-of-00001.safetensors",
        "state.json",
    ]


def test_the_newest_is_loaded_and_the_last_ones_stay(store: CheckpointStore) -> None:
    for step in (5, 10, 15, 20):
        store.save(snapshot_of(step))
    assert store.steps() == [15, 20]
    require_equal(store.load_newest()[0], 20)


@pytest.mark.parametrize("step", [0, 99_999_999, 100_000_000, 123_456_789_012])
def test_steps_of_any_length(store: CheckpointStore, step: int) -> None:
    store.save(snapshot_of(7))
    store.save(snapshot_of(step))
    assert store.steps() == sorted([7, step])
    require_equal(store.load(step), step)
    require_equal(store.load_newest()[0], max(7, step))


def test_steps_are_compared_as_numbers(tmp_path: Path) -> None:
    store = CheckpointStore(tmp_path, keep_last=2)
    for step in (99_999_998, 99_999_999, 100_000_000):
        store.save(snapshot_of(step))
    assert store.steps() == [99_999_999, 100_000_000]


@pytest.mark.parametrize(
    "name", ["step-x", "step-1", "step-0000000001", "step-00000001.bak", "other", ".writing-step-00000009-1"]
)
def test_other_names_are_no_checkpoints(store: CheckpointStore, name: str) -> None:
    store.save(snapshot_of(1))
    (store.folder / name).mkdir()
    assert store.steps() == [1]
    require_equal(store.load_newest()[0], 1)


def test_state_that_json_cannot_say_survives(store: CheckpointStore) -> None:
    snapshot = snapshot_of(1)
    state = {**snapshot.state, "loss": math.nan, "worst": [math.inf, -math.inf]}
    store.save(Snapshot(parameters=snapshot.parameters, optimizer={}, state=state))
    loaded = store.load(1)
    assert math.isnan(loaded.state["loss"])
    assert loaded.state["worst"] == [math.inf, -math.inf]
    assert loaded.optimizer == {}
    json.loads((store.path_of(1) / "state.json").read_text(), parse_constant=pytest.fail)


def test_a_snapshot_knows_its_step_and_size() -> None:
    assert snapshot_of(3).step == 3
    assert snapshot_of(3).size_bytes == (1000 + 7 + 7 + 7) * 4


def test_what_is_good_is_not_written_again(store: CheckpointStore) -> None:
    path = store.save(snapshot_of(1))
    before = {file.name: file.stat().st_mtime_ns for file in path.iterdir()}
    assert store.save(snapshot_of(1)) == path
    assert {file.name: file.stat().st_mtime_ns for file in path.iterdir()} == before


def test_arrays_are_spread_over_files(store: CheckpointStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(division_module, "MAX_FILE_BYTES", 100)
    parameters = {f"layer.{number}": np.full(10, number, np.float32) for number in range(5)}
    parameters["large"] = np.arange(50, dtype=np.float32)
    path = store.save(Snapshot(parameters=parameters, optimizer={}, state={"step": 1}))
    index = json.loads((path / "model.safetensors.index.json").read_bytes())
    assert index["metadata"]["total_size"] == 5 * 40 + 200
    names = [f"model-{number:05d}-of-00004.safetensors" for number in range(1, 5)]
    assert sorted(file.name for file in path.glob("model-*")) == names
    assert index["weight_map"] == {
        "layer.0": names[0], "layer.1": names[0], "layer.2": names[1], "layer.3": names[1], "layer.4": names[2],
        "large": names[3],
    }  # fmt: skip
    loaded = store.load(1).parameters
    assert set(loaded) == set(parameters)
    for name, array in parameters.items():
        np.testing.assert_array_equal(loaded[name], array)


def test_a_missing_checkpoint_cannot_be_loaded(store: CheckpointStore) -> None:
    with pytest.raises(CheckpointError, match="checkpoint-no-manifest"):
        store.load(1)


def test_leftovers_of_a_killed_save_are_removed(store: CheckpointStore) -> None:
    store.folder.mkdir()
    (store.folder / ".writing-step-00000009-1").mkdir()
    (store.folder / ".writing-step-00000009-1" / "model-00001-of-00001.safetensors").write_bytes(b"x")
    (store.folder / ".writing-dropped-step-00000002").touch()
    (store.folder / ".writing-link").symlink_to("/nowhere")
    store.save(snapshot_of(1))
    assert leftovers(store.folder) == []


def test_an_interrupted_save_leaves_nothing(store: CheckpointStore) -> None:
    store.save(snapshot_of(1))

    class Interrupting(dict[str, np.ndarray]):
        def __getitem__(self, name: str) -> np.ndarray:
            if list(store.folder.glob(".writing-*")):
                raise KeyboardInterrupt
            return super().__getitem__(name)

    with pytest.raises(KeyboardInterrupt):
        store.save(Snapshot(parameters=Interrupting(a=np.zeros(2)), optimizer={}, state={"step": 2}))
    with pytest.raises(CheckpointError, match="checkpoint-dtype"):
        store.save(Snapshot(parameters={"a": np.zeros(2, np.complex64)}, optimizer={}, state={"step": 2}))
    assert store.steps() == [1]
    assert leftovers(store.folder) == []


@pytest.mark.parametrize("sharded", [False, True])
def test_transformers_loads_the_folder(store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, sharded: bool) -> None:
    transformers = pytest.importorskip("transformers")
    torch = pytest.importorskip("torch")
    from headway.recipe import resolve_recipe, to_hf_config

    if sharded:
        monkeypatch.setattr(division_module, "MAX_FILE_BYTES", 20_000)
    shape = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": 128,
        "max_position_embeddings": 64,
    }
    config = to_hf_config(resolve_recipe({"model": shape, "training": {"steps": 1}}).model)
    torch.manual_seed(1)
    model = transformers.LlamaForCausalLM(transformers.LlamaConfig(**config))
    parameters = {name: tensor.numpy() for name, tensor in model.state_dict().items()}
    files = {"config.json": json.dumps(config).encode()}
    path = store.save(Snapshot(parameters=parameters, optimizer={}, state={"step": 1}, files=files))
    assert (len(list(path.glob("model-*.safetensors"))) > 1) is sharded
    loaded, report = transformers.AutoModelForCausalLM.from_pretrained(path, output_loading_info=True)
    assert not report["missing_keys"]
    assert not report["unexpected_keys"]
    assert set(loaded.state_dict()) == set(parameters)
    for name, tensor in loaded.state_dict().items():
        assert torch.equal(tensor, model.state_dict()[name]), name


def train_while_reading(store: CheckpointStore, monkeypatch: pytest.MonkeyPatch, *saved_steps: int) -> None:
    """Let the first read of arrays find that a training saved further steps, and dropped old ones, just before."""
    real, todo = store_module.read_tensor_file, list(saved_steps)

    def read(path: Path) -> dict[str, NDArray[Any]]:
        if not todo:
            return real(path)
        while todo:
            store.save(snapshot_of(todo.pop(0)))
        shutil.rmtree(path.parent, ignore_errors=True)
        return real(path)

    monkeypatch.setattr(store_module, "read_tensor_file", read)


def test_a_checkpoint_that_is_dropped_while_it_is_read(store: CheckpointStore, monkeypatch: pytest.MonkeyPatch) -> None:
    store.save(snapshot_of(1))
    train_while_reading(store, monkeypatch, 2, 3)
    loaded, passed_over = store.load_newest()
    require_equal(loaded, 3)
    assert [(damage.path, damage.message_id) for damage in passed_over] == [
        (store.path_of(1), "checkpoint-file-unreadable")
    ]
    train_while_reading(store, monkeypatch, 4)
    with pytest.raises(CheckpointError) as caught:
        store.load(3)
    assert caught.value.message_id == "checkpoint-file-unreadable"
    assert caught.value.arguments["file"]


def test_who_needs_the_weights_alone_leaves_the_optimizer_unread(store: CheckpointStore) -> None:
    path = store.save(snapshot_of(1))
    (path / "optimizer-00001-of-00001.safetensors").unlink()
    for loaded in (store.load(1, parameters_only=True), store.load_newest(parameters_only=True)[0]):
        assert loaded is not None
        assert dict(loaded.optimizer) == {}
        assert loaded.step == 1
        np.testing.assert_array_equal(loaded.parameters["model.norm.weight"], np.full(7, 1, np.float32))
    with pytest.raises(CheckpointError, match="checkpoint-file-missing"):
        store.load(1)
    (path / "model-00001-of-00001.safetensors").unlink()
    with pytest.raises(CheckpointError, match="checkpoint-file-missing"):
        store.load(1, parameters_only=True)
