import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from headway.machine.measurements import DiskSpeed
from headway.planning.parameters import tensor_groups
from headway.planning.storage import checkpoint_bytes, dataset_bytes, plan_storage
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot

MakeRecipe = Callable[..., Recipe]


def test_a_checkpoint_is_as_large_as_predicted(tmp_path: Path, make_recipe: MakeRecipe) -> None:
    model = resolve_recipe({"model": {"preset": "headway-tiny-1m"}, "training": {"steps": 1}}).model
    arrays: dict[str, np.ndarray] = {}
    for group in tensor_groups(model):
        for layer in range(group.copies):
            arrays[group.name.replace("{layer}", str(layer))] = np.zeros(group.shape, dtype=np.float32)
    moments = {f"{name}.{moment}": array for name, array in arrays.items() for moment in ("exp_avg", "exp_avg_sq")}
    config = json.dumps({"hidden_size": 1}).encode()
    store = CheckpointStore(tmp_path)
    path = store.save(Snapshot(parameters=arrays, optimizer=moments, state={"step": 1}, files={"config.json": config}))
    written = sum(file.stat().st_size for file in path.iterdir())
    assert checkpoint_bytes(model) == pytest.approx(written, rel=2e-3)
    assert checkpoint_bytes(model) >= 12 * sum(array.size for array in arrays.values())


def test_tokens_take_two_or_four_bytes(make_recipe: MakeRecipe) -> None:
    assert dataset_bytes(make_recipe()) is None
    assert dataset_bytes(make_recipe(data={"dataset_tokens": "1M"})) == 2_000_000
    large = make_recipe(
        model={"preset": "llama-3.1-8b"}, data={"dataset_tokens": "1M"}, hardware={"accelerator": "h100"}
    )
    assert dataset_bytes(large) == 4_000_000


def test_what_is_kept_and_what_it_takes(make_recipe: MakeRecipe) -> None:
    disk = DiskSpeed(
        folder=".", file_bytes=1, write_bytes_per_second=1e8, read_bytes_per_second=1e8, read_method="direct"
    )
    recipe = make_recipe(resilience={"checkpoint_every_steps": 10, "keep_last": 3}, data={"dataset_tokens": 1000})
    found = plan_storage(recipe, disk, step_seconds=2.0)
    one = found.checkpoint_bytes
    assert found.checkpoints_bytes == 4 * one
    assert found.total_bytes == 4 * one + 2000
    assert found.checkpoint_write_seconds == one / 1e8
    assert found.checkpoint_time_share == pytest.approx((one / 1e8) / (20 + one / 1e8))
    assert found.checkpoint_write_bytes_per_second == one / 1.0
    assert found.read_bytes_per_second == 16 * 256 * 2 / 2.0


def test_an_unmeasured_disk_stays_unknown(make_recipe: MakeRecipe) -> None:
    found = plan_storage(make_recipe(), None, step_seconds=100.0)
    assert found.checkpoint_write_seconds is found.checkpoint_time_share is found.dataset_bytes is None
    # A checkpoint is never more often than a step.
    assert found.checkpoint_write_bytes_per_second == pytest.approx(found.checkpoint_bytes / 5.0)
