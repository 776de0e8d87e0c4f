from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from headway.resilience.checkpoint import CheckpointStore
from tests.resilience.checkpoint.snapshots import mount


@pytest.fixture
def store(tmp_path: Path) -> CheckpointStore:
    return CheckpointStore(tmp_path / "checkpoints")


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 4 MiB of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount("-t", "tmpfs", "-o", "size=4m", "headway-test", folder)
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)
