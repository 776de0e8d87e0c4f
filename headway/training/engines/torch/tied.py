"""Embedding and output projection of a model that ties them, on the two ends of a pipeline."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor

from headway.planning.analytic.schedules import V_SHAPED
from headway.training.engines.torch.parallel.local import here
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.parts import EMBEDDING, HEAD


class TiedCopies:
    """The first and the last stage each hold a copy of one weight: their gradients are added up, and it counts once.

    Args:
        parameters: of this process.
        ranks: the processes.
        is_tied: whether the model has one weight for both.

    Source: Narayanan et al. 2021 (arXiv:2104.04473); Megatron-LM's embedding group does the same.
    """

    def __init__(self, parameters: Mapping[str, Tensor], ranks: Ranks, *, is_tied: bool) -> None:
        self._parameters = parameters
        self._name: str | None = None
        self._group: Any = None
        stages = ranks.layout.pipeline_parallel_degree
        if not is_tied or stages == 1 or ranks.mesh is None:
            return
        if ranks.layout.pipeline_schedule == V_SHAPED:
            # It has both ends in one process.
            self._name = HEAD if HEAD in parameters else None
            return
        members = ranks.mesh.mesh
        # Every process takes part in making every group.
        for ends in members[[0, stages - 1]].reshape(2, -1).t().tolist():
            group = dist.new_group(ends)
            if ranks.place.rank in ends:
                self._group = group
                self._name = EMBEDDING if EMBEDDING in parameters else HEAD

    @torch.no_grad()
    def add_gradients(self) -> None:
        """Make the gradient of both copies the sum of theirs."""
        if self._name is None or not self._parameters[self._name].requires_grad:
            return
        held = [self._parameters[name].grad for name in (EMBEDDING, HEAD) if name in self._parameters]
        gradients = [here(gradient) for gradient in held if gradient is not None]
        if len(gradients) == 2:
            gradients[1].copy_(gradients[0].add_(gradients[1]))
        else:
            dist.all_reduce(gradients[0], group=self._group)

    def own(self) -> list[Tensor]:
        """Return the weights of this process that are no copies of another's."""
        return [value for name, value in self._parameters.items() if not (name == HEAD and self._name == HEAD)]
