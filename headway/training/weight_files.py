"""Weights in safetensors files, read when they are asked for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import LazyArrays

_MAX_HEADER_BYTES = 100 * 10**6
"""Source: safetensors, ``MAX_HEADER_SIZE``."""


@final
class WeightFiles(LazyArrays):
    """The arrays of some files by name, each read anew as fp32 whenever it is asked for.

    A model may be larger than the memory beside the one that it is loaded into: only one array is held at a time.

    Args:
        files: safetensors; where a name occurs twice, the last one counts.

    Raises:
        CheckpointError: a file cannot be read.
    """

    def __init__(self, files: list[Path]) -> None:
        shapes: dict[str, tuple[int, ...]] = {}
        self._files: dict[str, Path] = {}
        for file in files:
            for name, shape in _shapes_in(file):
                shapes[name] = shape
                self._files[name] = file
        self.shapes = shapes

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Read one array.

        Raises:
            KeyError: no file has it.
            CheckpointError: it cannot be read.
        """
        from safetensors import SafetensorError, safe_open

        file = self._files[name]
        try:
            # Through torch, since NumPy has no bfloat16 of its own. The file is closed again, so that what was read of
            # it stays no longer in this process's memory.
            with safe_open(file, framework="pt") as opened:
                return np.asarray(opened.get_tensor(name).float().numpy())
        except (OSError, SafetensorError) as error:
            raise CheckpointError("training-weights-unreadable", path=str(file), reason=str(error)) from error


def weights_in(folder: Path) -> WeightFiles:
    """Return the weights of all ``model*.safetensors`` of a folder.

    Raises:
        CheckpointError: there are none, or one cannot be read.
    """
    files = sorted(folder.glob("model*.safetensors"))
    if not files:
        raise CheckpointError("training-no-weights", folder=str(folder))
    return WeightFiles(files)


def _shapes_in(file: Path) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Yield name and shape of each array, from the header alone."""
    try:
        with file.open("rb") as opened:
            length = int.from_bytes(opened.read(8), "little")
            if length > _MAX_HEADER_BYTES:
                raise ValueError(length)
            header = json.loads(opened.read(length))
        for name, entry in header.items():
            if name != "__metadata__":
                yield name, tuple(int(size) for size in entry["shape"])
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise CheckpointError("training-weights-unreadable", path=str(file), reason=str(error)) from error
