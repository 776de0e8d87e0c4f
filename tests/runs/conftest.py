from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from headway.recipe import Recipe, resolve_recipe
from headway.runs import EventLog, MetricLog, RunFolder


@pytest.fixture
def recipe() -> Recipe:
    return resolve_recipe({"name": "demo", "model": {"preset": "headway-tiny-1m"}, "training": {"steps": 10}})


@pytest.fixture
def run(tmp_path: Path, recipe: Recipe) -> RunFolder:
    return RunFolder.create(tmp_path / "runs", recipe, {"time": {"step_seconds": 0.5}})


@pytest.fixture
def trained(run: RunFolder) -> RunFolder:
    """A run with the traces of a training that was interrupted once."""
    with MetricLog(run.metrics_path()) as metrics, EventLog(run.events_path) as events:
        events.record("started", step=0)
        for step in range(1, 41):
            metrics.append({"step": step, "loss": 5 - step / 20, "tokens_per_second": 1000.0 + step})
        events.record("evaluated", step=20, loss=4.1)
        events.record("resumed", step=20)
        events.record("finished")
    return run


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder on a read-only file system that shows ``tmp_path``: the tests may run as root, whom no mode stops."""
    shown = tmp_path.with_name(f"{tmp_path.name}-read-only")
    shown.mkdir()
    mounted = subprocess.run(["mount", "--bind", "-o", "ro", tmp_path, shown], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("mounting needs root")
    try:
        yield shown
    finally:
        subprocess.run(["umount", shown], check=True)
        shown.rmdir()
