"""Snapshots that tell their step, and what the checkpoint tests ask of a store."""

from __future__ import annotations

import subprocess
from pathlib import Path

import numpy as np
import pytest

from headway.resilience.checkpoint import Snapshot


def snapshot_of(step: int, size: int = 1000) -> Snapshot:
    """Return a snapshot whose every number tells its step, so that a mix of two would be seen."""
    return Snapshot(
        parameters={
            "model.embed_tokens.weight": np.full((size // 10, 10), step, np.float32),
            "model.norm.weight": np.full(7, step, np.float32),
        },
        optimizer={
            "model.norm.weight.exp_avg": np.full(7, step + 0.5, np.float32),
            "model.norm.weight.exp_avg_sq": np.full(7, step + 0.25, np.float32),
        },
        state={"step": step, "tokens_seen": step * 100, "nested": {"list": [1, None, "a"]}},
        files={"config.json": b'{"model_type": "llama"}\n'},
    )


def require_equal(loaded: Snapshot | None, step: int, size: int = 1000) -> None:
    assert loaded is not None
    expected = snapshot_of(step, size)
    assert loaded.state == expected.state
    for found, wanted in ((loaded.parameters, expected.parameters), (loaded.optimizer, expected.optimizer)):
        assert sorted(found) == sorted(wanted)
        for name, array in wanted.items():
            assert found[name].dtype == array.dtype
            np.testing.assert_array_equal(found[name], array)


def leftovers(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("step-"))


def mount(*arguments: object) -> None:
    mounted = subprocess.run(["mount", *map(str, arguments)], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting needs root")
