"""Pipeline parallelism by PyTorch's own schedules: which layers a stage has, and how micro-batches go through.

Source: Narayanan et al. 2021 (arXiv:2104.04473), section 2.2 (one forward and one backward in turn, and interleaving);
Qi et al. 2023 (arXiv:2401.10241), sections 2 and 6 (zero bubble: the weights' gradients fill what would be waiting).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, final

import numpy as np
import torch
from torch import Tensor
from torch.distributed.pipelining import (
    PipelineStage,
    Schedule1F1B,
    ScheduleGPipe,
    ScheduleInterleaved1F1B,
    ScheduleInterleavedZeroBubble,
    ScheduleZBVZeroBubble,
)
from torch.distributed.pipelining.schedules import FORWARD, RECV_F, RESHARD, SEND_F, UNSHARD

from headway.errors import TrainingError
from headway.planning.analytic.schedules import V_SHAPED, ZERO_BUBBLE
from headway.planning.choice import Layout
from headway.recipe import ModelConfig
from headway.training.data import Batch
from headway.training.engines.torch.model import IGNORED_TARGET, Llama, Part
from headway.training.engines.torch.parallel.ranks import Ranks
from headway.training.engines.torch.passes import Passes

_FORWARD = (FORWARD, SEND_F, RECV_F, UNSHARD, RESHARD)
"""What an evaluation does of a schedule."""


class Stage(Llama):
    """A part of a model whose call passes the residual stream on."""

    def forward(self, tokens_BT: Tensor, document_ids_BT: Tensor | None = None) -> Tensor:
        """Return the residual stream, or the hidden states before the output projection where this is the last."""
        return self.hidden(tokens_BT, document_ids_BT)


def parts_of(config: ModelConfig, stages: int) -> list[Part]:
    """Return the layers of each stage, as even as they go; the first ones have one more.

    Raises:
        TrainingError: there are more stages than layers.
    """
    layers = config.num_hidden_layers
    if stages > layers:
        raise TrainingError("training-stages", stages=stages, layers=layers)
    few, more = divmod(layers, stages)
    parts, start = [], 0
    for stage in range(stages):
        end = start + few + (stage < more)
        parts.append(
            Part(layers=range(start, end), has_embedding=stage == 0, has_head=stage == stages - 1),
        )
        start = end
    return parts


def stages_of(rank: int, layout: Layout) -> list[int]:
    """Return the numbers of the stages that one rank of a pipeline holds: every so-many-th, or in a V down and up."""
    ranks = layout.pipeline_parallel_degree
    if layout.pipeline_schedule == V_SHAPED:
        return [rank, 2 * ranks - 1 - rank]
    return [rank + ranks * chunk for chunk in range(layout.virtual_pipeline_stages)]


def rank_of(stage: int, layout: Layout) -> int:
    """Return which rank of a pipeline holds a stage."""
    return next(rank for rank in range(layout.pipeline_parallel_degree) if stage in stages_of(rank, layout))


def _schedule(layout: Layout) -> tuple[type[Any], bool]:
    """Return PyTorch's schedule, and whether it takes several stages."""
    if layout.pipeline_schedule == ZERO_BUBBLE:
        return ScheduleInterleavedZeroBubble, True
    if layout.pipeline_schedule == V_SHAPED:
        return ScheduleZBVZeroBubble, True
    if layout.virtual_pipeline_stages > 1:
        return ScheduleInterleaved1F1B, True
    # With fewer micro-batches than stages, one of each in turn is all of the one and then all of the other.
    is_short = layout.gradient_accumulation_steps < layout.pipeline_parallel_degree
    return (ScheduleGPipe if is_short else Schedule1F1B), False


@contextmanager
def _forward_only(schedule: Any) -> Iterator[None]:
    """Let a schedule do no backward pass: in a V, PyTorch's would hand on gradients that were never made."""
    if not isinstance(schedule, ScheduleZBVZeroBubble):
        yield
        return
    planned = schedule.pipeline_order_with_comms
    schedule.pipeline_order_with_comms = {
        rank: [action for action in actions if action.computation_type in _FORWARD] for rank, actions in planned.items()
    }
    try:
        yield
    finally:
        schedule.pipeline_order_with_comms = planned


@final
class PipelinePasses(Passes):
    """One rank's stages and the schedule that they follow.

    Args:
        stages: the rank's parts of the model, in order.
        ranks: the processes.
        sequence_length: tokens of a sequence.

    Raises:
        TrainingError: interleaved stages cannot take so many micro-batches.
    """

    def __init__(self, stages: Sequence[Llama], ranks: Ranks, *, sequence_length: int) -> None:
        layout, mesh = ranks.layout, ranks.axis("pipeline")
        self._micro_batches, self._device = layout.gradient_accumulation_steps, ranks.device
        self._copies = layout.data_parallel_degree
        self._target_weight: float | None = None
        """What one target counts in what the schedule averages; None where every micro-batch counts the same."""
        self._scale = 1.0
        """What losses are multiplied by, so that their gradients are."""
        self._rows = layout.micro_batch_size
        chunks = layout.virtual_pipeline_stages
        schedule, takes_several = _schedule(layout)
        if takes_several and self._micro_batches % mesh.size():
            raise TrainingError("training-micro-batches", micro_batches=self._micro_batches, stages=mesh.size())
        numbers = stages_of(ranks.stage, layout)
        wrapped: list[Any] = [
            _wrapped(stage, number, mesh.size() * chunks, (self._rows, sequence_length), ranks)
            for stage, number in zip(stages, numbers, strict=True)
        ]
        self._is_first, self._is_last = numbers[0] == 0, numbers[-1] == mesh.size() * chunks - 1
        self._last = stages[-1]
        held: Any = wrapped if takes_several else wrapped[0]
        self._schedule: Any = schedule(held, self._micro_batches, loss_fn=self._loss)

    def train(
        self, batches: Sequence[Batch], scale: float = 1.0, should_abandon: Callable[[], bool] = lambda: False
    ) -> Tensor:
        """Accumulate gradients; see `Passes.train`. All micro-batches are under way at once, so nobody asks."""
        in_step = batches[0].num_targets_in_step
        # The schedule averages over micro-batches, and processes are averaged: what is to be added up counts as often.
        weight = None if in_step is None else self._micro_batches * self._copies / max(1, in_step)
        self._scale = scale
        return self._run(self._schedule.step, batches, weight).mean() / scale

    @torch.no_grad()
    def losses(self, batches: Sequence[Batch]) -> Tensor:
        """Return losses; see `Passes.losses`. As many micro-batches as a step has go through at a time."""
        found = []
        self._scale = 1.0
        for start in range(0, len(batches), self._micro_batches):
            some = batches[start : start + self._micro_batches]
            with _forward_only(self._schedule):
                found.append(self._run(self._schedule.eval, some, None)[: len(some)])
        return torch.cat(found)

    def _run(self, run: Any, batches: Sequence[Batch], target_weight: float | None) -> Tensor:
        """Send micro-batches through the schedule; return the loss of each, as it counts."""
        self._target_weight = target_weight
        arguments: list[Tensor] = []
        further: dict[str, Any] = {}
        losses: list[Tensor] = []
        tokens_BT, counts_B = self._gathered([batch.tokens for batch in batches])
        if self._is_first:
            arguments.append(tokens_BT[:, :-1].contiguous())
        if batches[0].document_ids is not None:
            further["document_ids_BT"], _ = self._gathered([batch.document_ids for batch in batches])
        if self._is_last:
            is_target_BT = counts_B[:, None]
            if batches[0].is_target is not None:
                is_target_BT, _ = self._gathered([batch.is_target for batch in batches])
            targets_BT = tokens_BT[:, 1:].masked_fill(~is_target_BT, IGNORED_TARGET)
            further |= {"target": targets_BT, "losses": losses}
        run(*arguments, **further)
        if not self._is_last:
            return torch.zeros(self._micro_batches, device=self._device)
        return torch.stack([loss.detach() for loss in losses])

    def _gathered(self, arrays: Sequence[Any]) -> tuple[Tensor, Tensor]:
        """Return all rows of some micro-batches, and which of them count: a schedule's buffers have one size."""
        length = arrays[0].shape[1]
        gathered = np.zeros((self._micro_batches, self._rows, length), arrays[0].dtype)
        counts = np.zeros((self._micro_batches, self._rows), np.bool_)
        for index, array in enumerate(arrays):
            gathered[index, : len(array)] = array
            counts[index, : len(array)] = True
        rows = self._micro_batches * self._rows
        return (
            torch.from_numpy(gathered.reshape(rows, length)).to(self._device),
            torch.from_numpy(counts.reshape(rows)).to(self._device),
        )

    def _loss(self, hidden_BTE: Tensor, targets_BT: Tensor) -> Tensor:
        loss = self._last.head_loss(hidden_BTE, targets_BT) * self._scale
        if self._target_weight is None:
            return loss
        return loss * ((targets_BT != IGNORED_TARGET).sum() * self._target_weight)


def _wrapped(stage: Llama, number: int, count: int, tokens: tuple[int, int], ranks: Ranks) -> PipelineStage:
    """Return a stage as PyTorch's schedules take it.

    What goes in and out is said beforehand: to find it out, PyTorch would call the stage outside of the passes, where
    divided weights are not gathered.
    """
    rows, length = tokens
    hidden = torch.empty(
        rows,
        length // stage.sequence_parts,
        stage.config.hidden_size,
        dtype=stage.dtype,
        device="meta",
        requires_grad=True,
    )
    entering = torch.empty(rows, length, dtype=torch.int64, device="meta") if number == 0 else hidden
    group = ranks.axis("pipeline").get_group()
    return PipelineStage(stage, number, count, ranks.device, input_args=entering, output_args=hidden, group=group)
