"""The logs of a run as far as one attempt wrote them: what came before has another story."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import final

from headway.diagnosis import Diagnosis, diagnose

LARGEST_BYTES = 64 << 20
"""Of one log: what ended an attempt stands near the end of its log."""


@final
class LogParts:
    """Remembers how long logs are when an attempt starts.

    Args:
        paths: the logs; they may not exist yet.
    """

    def __init__(self, paths: Sequence[Path]) -> None:
        self._starts = {path: path.stat().st_size if path.exists() else 0 for path in paths}

    def diagnosed(self) -> Diagnosis:
        """Say why the attempt ended, from what was written since."""
        with tempfile.TemporaryDirectory(prefix="headway-") as folder:
            copies = [Path(folder, path.name) for path in self._starts]
            for (path, start), copy in zip(self._starts.items(), copies, strict=True):
                _copy_from(path, start, copy)
            # One process: another one would take longer to start than these logs take to read.
            return diagnose(copies, processes=1)


def _copy_from(path: Path, start: int, copy: Path) -> None:
    with copy.open("wb") as target:
        try:
            source = path.open("rb")
        except OSError:
            return
        with source:
            source.seek(max(start, source.seek(0, 2) - LARGEST_BYTES))
            shutil.copyfileobj(source, target)
