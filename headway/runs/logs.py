"""Append-only JSON-lines logs: one unbuffered write for each line, so that a kill loses at most a torn last line."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from headway.errors import RunError
from headway.runs import json_values

ROLL_BACKS = "roll_backs"
"""Field of a metric log: how often the run had been rolled back, where it had."""


class JsonLines:
    """Writes JSON lines to the end of a file.

    Args:
        path: the file; created if it is missing. A torn last line, left by a kill, is closed first.

    Raises:
        RunError: the file cannot be written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            self._torn = _is_torn(path)
        except OSError as error:
            raise self._unwritable(error) from error

    def append(self, record: Mapping[str, Any]) -> None:
        """Write one record as one line.

        Raises:
            RunError: the disk is full or fails; the line may be torn, and the next one starts on a line of its own.
        """
        line = json.dumps(json_values.encode(record), separators=(",", ":"), allow_nan=False) + "\n"
        data = ("\n" + line if self._torn else line).encode()
        try:
            while data:
                data = data[os.write(self._descriptor, data) :]
                self._torn = bool(data)
        except OSError as error:
            raise self._unwritable(error) from error

    def close(self) -> None:
        """Close the file."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def _unwritable(self, error: OSError) -> RunError:
        return RunError("run-unwritable", path=str(self._path), reason=error.strerror or str(error))

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


def read_lines(path: Path, *, last_bytes: int | None = None) -> list[dict[str, Any]]:
    """Read the whole records of a JSON-lines log; torn lines are passed over, a missing file has none.

    Args:
        path: the log.
        last_bytes: how much of its end is read; all of it where None.

    Raises:
        RunError: the file is there and cannot be read.
    """
    try:
        with path.open("rb") as file:
            skipped = 0 if last_bytes is None else max(file.seek(0, os.SEEK_END) - last_bytes, 0)
            file.seek(skipped)
            content = file.read()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise RunError("run-file-damaged", path=str(path), reason=error.strerror or str(error)) from error
    # Where the beginning is left out, the first line is the end of one.
    return list(parse_lines(content.partition(b"\n")[2] if skipped else content))


def last_per_step(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Keep the last record of each step, in order of steps.

    A run that was killed and resumed has done the steps after its last checkpoint twice. One that was rolled back has
    left a branch: the steps of it that were not done again do not count.
    """
    by_step: dict[int, dict[str, Any]] = {}
    branch = 0
    for record in records:
        if type(record.get("step")) is not int:
            continue
        number = record.get(ROLL_BACKS, 0)
        if type(number) is int and number > branch:
            branch = number
            by_step = {step: kept for step, kept in by_step.items() if step < record["step"]}
        by_step[record["step"]] = record
    return [by_step[step] for step in sorted(by_step)]


def parse_lines(content: bytes) -> Iterator[dict[str, Any]]:
    """Yield the whole records of a log's content; lines that are torn are passed over."""
    decode = msgspec.json.Decoder().decode
    for line in content.split(b"\n"):
        if not line:
            continue
        try:
            record = decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            continue
        if isinstance(record, dict):
            yield json_values.decode(record)


def _is_torn(path: Path) -> bool:
    with path.open("rb") as file:
        if not file.seek(0, os.SEEK_END):
            return False
        file.seek(-1, os.SEEK_END)
        return file.read(1) != b"\n"
