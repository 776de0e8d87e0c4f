import os
import platform
import subprocess
import sys
from collections.abc import Callable
from importlib import metadata
from pathlib import Path

import pytest

from headway.machine.software import find_compiler, read_software


def test_this_machine() -> None:
    software = read_software()
    assert software.kernel == os.uname().release
    assert software.python == platform.python_version()
    assert software.frameworks["numpy"] == metadata.version("numpy")
    assert software.frameworks["torch"] == metadata.version("torch")


def test_a_recorded_system(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "etc/os-release": 'NAME="Ubuntu"\nPRETTY_NAME="Ubuntu 24.04.1 LTS"\n',
            "proc/sys/kernel/osrelease": "6.8.0-45-generic\n",
        }
    )
    software = read_software(root)
    assert (software.system, software.kernel) == ("Ubuntu 24.04.1 LTS", "6.8.0-45-generic")
    assert read_software(tree({"etc/os-release": "garbage"})).system is None


def test_no_framework_is_imported_to_be_named() -> None:
    code = "import sys; from headway.machine import take_inventory; from pathlib import Path; take_inventory(Path('.'))"
    code += "; print(sorted({'torch', 'jax', 'tensorflow', 'numpy', 'ray'} & set(sys.modules)))"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"


@pytest.fixture
def empty_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", str(folder))
    monkeypatch.delenv("CC", raising=False)
    return folder


def test_no_compiler(empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_compiler() is None
    monkeypatch.setenv("CC", "gcc -m64")
    assert find_compiler() is None


def test_the_variable_decides_before_the_usual_names(empty_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("gcc", "mycc"):
        (empty_path / name).write_text("#!/bin/sh\n")
        (empty_path / name).chmod(0o755)
    assert find_compiler() == str(empty_path / "gcc")
    monkeypatch.setenv("CC", "mycc")
    assert find_compiler() == str(empty_path / "mycc")
