from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.command_line import Headway


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
