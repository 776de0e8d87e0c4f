from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from headway.machine import cache, take_inventory
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.drills.fault import Grounds
from headway.resilience.drills.rehearsal import begin
from headway.resilience.drills.stage import Stage
from tests.planning.conftest import measurements

Begun = tuple[Grounds, Stage]


@pytest.fixture(scope="session")
def invented_speed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache that says this machine is as fast as an invented one: drills compare weights; measuring takes long."""
    folder = tmp_path_factory.mktemp("invented-speed")
    assert cache.store(cache.cache_file(folder, take_inventory(folder)), measurements())
    return folder


@pytest.fixture(scope="session")
def make_recipe(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Recipe]:
    """Return a function that makes a recipe of a few kilobytes of weights."""
    text = tmp_path_factory.mktemp("text")
    (text / "argparse.py").write_text(Path(__import__("argparse").__file__).read_text()[:60_000])

    def make(processes: int = 1, **changes: dict[str, Any]) -> Recipe:
        raw: dict[str, Any] = {
            "name": "rehearsed",
            "model": {
                "hidden_size": 32,
                "intermediate_size": 64,
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "num_key_value_heads": 2,
                "vocab_size": 300,
                "max_position_embeddings": 32,
                "tie_word_embeddings": True,
            },
            "data": {"paths": [str(text)], "validation_fraction": 0.1},
            "training": {"steps": 1000, "global_batch_size": 8, "learning_rate": 3e-3, "precision": "fp32"},
            "layout": {"data_parallel_degree": processes, "shard": "none", "micro_batch_size": 4},
            "hardware": {
                "accelerator": "cpu", "devices": processes, "devices_per_node": processes, "threads": 1,
            },
            "resilience": {"hang_steps": 3},
        }  # fmt: skip
        for section, values in changes.items():
            raw[section] = {**raw.get(section, {}), **values}
        return resolve_recipe(raw)

    return make


@pytest.fixture(scope="session")
def one(make_recipe: Callable[..., Recipe], tmp_path_factory: pytest.TempPathFactory, invented_speed: Path) -> Begun:
    """A clean run of one process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADWAY_CACHE", str(invented_speed))
        return begin(make_recipe(), tmp_path_factory.mktemp("one") / "drill")


@pytest.fixture(scope="session")
def two(make_recipe: Callable[..., Recipe], tmp_path_factory: pytest.TempPathFactory, invented_speed: Path) -> Begun:
    """A clean run of two processes that hold copies."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEADWAY_CACHE", str(invented_speed))
        return begin(make_recipe(2), tmp_path_factory.mktemp("two") / "drill")


@pytest.fixture(autouse=True)
def _known_machine(monkeypatch: pytest.MonkeyPatch, invented_speed: Path) -> None:
    monkeypatch.setenv("HEADWAY_CACHE", str(invented_speed))
