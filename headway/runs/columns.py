"""A metric log as columns of numbers, in a cache that can always be rebuilt from the log.

Reading one metric of half a million steps from JSON lines takes a second; from its own column, milliseconds. A column
is a file of 64-bit floats, one for each record of the log; an index says how far into the log they go. Columns only
grow, as the log does, and where the log is another one they are made anew.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from headway.errors import RunError
from headway.runs import json_values

VERSION = 1
CHUNK_BYTES = 16 * 2**20
"""So much of the log is parsed at once."""

MOST_METRICS = 1000
"""Further names of one log are passed over: a program that puts numbers into names would fill disk and memory."""

HEAD_BYTES = 4096
"""The beginning of a log tells whether it is the same one."""

_MISSING_BITS = np.uint64(0x7FF8DEAD00000000)
MISSING = float(np.array([_MISSING_BITS]).view(np.float64)[0])
"""A NaN of its own kind: a record without this metric, which is not the same as one whose metric is NaN."""

Column = NDArray[np.float64]


def is_missing(values: Column) -> NDArray[np.bool_]:
    """Say of each value whether its record had none; shape as ``values``."""
    found: NDArray[np.bool_] = values.view(np.uint64) == _MISSING_BITS
    return found


class MetricColumns:
    """The numbers of one metric log, by name.

    Args:
        log: the metric log; it may grow, and may not be there yet.
        cache: the folder of all such caches; None keeps the columns in memory only.
    """

    def __init__(self, log: Path, cache: Path | None) -> None:
        self._log = log
        digest = hashlib.blake2b(str(log.absolute()).encode(errors="surrogateescape"), digest_size=12).hexdigest()
        self._folder = None if cache is None else cache / "columns" / digest
        self._columns: dict[str, list[Column]] = {}
        self._offset = self._stored_rows = self._rows = 0
        self._head = ""
        self._load()

    @property
    def names(self) -> list[str]:
        """The metrics, in order of their first appearance."""
        return list(self._columns)

    def __len__(self) -> int:
        """Return the number of records."""
        return self._rows

    def column(self, name: str) -> Column:
        """Return one metric of every record, shape ``[len(self)]``; `MISSING` where a record has none.

        Raises:
            KeyError: no record has it.
        """
        parts = self._columns[name]
        if len(parts) > 1:
            self._columns[name] = parts = [np.concatenate(parts)]
        return parts[0]

    def update(self) -> int:
        """Take in what the log has grown by; return how many records are new.

        Raises:
            RunError: the log is there and cannot be read.
        """
        before = self._rows
        try:
            with self._log.open("rb") as file:
                if not self._is_same(file.read(HEAD_BYTES), os.fstat(file.fileno()).st_size):
                    self._forget()
                    before = 0
                file.seek(self._offset)
                rest = b""
                while chunk := file.read(CHUNK_BYTES):
                    whole, newline, rest = (rest + chunk).rpartition(b"\n")
                    self._take(whole)
                    self._offset += len(whole) + len(newline)
        except FileNotFoundError:
            self._forget()
            return 0
        except OSError as error:
            raise RunError("run-file-damaged", path=str(self._log), reason=error.strerror or str(error)) from error
        if self._rows > before:
            self._store()
        return self._rows - before

    def _is_same(self, head: bytes, size: int) -> bool:
        """Say whether the log is the one that the columns were read from, and remember its beginning."""
        known = len(head) if not self._head else int(self._head.partition(":")[0])
        # A log that was shorter than its head when it was first seen is compared as far as it went then.
        now = f"{known}:{hashlib.blake2b(head[:known], digest_size=12).hexdigest()}"
        same = size >= self._offset and (not self._head or (len(head) >= known and now == self._head))
        if not self._head or (same and known < len(head)):
            self._head = f"{len(head)}:{hashlib.blake2b(head, digest_size=12).hexdigest()}"
        return same

    def _forget(self) -> None:
        self._columns = {}
        self._offset = self._stored_rows = self._rows = 0
        self._head = ""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _take(self, lines: bytes) -> None:
        """Add the records of whole lines; what is no record is passed over."""
        decode = msgspec.json.Decoder().decode
        records: list[dict[str, Any]] = []
        for line in lines.split(b"\n"):
            try:
                record = decode(line)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                continue
            if isinstance(record, dict) and type(record.get("step")) is int:
                records.append(record)
        if not records:
            return
        names = dict.fromkeys(name for record in records for name in record)
        for name in names:
            values = np.array([_number(record.get(name)) for record in records], np.float64)
            if name in self._columns:
                self._columns[name].append(values)
            elif len(self._columns) < MOST_METRICS and not is_missing(values).all():
                self._columns[name] = [np.full(self._rows, MISSING), values]
        for name in self._columns.keys() - names.keys():
            self._columns[name].append(np.full(len(records), MISSING))
        self._rows += len(records)

    def _load(self) -> None:
        """Read the columns that are there; what does not fit together is made anew by the next `update`."""
        if self._folder is None:
            return
        try:
            index = json.loads((self._folder / "index.json").read_bytes())
            if index["version"] != VERSION:
                return
            rows, names = int(index["rows"]), list(index["names"])
            columns = {}
            for number, name in enumerate(names):
                values = np.fromfile(self._folder / f"{number}.f64", np.float64, rows)
                if len(values) != rows:
                    return
                columns[str(name)] = [values]
            offset, head = int(index["offset"]), str(index["head"])
        except (OSError, ValueError, KeyError, TypeError):
            return
        self._columns, self._rows, self._stored_rows = columns, rows, rows
        self._offset, self._head = offset, head

    def _store(self) -> None:
        """Append to the columns on disk, then replace the index: a kill in between leaves numbers that nobody counts.

        A cache that cannot be written is no reason not to read.
        """
        if self._folder is None:
            return
        with suppress(OSError):
            self._folder.mkdir(parents=True, exist_ok=True)
            for number, name in enumerate(self._columns):
                path = self._folder / f"{number}.f64"
                values = self.column(name)
                with path.open("r+b" if path.exists() else "wb") as file:
                    stored = min(file.seek(0, os.SEEK_END) // 8, self._stored_rows)
                    file.seek(stored * 8)
                    file.write(values[stored:].tobytes())
                    file.truncate()
            index = {
                "version": VERSION,
                "rows": self._rows,
                "offset": self._offset,
                "head": self._head,
                "names": self.names,
            }
            temporary = self._folder / f".index.{os.getpid()}"
            temporary.write_text(json.dumps(json_values.encode(index)))
            temporary.replace(self._folder / "index.json")
            self._stored_rows = self._rows


def _number(value: Any) -> float:
    if type(value) in (int, float):
        try:
            return float(value)
        except OverflowError:
            # An integer beyond every quantity.
            return MISSING
    if isinstance(value, bool):
        return float(value)
    decoded = json_values.decode(value) if isinstance(value, str) else None
    return decoded if isinstance(decoded, float) else MISSING
