"""What a checkpoint holds, as plain arrays that every engine can give and take."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Arrays = Mapping[str, NDArray[Any]]


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
        return sum(
            np.asarray(array).nbytes for arrays in (self.parameters, self.optimizer) for array in arrays.values()
        )
