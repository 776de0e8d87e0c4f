"""A checkpoint that many processes write: which of them writes which arrays, into which file.

Whole arrays are shared out, not slices of them, so that the folder is what one process would have written: any number
of processes, any engine and transformers load it. Every process works out the same division without asking.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.errors import CheckpointError
from headway.resilience.checkpoint.finite import FiniteArrays
from headway.resilience.checkpoint.snapshot import Arrays, Description
from headway.resilience.checkpoint.tensor_file import write_tensor_file

KINDS = ("model", "optimizer")
MAX_FILE_BYTES = 5 * 10**9
"""Arrays beyond this go to a further file, as Hugging Face does; one larger array has a file of its own."""

PART_PREFIX = "part-"
PARTS_TIMEOUT_SECONDS = 3600.0
"""For which the first process waits for the files of the others. A process that dies ends the run long before; this is
for one whose disk does not answer."""

_POLL_SECONDS = 0.01

Listed = dict[str, dict[str, Any]]
"""Size and SHA-256 of files by name, as a manifest has them."""


@dataclass(frozen=True, kw_only=True)
class TensorFile:
    """One file of a checkpoint.

    Attributes:
        name: of the file.
        kind: ``model`` or ``optimizer``.
        writer: rank of the process that writes it.
        arrays: names of what is in it, in their order.
    """

    name: str
    kind: str
    writer: int
    arrays: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Division:
    """What a checkpoint holds, and who writes it.

    Attributes:
        described: arrays by kind (``model``, ``optimizer``) and by name.
        writers: rank of the process that writes an array, by its name.
    """

    described: Mapping[str, Mapping[str, Description]]
    writers: Mapping[str, int]

    @property
    def size_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(self.kind_bytes(kind) for kind in KINDS)

    def kind_bytes(self, kind: str) -> int:
        """Bytes of the arrays of a kind."""
        return sum(one.nbytes for one in self.described[kind].values())

    def files(self) -> list[TensorFile]:
        """Return all files; those of a writer follow each other."""
        return [file for kind in KINDS for file in self._files_of(kind)]

    def _files_of(self, kind: str) -> list[TensorFile]:
        described = self.described[kind]
        by_writer: dict[int, list[str]] = {}
        for name in described:
            by_writer.setdefault(self.writers[name], []).append(name)
        groups = [
            (writer, group)
            for writer in sorted(by_writer)
            for group in grouped(by_writer[writer], [described[name].nbytes for name in by_writer[writer]])
        ] or [(0, [])]
        return [
            TensorFile(
                name=f"{kind}-{number:05d}-of-{len(groups):05d}.safetensors",
                kind=kind,
                writer=writer,
                arrays=tuple(group),
            )
            for number, (writer, group) in enumerate(groups, start=1)
        ]


@dataclass(frozen=True, kw_only=True)
class Part:
    """What one process has of a checkpoint.

    Attributes:
        division: of the whole.
        arrays: those that this process writes.
        state: of the engine.
    """

    division: Division
    arrays: Arrays
    state: Mapping[str, Any]


def grouped(names: Sequence[str], sizes_bytes: Sequence[int]) -> list[list[str]]:
    """Return names in their order, in groups of no more bytes than a file has."""
    groups: list[list[str]] = []
    size_bytes = 0
    for name, each_bytes in zip(names, sizes_bytes, strict=True):
        if not groups or size_bytes + each_bytes > MAX_FILE_BYTES:
            groups.append([])
            size_bytes = 0
        groups[-1].append(name)
        size_bytes += each_bytes
    return groups


def shared_out(sizes_bytes: Mapping[str, int], candidates: Mapping[str, Sequence[int]]) -> dict[str, int]:
    """Return a writer for each array: of those that have it, the one with the fewest bytes so far.

    Args:
        sizes_bytes: of each array, by name; the largest are given away first.
        candidates: ranks that have an array, by its name.
    """
    load: dict[int, int] = {}
    writers = {}
    for name in sorted(sizes_bytes, key=lambda name: (-sizes_bytes[name], name)):
        writer = min(candidates[name], key=lambda rank: (load.get(rank, 0), rank))
        load[writer] = load.get(writer, 0) + sizes_bytes[name]
        writers[name] = writer
    return writers


def write_part(folder: Path, part: Part, rank: int) -> None:
    """Write the files of one process, and then, under a name of its own, what they are.

    Raises:
        OSError: as the file system reports it.
        CheckpointError: a number is not finite.
    """
    listed: Listed = {}
    for file in part.division.files():
        if file.writer == rank:
            arrays = FiniteArrays({name: part.arrays[name] for name in file.arrays})
            size_bytes, sha256 = write_tensor_file(folder / file.name, arrays)
            listed[file.name] = {"bytes": size_bytes, "sha256": sha256}
    temporary = folder / f".{PART_PREFIX}{rank}"
    temporary.write_text(json.dumps(listed))
    temporary.rename(folder / f"{PART_PREFIX}{rank}")


def wait_for_parts(folder: Path, ranks: Iterable[int], timeout_seconds: float = PARTS_TIMEOUT_SECONDS) -> Listed:
    """Return the files of all processes, as soon as all have written theirs.

    The folder is the only thing that they share while steps go on: what they say to each other belongs to the steps.

    Raises:
        CheckpointError: one has not, in that time.
        OSError: as the file system reports it.
    """
    deadline = time.monotonic() + timeout_seconds
    listed: Listed = {}
    for rank in ranks:
        path = folder / f"{PART_PREFIX}{rank}"
        while not path.exists():
            if time.monotonic() > deadline:
                raise CheckpointError("checkpoint-part-missing", rank=rank, seconds=timeout_seconds)
            time.sleep(_POLL_SECONDS)
        listed.update(json.loads(path.read_bytes()))
        path.unlink()
    return listed
