"""The real command line, for tests."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

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
            "PYTHONPATH": str(Path(__file__).parents[1]),
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
