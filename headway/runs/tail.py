"""Follow a log that another process is writing."""

from __future__ import annotations

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
        self._offset = path.stat().st_size if from_end and path.exists() else 0

    def read(self) -> list[dict[str, Any]]:
        """Return the whole records that are new; a line that is still being written waits for the next call."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                content = file.read()
        except FileNotFoundError:
            return []
        end = content.rfind(b"\n") + 1
        self._offset += end
        return list(parse_lines(content[:end]))
