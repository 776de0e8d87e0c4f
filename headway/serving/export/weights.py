"""Weights that are read a few rows at a time, so that a model much larger than the memory can be converted.

Source: the format's specification in the safetensors README: 8 bytes of little-endian header length, a JSON header,
then the arrays' bytes.
"""

from __future__ import annotations

import json
import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, described

_MAX_HEADER_BYTES = 100 * 10**6
"""Source: safetensors, ``MAX_HEADER_SIZE``."""

_TYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}
"""The format's name of a type of numbers -> NumPy's; brain floats are read as their bits."""


class Weights(ABC):
    """Arrays by name, of which some rows are read at a time.

    Attributes:
        shapes: of each array.
    """

    shapes: Mapping[str, tuple[int, ...]]

    @abstractmethod
    def rows(self, name: str, start: int, stop: int) -> NDArray[np.float32]:
        """Return rows ``start`` to ``stop`` of an array, as fp32.

        Args:
            name: of the array.
            start: the first row, counted along the first axis.
            stop: the one after the last.

        Raises:
            CheckpointError: they cannot be read.
        """


@final
class FileWeights(Weights):
    """The arrays of all ``model*.safetensors`` of a folder.

    Raises:
        CheckpointError: there are none, or one cannot be read or is shorter than it says.
    """

    def __init__(self, folder: Path) -> None:
        files = sorted(folder.glob("model*.safetensors"))
        if not files:
            raise CheckpointError("serving-no-weights", folder=str(folder))
        self._places: dict[str, tuple[Path, int, str]] = {}
        self.shapes = {}
        for file in files:
            self.shapes.update(self._read_header(file))

    def rows(self, name: str, start: int, stop: int) -> NDArray[np.float32]:
        """Return some rows; see `Weights.rows`."""
        file, offset, kind = self._places[name]
        shape = self.shapes[name]
        width = math.prod(shape[1:])
        number = np.dtype(_TYPES[kind])
        try:
            with file.open("rb") as opened:
                opened.seek(offset + start * width * number.itemsize)
                found = np.fromfile(opened, number, (stop - start) * width)
        except OSError as error:
            raise _unreadable(file, error.strerror or str(error)) from error
        if found.size != (stop - start) * width:
            raise _unreadable(file, f"{name} ends early")
        return _as_float32(found, kind).reshape(stop - start, *shape[1:])

    def _read_header(self, file: Path) -> dict[str, tuple[int, ...]]:
        shapes = {}
        try:
            with file.open("rb") as opened:
                length = int.from_bytes(opened.read(8), "little")
                if length > _MAX_HEADER_BYTES:
                    raise ValueError(length)
                header = json.loads(opened.read(length))
            for name, entry in header.items():
                if name == "__metadata__":
                    continue
                first, last = entry["data_offsets"]
                kind, shape = str(entry["dtype"]), tuple(int(size) for size in entry["shape"])
                self._require_whole(file, name, kind, shape, (8 + length + first, 8 + length + last))
                shapes[name] = shape
                self._places[name] = (file, 8 + length + first, kind)
        except OSError as error:
            raise _unreadable(file, error.strerror or str(error)) from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise _unreadable(file, str(error)) from error
        return shapes

    def _require_whole(self, file: Path, name: str, kind: str, shape: tuple[int, ...], place: tuple[int, int]) -> None:
        if kind not in _TYPES:
            raise CheckpointError("serving-weight-type", path=str(file), name=name, kind=kind, known=", ".join(_TYPES))
        size = math.prod(shape) * np.dtype(_TYPES[kind]).itemsize
        if place[1] - place[0] != size or place[1] > file.stat().st_size:
            raise _unreadable(file, f"{name} ends early")


@final
class ArrayWeights(Weights):
    """Arrays that are made when they are asked for, as a model with its adapters merged; the last one is held."""

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self._held: tuple[str, NDArray[Any]] | None = None
        self.shapes = {name: described(arrays, name).shape for name in arrays}

    def rows(self, name: str, start: int, stop: int) -> NDArray[np.float32]:
        """Return some rows; see `Weights.rows`."""
        if self._held is None or self._held[0] != name:
            self._held = (name, np.asarray(self._arrays[name], dtype=np.float32))
        return self._held[1][start:stop]


def _as_float32(found: NDArray[Any], kind: str) -> NDArray[np.float32]:
    if kind == "BF16":
        # The upper half of an fp32 number.
        return (found.astype(np.uint32) << 16).view(np.float32)
    return found.astype(np.float32, copy=False)


def _unreadable(file: Path, reason: str) -> CheckpointError:
    return CheckpointError("training-weights-unreadable", path=str(file), reason=reason)
