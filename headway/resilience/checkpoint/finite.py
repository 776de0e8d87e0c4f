"""Whether arrays hold numbers: a checkpoint with NaN or infinity in it is none that a training could go on from."""

from __future__ import annotations

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from headway.errors import CheckpointError
from headway.resilience.checkpoint.snapshot import Arrays, LazyArrays, described

_KINDS_WITHOUT = "iub"
"""Integers and truth values are always numbers. In NumPy's letters."""


def count_not_finite(array: NDArray[Any]) -> int:
    """Return how many of an array's elements are NaN or infinite.

    A sum is a tenth of the work of a look at each element, and is finite only where all are.
    """
    if array.dtype.kind in _KINDS_WITHOUT:
        return 0
    with np.errstate(all="ignore"):
        if array.dtype.kind == "f" and np.isfinite(array.sum()):
            return 0
        return int(array.size - np.count_nonzero(np.isfinite(array)))


@final
class FiniteArrays(LazyArrays):
    """Other arrays, each of which is looked at when it is asked for.

    Args:
        arrays: the others.
    """

    def __init__(self, arrays: Arrays) -> None:
        self._arrays = arrays
        self.shapes = {name: described(arrays, name).shape for name in arrays}

    def dtype_of(self, name: str) -> np.dtype[Any]:
        """Return the type of an array's numbers; see `LazyArrays.dtype_of`."""
        return described(self._arrays, name).dtype

    def __getitem__(self, name: str) -> NDArray[Any]:
        """Return one of the arrays.

        Raises:
            CheckpointError: not all of its elements are finite.
        """
        array = self._arrays[name]
        count = count_not_finite(array)
        if count:
            raise CheckpointError("checkpoint-not-finite", name=name, count=count)
        return array


def first_not_finite(arrays: Arrays) -> str | None:
    """Return the name of the first array with elements that are not finite; None where there is none."""
    return next((name for name in arrays if count_not_finite(arrays[name])), None)
