"""Forward and backward passes of a step's micro-batches: through a whole model, or through a pipeline's stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import final

import torch
from torch import Tensor

from headway.training.data import Batch
from headway.training.engines.torch.model import IGNORED_TARGET, Llama
from headway.training.engines.torch.parallel.ranks import Ranks


class Passes(ABC):
    """What turns micro-batches into losses and gradients."""

    @abstractmethod
    def train(
        self, batches: Sequence[Batch], scale: float = 1.0, should_abandon: Callable[[], bool] = lambda: False
    ) -> Tensor | None:
        """Accumulate the gradient of some micro-batches' part of the mean loss, and return that part.

        Averaged over data-parallel processes, it is the mean of the global batch. Zero is returned where the process
        does not see the loss. The gradients are multiplied by the scale, the loss is not. None is returned where it
        was abandoned between two micro-batches; passes that mix micro-batches do not ask.
        """

    @abstractmethod
    def losses(self, batches: Sequence[Batch]) -> Tensor:
        """Return the mean loss of each micro-batch, zero where the process does not see it; nothing changes."""


@final
class WholePasses(Passes):
    """One micro-batch after the other through a whole model.

    Args:
        model: with all its layers.
        ranks: the processes; data-parallel ones send each other gradients.
        compiles: whether PyTorch's compiler joins operations.
    """

    def __init__(self, model: Llama, ranks: Ranks, *, compiles: bool) -> None:
        self._model, self._ranks = model, ranks
        self._loss = torch.compile(model.loss, dynamic=False) if compiles else model.loss

    def train(
        self, batches: Sequence[Batch], scale: float = 1.0, should_abandon: Callable[[], bool] = lambda: False
    ) -> Tensor | None:
        """Accumulate gradients; see `Passes.train`."""
        shares = shares_of(batches, self._ranks.layout.data_parallel_degree)
        total = torch.zeros((), dtype=torch.float32, device=self._ranks.device)
        for index, batch in enumerate(batches):
            if index and should_abandon():
                return None
            if self._ranks.layout.data_parallel_degree > 1:
                from headway.training.engines.torch.parallel.shards import before_micro_batch

                before_micro_batch(self._model, self._ranks.layout, is_last=index == len(batches) - 1)
            loss = self._one(batch) * shares[index]
            (loss * scale).backward()
            total += loss.detach()
        return total

    @torch.no_grad()
    def losses(self, batches: Sequence[Batch]) -> Tensor:
        """Return losses; see `Passes.losses`."""
        return torch.stack([self._one(batch) for batch in batches])

    def _one(self, batch: Batch) -> Tensor:
        device = self._ranks.device
        tokens_BT = torch.from_numpy(batch.tokens).to(device, non_blocking=True)
        documents_BT = None if batch.document_ids is None else torch.from_numpy(batch.document_ids).to(device)
        targets_BT = tokens_BT[:, 1:]
        if batch.is_target is not None:
            targets_BT = targets_BT.masked_fill(~torch.from_numpy(batch.is_target).to(device), IGNORED_TARGET)
        return self._loss(tokens_BT[:, :-1], targets_BT, documents_BT)


def shares_of(batches: Sequence[Batch], data_parallel_degree: int) -> list[float]:
    """Return what the mean loss of each micro-batch counts in the mean of one data-parallel process.

    The mean over processes is the mean over all targets n of the global batch: sum over processes of sum over
    micro-batches i of n_i loss_i, over n. So a process weighs by n_i / (n / processes), which is n_i over its own
    targets where all processes have equally many.
    """
    counts = [batch.num_targets for batch in batches]
    in_step = batches[0].num_targets_in_step
    whole = sum(counts) if in_step is None else in_step / data_parallel_degree
    return [count / whole if whole else 0.0 for count in counts]
