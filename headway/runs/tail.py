"""Follow a log that another process is writing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, final

from headway.runs.logs import parse_lines


@final
class Tail:
    """Reads what was appended to a JSON-lines log since the last look.

    Args:
        path: the log; it may not exist yet.
        from_end: pass over what is there already.
    """

    def __init__(self, path: Path, from_end: bool = False) -> None:
        self._path = path
        self._offset = 0
        if from_end:
            self._take_new()

    def read(self) -> list[dict[str, Any]]:
        """Return the whole records that are new; a line that is still being written waits for the next call."""
        return list(parse_lines(self._take_new()))

    def _take_new(self) -> bytes:
        """Return the whole lines behind the offset, and move it behind them."""
        try:
            with self._path.open("rb") as file:
                if file.seek(0, os.SEEK_END) < self._offset:
                    # The log was replaced by a shorter one: start over.
                    self._offset = 0
                file.seek(self._offset)
                content = file.read()
        except FileNotFoundError:
            return b""
        end = content.rfind(b"\n") + 1
        self._offset += end
        return content[:end]
