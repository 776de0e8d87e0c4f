"""A few processes of this server that do one small thing together: measurements and self-tests."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

TIMEOUT_SECONDS = 40.0
"""How long the processes may take, importing the framework included."""


def run_ranks(module: str, ranks: int, arguments: Sequence[str] = ()) -> list[Any]:
    """Run ``python -m module --rank RANK STORE arguments`` for each rank; return what each printed as its last line.

    Args:
        module: takes part as one process; ``STORE`` is the file through which they find each other.
        ranks: how many processes.
        arguments: further ones.

    Raises:
        RuntimeError: a process failed; the text is the last line that it left.
        TimeoutExpired: they took too long.
    """
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo", "OMP_NUM_THREADS": "1"}
    with tempfile.TemporaryDirectory(prefix="headway-") as folder:
        store = str(Path(folder) / "store")
        processes = [
            subprocess.Popen(
                [sys.executable, "-P", "-m", module, "--rank", str(rank), store, *arguments],
                env=environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
            )
            for rank in range(ranks)
        ]
        try:
            printed = [process.communicate(timeout=TIMEOUT_SECONDS) for process in processes]
        finally:
            for process in processes:
                process.kill()
                process.wait()
    for process, (_, errors) in zip(processes, printed, strict=True):
        if process.returncode:
            lines = errors.decode("utf-8", "replace").strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"exit {process.returncode}")
    return [msgspec.json.decode(output.strip().splitlines()[-1]) for output, _ in printed if output.strip()]
