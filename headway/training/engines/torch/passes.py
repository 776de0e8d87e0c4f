"""Forward and backward passes of a step's micro-batches: through a whole model, or through a pipeline's stages."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import final

import torch
from torch import Tensor

from headway.training.data import Batch
from headway.training.engines.torch.model import Llama
from headway.training.engines.torch.parallel.ranks import Ranks


class Passes(ABC):
    """What turns micro-batches into losses and gradients."""

    @abstractmethod
    def train(self, batches: Sequence[Batch]) -> Tensor:
        """Accumulate the gradient of the mean loss over all tokens of some micro-batches; return that loss.

        Zero is returned where the process does not see the loss.
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

    def train(self, batches: Sequence[Batch]) -> Tensor:
        """Accumulate gradients; see `Passes.train`."""
        rows = sum(len(batch.tokens) for batch in batches)
        total = torch.zeros((), dtype=torch.float32, device=self._ranks.device)
        for index, batch in enumerate(batches):
            if self._ranks.layout.data_parallel_degree > 1:
                from headway.training.engines.torch.parallel.shards import before_micro_batch

                before_micro_batch(self._model, self._ranks.layout, is_last=index == len(batches) - 1)
            loss = self._one(batch) * (len(batch.tokens) / rows)
            loss.backward()
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
        return self._loss(tokens_BT[:, :-1], tokens_BT[:, 1:], documents_BT)
