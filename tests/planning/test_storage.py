import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from headway.machine.measurements import DiskSpeed
from headway.planning.accelerated import hardware_of
from headway.planning.parameters import tensor_groups
from headway.planning.storage import (
    checkpoint_bytes,
    checkpoint_interval_seconds,
    dataset_bytes,
    plan_storage,
    required_bytes_per_second,
    saved_bytes,
    saved_bytes_per_weight,
)
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
    # 20 s of work, and 5 % of all time for the write: 20 x 0.05 / 0.95 s.
    assert found.checkpoint_write_bytes_per_second == pytest.approx(one / (20 / 19))
    assert found.node_write_bytes_per_second == found.restart_read_bytes_per_second
    assert found.read_bytes_per_second == 16 * 256 * 2 / 2.0
    assert found.burst_read_bytes_per_second == pytest.approx(16 * 256 * 2 / 0.1)
    assert found.read_time_share == pytest.approx(16 * 256 * 2 / 2.0 / 1e8)
    # Ten intervals of the 100 steps; the last of them ends with the run.
    assert found.written_bytes == 10 * one
    assert found.read_bytes == 100 * 16 * 256 * 2


def test_an_unmeasured_disk_stays_unknown(make_recipe: MakeRecipe) -> None:
    found = plan_storage(make_recipe(), None, step_seconds=100.0)
    assert found.checkpoint_write_seconds is found.checkpoint_time_share is found.dataset_bytes is None
    # A checkpoint is never more often than a step.
    assert found.checkpoint_write_bytes_per_second == pytest.approx(found.checkpoint_bytes * 0.95 / 5.0)


def test_the_required_rate_keeps_the_stall_at_its_share() -> None:
    rate = required_bytes_per_second(1e12, interval_seconds=600.0, share=0.02)
    stall_seconds = 1e12 / rate
    assert stall_seconds / (600 + stall_seconds) == pytest.approx(0.02)


def test_what_is_written_in_the_background_must_only_end_in_time(make_recipe: MakeRecipe) -> None:
    disk = DiskSpeed(
        folder=".", file_bytes=1, write_bytes_per_second=1e8, read_bytes_per_second=1e8, read_method="direct"
    )
    settings = {"checkpoint_every_steps": 10, "asynchronous_checkpoints": True}
    found = plan_storage(make_recipe(resilience=settings), disk, step_seconds=2.0)
    assert found.checkpoint_write_bytes_per_second == pytest.approx(found.checkpoint_bytes / 20)
    assert found.checkpoint_time_share is None
    stated = plan_storage(make_recipe(resilience={**settings, "asynchronous_stall_share": 0.1}), disk, step_seconds=2.0)
    stall_seconds = 0.1 * found.checkpoint_bytes / 1e8
    assert stated.checkpoint_time_share == pytest.approx(stall_seconds / (20 + stall_seconds))


def test_the_checkpoints_of_bloom() -> None:
    """2.3 TB in 40 s about every three hours: 0.37 % of the time. Source: stas00/ml-engineering on BLOOM-176B.

    To hold that share needs the rate that it had.
    """
    rate = required_bytes_per_second(2.3e12, interval_seconds=3 * 3600.0, share=0.0037)
    assert rate == pytest.approx(2.3e12 / 40, rel=0.01)


@pytest.mark.parametrize(
    ("weights", "optimizer", "own", "other"),
    [
        ("fp32", "adamw", 12, 12),
        ("master", "adamw", 12, 14),
        ("pure", "adamw", 6, 6),
        ("fp32", "adamw8bit", 6, 6),
        ("fp32", "adamw16bit", 8, 8),
        ("master", "adamw8bit", 6, 8),
        ("pure", "adamw8bit", 4, 4),
    ],
)
def test_what_a_checkpoint_holds_of_one_weight(
    weights: str, optimizer: str, own: float, other: float, make_recipe: MakeRecipe
) -> None:
    """fp32: 4 + 8; 16 bits: 2 + 4; moments of 8 bits: 2; programs that keep both kinds of weights write both."""
    found = [
        saved_bytes_per_weight(
            make_recipe(training={"software": software, "weights": weights, "optimizer": optimizer}).training
        )
        for software in ("headway", "megatron")
    ]
    assert found == [own, other]


def test_the_size_of_blooms_checkpoints() -> None:
    """BLOOM's model card: "Full checkpoint with optimizer states: 2.3TB", and 329GB of bf16 weights: binary units."""
    assert pytest.approx(2.3, rel=0.03) == 176.247e9 * 14 / 2**40
    assert pytest.approx(329, rel=0.01) == 176.247e9 * 2 / 2**30


def test_a_checkpoint_of_adapters_has_nothing_else(make_recipe: MakeRecipe) -> None:
    training = {"method": "lora", "adapter_rank": 8, "adapter_targets": "query-value", "software": "litgpt"}
    tuned = make_recipe(model={"preset": "llama-2-7b"}, hardware={"accelerator": "h100"}, training=training)
    # 32 layers of two projections of 4,096 to 4,096: 6 bytes for each weight of both low-rank matrices.
    assert saved_bytes(tuned) == pytest.approx(6 * 32 * 2 * 8 * 2 * 4096, rel=1e-3)


def test_a_rack_has_servers_of_four(make_recipe: MakeRecipe) -> None:
    """72 GB200 are 18 servers, in storage as in the plan's own hardware."""
    rack = make_recipe(hardware={"accelerator": "gb200-nvl72", "devices": 72}, training={"global_batch_size": 72})
    found = plan_storage(rack, None, step_seconds=2.0)
    assert found.node_write_bytes_per_second == pytest.approx(found.checkpoint_write_bytes_per_second / 18)
    assert hardware_of(rack, "gb200-nvl72").devices_per_node == 4


def test_servers_share_out_the_states(make_recipe: MakeRecipe) -> None:
    cluster = make_recipe(
        hardware={"accelerator": "h100", "devices": 64},
        training={"steps": 1000, "global_batch_size": 64},
        site={"max_stall_share": 0.01},
        resilience={"checkpoint_every": "10 min"},
    )
    found = plan_storage(cluster, None, step_seconds=2.0)
    assert found.checkpoint_write_bytes_per_second == pytest.approx(found.checkpoint_bytes * 99 / 600)
    assert found.node_write_bytes_per_second == pytest.approx(found.checkpoint_write_bytes_per_second / 8)


@pytest.mark.parametrize(("every", "writes"), [(10, 10), (30, 4), (100, 1), (1000, 1)])
def test_the_end_of_a_run_is_saved_once(make_recipe: MakeRecipe, every: int, writes: int) -> None:
    found = plan_storage(make_recipe(resilience={"checkpoint_every_steps": every}), None, step_seconds=0.3)
    assert found.written_bytes == writes * found.checkpoint_bytes


def test_no_interval_is_longer_than_the_run(make_recipe: MakeRecipe) -> None:
    """100 steps of 2 s."""
    for stated in ({"checkpoint_every": "10d"}, {"checkpoint_every_steps": 1000}):
        assert checkpoint_interval_seconds(make_recipe(resilience=stated), 2.0) == 200.0
    assert checkpoint_interval_seconds(make_recipe(resilience={"checkpoint_every": "1min"}), 2.0) == 60.0
