"""A real ``headway serve`` in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

TIMEOUT_SECONDS = 300.0


class Served:
    """One server, from the line that says where it is to the line that says what it did."""

    def __init__(self, model: Path, *options: str, **environment: str) -> None:
        # Nothing is measured here: what this machine's memory can do does not matter to these tests.
        self.process = subprocess.Popen(
            [sys.executable, "-m", "headway", "serve", str(model), "--port", "0", "--threads", "2", "--json", *options],
            env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2]), **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        self.out = self.process.stdout.readline()
        self.told: dict[str, Any] = {}
        if self.out.startswith('{"event"'):
            self.told = json.loads(self.out)
        else:
            # What was read ahead is in the stream, and not with communicate().
            self.out += self.process.stdout.read()
            self.process.communicate(timeout=TIMEOUT_SECONDS)

    @property
    def url(self) -> str:
        return str(self.told["url"])

    def stop(self, number: int = signal.SIGTERM) -> tuple[int, dict[str, Any], str]:
        """End the server and return its exit code, what it did, and what it said."""
        self.process.send_signal(number)
        out, errors = self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.returncode, json.loads(out.splitlines()[-1]) if out else {}, errors

    def kill(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.communicate()
