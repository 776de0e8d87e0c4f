"""The output projection and its loss where each device has a part of the vocabulary.

Shape suffixes as in ``kernels.py``; V is this device's part of the vocabulary.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from headway.training.engines.torch.kernels import chunked_loss, chunked_loss_gradients
from headway.training.engines.torch.linear import product


class DividedCrossEntropy(Function):
    """`LinearCrossEntropy` over a divided vocabulary: devices share the largest logit, the sum and the target's.

    loss = log(sum exp(z - max)) - (z_target - max). Source: Shoeybi et al. 2019 (arXiv:1909.08053), section 3, where
    the output layer is fused with the loss so that logits are never gathered.
    """

    @staticmethod
    def forward(
        ctx: Any, hidden_NE: Tensor, weight_VE: Tensor, targets_N: Tensor, ignore_index: int, start: int, group: Any
    ) -> Tensor:
        """Return the mean loss in nats over the targets that are not ``ignore_index``; the same on every device.

        Args:
            ctx: PyTorch's.
            hidden_NE: hidden states.
            weight_VE: this device's rows of the output projection.
            targets_N: token ids of the whole vocabulary.
            ignore_index: a target that does not count.
            start: the first token id of ``weight_VE``.
            group: the devices that share the vocabulary.
        """

        def chunk(rows: slice) -> tuple[Tensor, Tensor]:
            return _chunk(hidden_NE[rows], weight_VE, targets_N[rows], ignore_index, start, group)

        return chunked_loss(ctx, hidden_NE, weight_VE, (targets_N != ignore_index).sum(), chunk)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None, None, None]:
        """Scale the gradients that the forward pass left; that of the hidden states is this device's part of a sum."""
        return *chunked_loss_gradients(ctx, grad), None, None, None, None


def _chunk(
    hidden_NE: Tensor, weight_VE: Tensor, targets_N: Tensor, ignore_index: int, start: int, group: Any
) -> tuple[Tensor, Tensor]:
    """Return the sum of the losses of a few tokens, and its gradient with respect to this device's logits."""
    logits_NV = product(hidden_NE, weight_VE.t()).float()
    largest_N1 = logits_NV.amax(dim=-1, keepdim=True)
    dist.all_reduce(largest_N1, op=dist.ReduceOp.MAX, group=group)
    exponentials_NV = logits_NV.sub_(largest_N1).exp()
    index_N = targets_N - start
    counts_N = targets_N != ignore_index
    here_N = counts_N & (index_N >= 0) & (index_N < weight_VE.shape[0])
    index_N1 = index_N.masked_fill(~here_N, 0)[:, None]
    target_N1 = logits_NV.gather(1, index_N1).masked_fill(~here_N[:, None], 0.0)
    sums_N2 = torch.cat((exponentials_NV.sum(dim=-1, keepdim=True), target_N1), dim=1)
    dist.all_reduce(sums_N2, group=group)
    losses_N = (sums_N2[:, 0].log() - sums_N2[:, 1]).masked_fill(~counts_N, 0.0)
    grad_NV = exponentials_NV.div_(sums_N2[:, :1])
    grad_NV.scatter_add_(1, index_N1, -here_N[:, None].float())
    return losses_N.sum(), grad_NV.masked_fill_(~counts_N[:, None], 0.0).to(hidden_NE.dtype)
