"""What schedulers must know of a training to place it."""

from __future__ import annotations

import math
from dataclasses import dataclass

SAVING_SECONDS = 30
"""Added to the grace time: for the processes to be told, and the scheduler's own work."""

PORT = 29500
"""Where processes of a run of their own network meet. Source: PyTorch documentation, "torchrun", rendezvous."""


@dataclass(frozen=True, kw_only=True)
class SubmittedJob:
    """A training that a scheduler places.

    Attributes:
        name: of the run.
        recipe: where the recipe's file lies, on a disk that all nodes see.
        recipe_text: the recipe itself.
        runs: folder of all runs, on such a disk too.
        devices: processes in all, one for each device.
        devices_per_node: processes of one node.
        has_accelerators: whether each process needs an accelerator.
        retries: starts beyond the first.
        grace_seconds: for the processes to save and end.
        python: the interpreter that has Headway.
    """

    name: str
    recipe: str
    recipe_text: str
    runs: str
    devices: int
    devices_per_node: int
    has_accelerators: bool
    retries: int
    grace_seconds: float
    python: str

    @property
    def nodes(self) -> int:
        """How many nodes it takes."""
        return -(-self.devices // self.devices_per_node)

    @property
    def notice_seconds(self) -> int:
        """How long before its end a job must be told."""
        return math.ceil(self.grace_seconds) + SAVING_SECONDS
