"""The environment of litgpt, which needs older packages than Headway: made once, in the cache folder."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from headway.machine import cache as machine_cache

REQUIREMENTS = ("torch==2.13.0", "litgpt==0.5.13")


def litgpt_python() -> Path | None:
    """Return the Python that has litgpt, installed where it is not there yet; None where it cannot be."""
    base = machine_cache.cache_folder()
    if base is None:
        return None
    folder = base / "benchmarks" / "litgpt-0.5.13"
    python = folder / "bin" / "python"
    if (folder / "complete").exists():
        return python
    print("Making litgpt's environment; the first time this takes some minutes.", file=sys.stderr, flush=True)
    shutil.rmtree(folder, ignore_errors=True)
    for command in (
        [sys.executable, "-m", "venv", str(folder)],
        [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *REQUIREMENTS],
        [str(python), "-c", "import litgpt.model"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"litgpt cannot be installed here: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
            return None
    (folder / "complete").touch()
    return python
