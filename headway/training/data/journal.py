"""What a preparation has done so far, so that another process can go on with it.

The journal lies in the folder that is being built. A line is written when what it tells is on the disk; a torn last
line was never written. Each is a kind and JSON:

- ``begin``: sizes by which the work was cut; a journal of other ones is of no use
- ``scanned``: what the first pass found in the next unit, without its sample
- ``tokenizer``: the digest of the tokenizer that lies in the folder
- ``encoded``: how far the writers are after the next piece
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, final

import msgspec

from headway.training.data.scanning import UnitScan
from headway.training.data.shards import FORMAT_VERSION, SHARD_TOKENS, WriterState
from headway.training.data.work import Sizes

NAME = "journal"


@dataclass
class Done:
    """What was done before."""

    scans: list[UnitScan] = field(default_factory=list)
    tokenizer_digest: str | None = None
    num_pieces: int = 0
    writers: tuple[WriterState, ...] = ()


@final
class Journal:
    """The journal of a folder; what an earlier process wrote is in ``done``.

    Args:
        folder: that is being built.
        sizes: by which the work is cut.
        keeps_scans: whether scans are of use without their samples; else only after the tokenizer was trained.
    """

    def __init__(self, folder: Path, sizes: Sizes, *, keeps_scans: bool) -> None:
        path, begin = folder / NAME, [FORMAT_VERSION, SHARD_TOKENS, *sizes]
        self.done, kept_bytes = _read(path, begin)
        if self.done.tokenizer_digest is None and not keeps_scans:
            self.done, kept_bytes = Done(), 0
        self._path = path
        self._file = path.open("ab", buffering=0)
        self._file.truncate(kept_bytes)
        if not kept_bytes:
            self._write("begin", begin)

    def scanned(self, found: UnitScan) -> None:
        """Note a unit."""
        self._write("scanned", found._replace(sample=()))

    def trained(self, tokenizer_digest: str) -> None:
        """Note that the tokenizer is in the folder."""
        self._write("tokenizer", tokenizer_digest)

    def encoded(self, writers: Sequence[WriterState]) -> None:
        """Note a piece."""
        self._write("encoded", tuple(writers))

    def remove(self) -> None:
        """Take the journal away: the folder is complete."""
        self.close()
        self._path.unlink()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _write(self, kind: str, content: Any) -> None:
        rest = memoryview(kind.encode() + b" " + msgspec.json.encode(content) + b"\n")
        while rest:
            rest = rest[self._file.write(rest) :]


def _read(path: Path, begin: list[int]) -> tuple[Done, int]:
    """Return what a journal tells, and the size of its sound part; nothing where it is of other sizes."""
    try:
        lines = path.read_bytes().splitlines(keepends=True)
    except FileNotFoundError:
        return Done(), 0
    done, size = Done(), 0
    for number, line in enumerate(lines):
        kind, _, content = line.partition(b" ")
        try:
            if not line.endswith(b"\n") or (number == 0) != (kind == b"begin"):
                break
            if kind == b"begin" and msgspec.json.decode(content) != begin:
                break
            _take(done, kind, content)
        except msgspec.MsgspecError:
            break
        size += len(line)
    return done, size


def _take(done: Done, kind: bytes, content: bytes) -> None:
    if kind == b"scanned":
        done.scans.append(msgspec.json.decode(content, type=UnitScan))
    elif kind == b"tokenizer":
        done.tokenizer_digest = msgspec.json.decode(content, type=str)
    elif kind == b"encoded":
        done.writers = msgspec.json.decode(content, type=tuple[WriterState, ...])
        done.num_pieces += 1
