from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

TIMEOUT_SECONDS = 400


@dataclass(frozen=True)
class Result:
    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


class Headway:
    """The real command line in a process of its own, with a cache and a working folder of its own."""

    def __init__(self, folder: Path, cache: Path) -> None:
        self.folder = folder
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("LC_", "LANG", "HEADWAY_"))},
            "HEADWAY_CACHE": str(cache),
            "PYTHONPATH": str(Path(__file__).parents[2]),
        }

    def __call__(self, *arguments: str, **environment: str) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "headway", *arguments],
            cwd=self.folder,
            env={**self.environment, **environment},
            capture_output=True,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
        assert "Traceback" not in done.stderr, done.stderr
        return Result(done.returncode, done.stdout, done.stderr)


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One cache for the whole session, so that the machine is measured once."""
    return tmp_path_factory.mktemp("headway-cache")


@pytest.fixture
def headway(tmp_path: Path, shared_cache: Path) -> Headway:
    return Headway(tmp_path, shared_cache)


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory, shared_cache: Path) -> Headway:
    """A folder with a small recipe and a finished run of it."""
    folder = tmp_path_factory.mktemp("trained")
    headway = Headway(folder, shared_cache)
    (folder / "text").mkdir()
    for name in ("argparse", "ast", "typing"):
        source = Path(sys.modules["os"].__file__).with_name(f"{name}.py")
        (folder / "text" / f"{name}.py").write_bytes(source.read_bytes())
    (folder / "small.toml").write_text(SMALL)
    done = headway("train", "small.toml", "--json")
    assert done.code == 0, done.err
    assert done.json["status"] == "finished"
    return headway


SMALL = """
[model]
hidden_size = 64
intermediate_size = 128
num_hidden_layers = 2
num_attention_heads = 4
vocab_size = 512
max_position_embeddings = 64
[data]
paths = "text"
validation_fraction = 0.3
[training]
steps = 20
global_batch_size = 8
learning_rate = 3e-3
evaluate_every_steps = 10
[layout]
micro_batch_size = 4
[hardware]
accelerator = "cpu"
[resilience]
checkpoint_every_steps = 10
"""
