"""What a checkpoint holds, as plain arrays that every engine can give and take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


class LazyArrays(Mapping[str, NDArray[Any]]):
    """Arrays by name, each made anew whenever it is asked for, so that only one is held at a time.

    Attributes:
        shapes: of each, without making any.
    """

    shapes: Mapping[str, tuple[int, ...]]

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of an array's numbers, without making it: fp32, where a subclass does not know better."""
        return np.dtype(np.float32)

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self.shapes)

    def __len__(self) -> int:
        """Return how many arrays there are."""
        return len(self.shapes)


@final
class SomeArrays(LazyArrays):
    """Some of other arrays.

    Args:
        arrays: the others.
        names: which of them, in which order.
    """

    def __init__(self, arrays: Arrays, names: Sequence[str]) -> None:
        self._arrays = arrays
        self.shapes = {name: described(arrays, name).shape for name in names}

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of an array's numbers; see `LazyArrays.dtype_of`."""
        return described(self._arrays, name).dtype

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one of the arrays."""
        return self._arrays[name]


@dataclass(frozen=True)
class Description:
    """What is known of an array without having it."""

    shape: tuple[int, ...]
    dtype: np.dtype[Any]

    @property
    def nbytes(self) -> int:
        """Bytes of its numbers."""
        return math.prod(self.shape) * self.dtype.itemsize


def described(arrays: Arrays, name: str) -> Description:
    """Return what one of some arrays is, without making it."""
    if isinstance(arrays, LazyArrays):
        return Description(tuple(arrays.shapes[name]), arrays.dtype_of(name))
    array = np.asarray(arrays[name])
    return Description(array.shape, array.dtype)


@dataclass(frozen=True, kw_only=True)
class Snapshot:
    """The whole state of a training between two steps.

    The arrays may share memory with the engine: write the snapshot before the next step, or copy it.
    """

    parameters: Arrays
    """Weights by Hugging Face parameter name, fp32."""

    optimizer: Arrays
    """Optimizer state by ``<parameter name>.<moment>``: ``exp_avg`` and ``exp_avg_sq`` for AdamW, fp32."""

    state: Mapping[str, Any] = field(default_factory=dict)
    """JSON data: step, tokens seen, data position, random state, schedule, recipe digest."""

    files: Mapping[str, bytes] = field(default_factory=dict)
    """Small files that make the folder loadable by itself, such as ``config.json``."""

    @property
    def step(self) -> int:
        """Optimizer steps done."""
        return int(self.state["step"])

    @property
    def size_bytes(self) -> int:
        """Bytes of all arrays."""
        return sum(described(arrays, name).nbytes for arrays in (self.parameters, self.optimizer) for name in arrays)
