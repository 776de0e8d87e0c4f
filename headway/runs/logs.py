"""Append-only JSON-lines logs: one unbuffered write for each line, so that a kill loses at most a torn last line.

JSON has no NaN and no infinity, and both must survive: they are written as the strings ``"NaN"``, ``"Infinity"`` and
``"-Infinity"``, which any JSON reader takes, and turned back into numbers here.
"""

from __future__ import annotations

import json
import math
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class JsonLines:
    """Writes JSON lines to the end of a file.

    Args:
        path: the file; created if it is missing. A torn last line, left by a kill, is closed first.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        if _is_torn(path):
            os.write(self._descriptor, b"\n")

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record as one line."""
        line = json.dumps(_encode(record), separators=(",", ":"), allow_nan=False) + "\n"
        os.write(self._descriptor, line.encode())

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class MetricLog(JsonLines):
    """The metric log of one rank: one line for each optimizer step."""


class EventLog(JsonLines):
    """What happened to a run: started, resumed, checkpoint saved, evaluated, failed, finished."""

    def record(self, event: str, /, **details: Any) -> None:
        """Write an event with the present time (seconds since 1970)."""
        self.append({"time": time.time(), "event": event, **details})


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Read all whole records of a JSON-lines log; torn lines are passed over, a missing file has none."""
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return []
    return list(parse_lines(content))


def last_per_step(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep the last record of each step, in order of steps.

    A run that was killed and resumed has done the steps after its last checkpoint twice.
    """
    by_step = {record["step"]: record for record in records if "step" in record}
    return [by_step[step] for step in sorted(by_step)]


def parse_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the whole records of a log's content; lines that are torn are passed over."""
    decode = msgspec.json.Decoder().decode
    for line in content.split(b"\n"):
        if not line:
            continue
        try:
            record = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError):
            continue
        if isinstance(record, dict):
            yield _decode(record)


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"


def _encode(value: Any) -> Any:
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, Mapping):
        return {key: _encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_encode(item) for item in value]
    return value


def _decode(value: Any) -> Any:
    if isinstance(value, str):
        return _NON_FINITE.get(value, value)
    if isinstance(value, dict):
        return {key: _decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_decode(item) for item in value]
    return value
