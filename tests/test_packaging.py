"""What is shipped, and the versions that it is installed with."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LOCK_LINES = [line for line in (ROOT / "requirements.lock").read_text().splitlines() if not line.startswith("#")]
LOCK = dict(line.split("==") for line in LOCK_LINES)
REQUIREMENTS = [
    requirement
    for line in [
        *PROJECT["dependencies"],
        *(line for extra in PROJECT["optional-dependencies"].values() for line in extra),
    ]
    if (requirement := Requirement(line)).name != "headway"
]


def test_the_lock_is_one_exact_version_a_line() -> None:
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*==[0-9][A-Za-z0-9.]*", line) for line in LOCK_LINES)
    names = [line.split("==")[0] for line in LOCK_LINES]
    assert names == sorted(set(names))
    assert LOCK["torch"] == "2.13.0"


@pytest.mark.parametrize("requirement", REQUIREMENTS, ids=str)
def test_the_lock_has_a_version_for_every_requirement(requirement: Requirement) -> None:
    version = LOCK[canonicalize_name(requirement.name)]
    assert requirement.specifier.contains(version, prereleases=True)


def test_the_wheel_holds_everything_that_the_package_needs(tmp_path: Path) -> None:
    pytest.importorskip("hatchling")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("headway-*.whl")
    shipped = set(zipfile.ZipFile(wheel).namelist())
    ours = {
        str(path.relative_to(ROOT))
        for path in (ROOT / "headway").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and "ui" not in path.parts
    }
    assert ours <= shipped
    # The front end as it was built, and neither its sources nor what builds it.
    assert any(re.fullmatch(r"headway/web/assets/index-.*\.js", name) for name in shipped)
    assert not any(name.startswith("headway/web/ui/") for name in shipped)
    for kind in (".ftl", ".toml", ".c", "headway/py.typed", "headway/cli/demo.toml"):
        assert any(name.endswith(kind) for name in shipped), kind
    assert not [name for name in shipped if not name.startswith(("headway/", "headway-"))]


def test_make_tells_what_it_can_do_and_what_it_needs(tmp_path: Path) -> None:
    def make(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)

    described = make()
    assert described.returncode == 0
    for target in ("demo", "test", "check", "bench", "lock", "clean"):
        assert f"make {target}" in described.stdout
    refused = make(f"VENV={tmp_path}/none", "PYTHON=/bin/false", "venv")
    assert refused.returncode == 2
    assert "Python 3.11 or later" in refused.stderr
    assert not (tmp_path / "none").exists()
    old = tmp_path / "python"
    old.write_text('#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\n')
    old.chmod(0o755)
    refused = make(f"VENV={tmp_path}/none", f"PYTHON={old}", "venv")
    assert refused.returncode == 2
    assert "python3-venv" in refused.stderr
