"""The README is short, and every command that it shows works, in its order."""

from __future__ import annotations

import re
import shlex
import shutil
from pathlib import Path

from tests.command_line import Headway

README = Path(__file__).parents[1] / "README.md"
MAX_LINES = 150


def commands() -> list[str]:
    blocks = re.findall(r"```console\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    return [line.removeprefix("$ ") for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def test_the_commands_of_the_readme_work(tmp_path: Path, shared_cache: Path) -> None:
    headway = Headway(tmp_path, shared_cache)
    # The reader stands in the repository.
    shutil.copytree(README.parent / "recipes", tmp_path / "recipes")
    shown = commands()
    assert len(shown) >= 8
    for command in shown:
        program, *arguments = shlex.split(command)
        assert program == "headway"
        done = headway(*arguments)
        assert done.code == 0, f"{command}\n{done.err}"
    assert (tmp_path / "my.png").stat().st_size > 5000


def test_the_readme_is_short() -> None:
    assert len(README.read_text(encoding="utf-8").splitlines()) <= MAX_LINES
