"""The contract of an engine: what the loop asks of PyTorch, JAX and TensorFlow alike.

Everything crosses this seam as NumPy arrays and plain numbers, so that data, schedule, checkpoints, metrics and the
supervisor need not know which framework runs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from headway.resilience.checkpoint import Snapshot
from headway.resilience.checkpoint.division import Part
from headway.resilience.checkpoint.snapshot import Arrays
from headway.training.data import Batch


@dataclass(frozen=True, kw_only=True)
class StepResult:
    """What one optimizer step reports."""

    loss: float
    """Mean cross-entropy in nats over the targets of the global batch that count, before the update."""

    gradient_norm: float
    """Euclidean norm over all gradients before clipping, summed in fp64; not finite where they overflowed."""

    is_skipped: bool = False
    """Whether nothing was updated, since the gradients overflowed in fp16."""

    loss_scale: float | None = None
    """What the loss was multiplied by, where that changes from step to step."""


@dataclass(frozen=True, kw_only=True)
class EngineSettings:
    """What an engine decides for itself and a resumed run must decide alike, since it changes rounding."""

    threads: int
    linear_kernel: str
    """Which library multiplies matrices in fp32 on a CPU: ``default`` or ``onednn``."""

    elementwise_kernel: str
    """What computes norms, rotary positions, gates and the loss: ``composed`` or ``native``."""

    versions: dict[str, str]
    """What really runs: framework and libraries by name."""


@dataclass(frozen=True, kw_only=True)
class Share:
    """Which of equal shares of every global batch a process takes."""

    index: int = 0
    count: int = 1


class Engine(ABC):
    """One model with its optimizer on this rank's devices."""

    @property
    def share(self) -> Share:
        """Which share of every batch this process takes; all of it where it is alone."""
        return Share()

    @property
    def is_first(self) -> bool:
        """Whether this process writes checkpoints and logs for all of them."""
        return True

    def any(self, flags: Sequence[bool]) -> list[bool]:
        """Return which flags are set in any process, so that all of them do the same; all processes must ask."""
        return list(flags)

    def gather(self, value: float) -> list[float]:
        """Return a number of each process, by rank; all processes must ask."""
        return [value]

    def probe_seconds(self) -> float | None:
        """Return how long a fixed piece of work takes on this process's device, without the others.

        None where the process is alone, so that there is nobody to compare it with, or where the engine has no such
        piece of work.
        """
        return None

    @property
    def device_uuid(self) -> str | None:
        """How the driver names this process's accelerator; None where there is none."""
        return None

    def device_memory_bytes(self) -> tuple[int, int] | None:
        """Return what an accelerator's memory holds of this process and what is free; None where there is none."""
        return None

    @property
    def notices(self) -> tuple[str, ...]:
        """What the reader must know about how this engine runs the recipe: ids of messages without arguments."""
        return ()

    @property
    @abstractmethod
    def settings(self) -> EngineSettings:
        """What really runs."""

    @abstractmethod
    def step(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepResult:
        """Do one optimizer step.

        Where the loss or the gradient norm is not finite, nothing is updated, in any process.

        Args:
            micro_batches: this rank's share of the global batch. The gradient is that of the mean over all targets of
                the global batch that count, however they lie in micro-batches and ranks: a micro-batch weighs as many
                targets as count in it, over ``Batch.num_targets_in_step``, and ranks are added up. Where all targets
                count, ranks have equally many, and theirs are averaged.
            learning_rate: of this step.
        """

    def step_unless(
        self, micro_batches: Sequence[Batch], learning_rate: float, should_abandon: Callable[[], bool]
    ) -> StepResult | None:
        """Do one optimizer step, unless it is to be abandoned before its update; see `step`.

        Args:
            micro_batches: as for `step`.
            learning_rate: as for `step`.
            should_abandon: asked between micro-batches by all processes at the same time; all are given the same
                answer. An engine that cannot stop in the middle of a step never asks.

        Returns:
            None where the step was abandoned: weights and moments are those before it, and can be saved. No step may
            follow, since halves of gradients may be left.
        """
        return self.step(micro_batches, learning_rate)

    def replay(self, micro_batches: Sequence[Batch], learning_rate: float) -> tuple[StepResult, bool | None]:
        """Do one optimizer step twice from the same state, and go on from the second.

        Returns:
            What the second reports, and whether both gave the same bits; None where the engine does a step once, since
            it does not promise that.
        """
        return self.step(micro_batches, learning_rate), None

    def replica_digest(self) -> int | None:
        """Return a digest, from 0 to 2^63 - 1, of weights and optimizer state that all processes hold alike.

        None where they hold parts.
        """
        return None

    @abstractmethod
    def evaluate(self, batches: Sequence[Batch]) -> float:
        """Return the mean cross-entropy in nats over the targets of all batches that count; each process is given all.

        Nothing changes.
        """

    @abstractmethod
    def snapshot(self) -> Snapshot:
        """Return parameters and optimizer state, for reading until the next step; its state is empty.

        All processes must ask; the arrays are complete in the first, and missing in the others.
        """

    def save(self, write: Callable[[Snapshot], Path]) -> Path | None:
        """Let the first process write a snapshot; all processes must ask.

        Args:
            write: reads the arrays once at most, in their order: they may be gathered as they are read.

        Returns:
            What it returned; None in the other processes.
        """
        taken = self.snapshot()
        return write(taken) if self.is_first else None

    def part(self, keep: Callable[[str, NDArray[Any]], NDArray[Any]]) -> Part | None:
        """Return what this process writes of a checkpoint; all processes must ask.

        Args:
            keep: copies an array, whose name comes first, to where it outlives the next step.

        Returns:
            None where the first process writes all; see `save`.
        """
        return None

    @abstractmethod
    def load(self, snapshot: Snapshot) -> None:
        """Take parameters and optimizer state from a snapshot.

        Raises:
            CheckpointError: names or shapes do not match the model.
        """

    @abstractmethod
    def load_weights(self, parameters: Arrays) -> None:
        """Take parameters only, and start the optimizer afresh.

        Raises:
            CheckpointError: names or shapes do not match the model.
        """

    def damage(self, change: Callable[[NDArray[Any]], object]) -> None:
        """Change weights as a fault of the memory would, in this process only: for drills.

        Args:
            change: is given what this process holds of each weight, and changes it in place.
        """
        raise NotImplementedError

    @abstractmethod
    def peak_memory_bytes(self) -> int:
        """Return the peak so far: of the allocator on an accelerator, of the process's resident set on a CPU."""

    @abstractmethod
    def close(self) -> None:
        """Let go of devices and processes."""
