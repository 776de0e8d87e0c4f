"""The helper process that ends what its starter leaves behind, however the starter died."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import final

from headway.resilience.launchers import reaper


@final
class Reaper:
    """Ends process groups where this process dies, by SIGKILL too.

    Args:
        groups: their numbers.
        grace_seconds: how long they may take to end by themselves.
        number: the signal that they are told with; 0 where the kernel tells them.
    """

    def __init__(self, groups: Sequence[int], grace_seconds: float, number: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", reaper.__file__, str(grace_seconds), str(int(number)), *map(str, groups)],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )

    def add(self, groups: Sequence[int]) -> None:
        """End these groups too."""
        self._say("".join(f"{group}\n" for group in groups).encode())

    def dismiss(self) -> None:
        """Let it end without doing anything: the groups have ended."""
        self._say(b".")
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        self._process.wait()

    def _say(self, data: bytes) -> None:
        with suppress(OSError, ValueError):
            if self._process.stdin is not None:
                self._process.stdin.write(data)
                self._process.stdin.flush()
