"""Differentiable operations written out by hand, where that saves memory traffic over composed ones.

Each keeps for the backward pass only what cannot be recomputed cheaply, and touches its arrays as few times as it
can: on a CPU, and on small models anywhere, these operations are bound by memory and not by arithmetic.

Shape suffixes: B batch, T positions, N tokens (B x T), H heads, D head channels, E hidden channels, F MLP channels,
V vocabulary.
"""

from __future__ import annotations

from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

CROSS_ENTROPY_CHUNK_TOKENS = 512
"""Tokens whose logits exist at one time: 512 x 128k logits in fp32 are 256 MiB, and 512 x 4k stay in a CPU's cache."""


class RMSNorm(Function):
    """Root-mean-square normalisation with statistics in fp32.

    y = x / sqrt(mean(x^2) + eps) * w. Source: Zhang and Sennrich 2019 (arXiv:1910.07467), eq. 4.
    """

    @staticmethod
    def forward(ctx: Any, x_NE: Tensor, weight_E: Tensor, epsilon: float) -> Tensor:
        """Normalise the rows of ``x_NE``; the result has its dtype."""
        x = x_NE.float()
        inverse_N1 = (
            torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_().div_(x.shape[-1]).add_(epsilon).rsqrt_()
        )
        ctx.save_for_backward(x_NE, weight_E, inverse_N1)
        # Hugging Face rounds to the activations' dtype before the weight is applied; equal results need the same order.
        return torch.mul(x, inverse_N1).to(x_NE.dtype).mul_(weight_E.to(x_NE.dtype))

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NE: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of the input and of the weight."""
        x_NE, weight_E, inverse_N1 = ctx.saved_tensors
        x, grad, weight = x_NE.float(), grad_NE.float(), weight_E.float()
        product_NE = grad * x
        grad_weight_E = torch.mv(product_NE.t(), inverse_N1[:, 0])
        # The gradient of x / rms(x) is the scaled gradient with its share along x projected off.
        along_N1 = torch.mv(product_NE, weight).unsqueeze_(1).mul_(inverse_N1.square()).div_(-x.shape[-1])
        grad_x = torch.mul(x, along_N1, out=product_NE).addcmul_(grad, weight).mul_(inverse_N1)
        return grad_x.to(x_NE.dtype), grad_weight_E.to(weight_E.dtype), None


class SwiGLU(Function):
    """silu(gate) * up, keeping only its two inputs. Source: Shazeer 2020 (arXiv:2002.05202), section 2."""

    @staticmethod
    def forward(ctx: Any, gate_NF: Tensor, up_NF: Tensor) -> Tensor:
        """Return the gated product."""
        ctx.save_for_backward(gate_NF, up_NF)
        return F.silu(gate_NF).mul_(up_NF)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NF: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of gate and up."""
        gate_NF, up_NF = ctx.saved_tensors
        grad_up_NF = F.silu(gate_NF).mul_(grad_NF)
        grad_gate_NF = torch.ops.aten.silu_backward(grad_NF * up_NF, gate_NF)
        return grad_gate_NF, grad_up_NF


class Rotary(Function):
    """Rotary position embedding in the half-split layout of Hugging Face.

    Channel i and channel i + D/2 are one pair turned by the angle of (position, i).
    Source: Su et al. 2021 (arXiv:2104.09864), eq. 34.
    """

    @staticmethod
    def forward(ctx: Any, x_BTHD: Tensor, cos_TD: Tensor, sin_TD: Tensor) -> Tensor:
        """Turn the channel pairs; ``cos_TD`` and ``sin_TD`` hold the D/2 angles of each position."""
        ctx.save_for_backward(cos_TD, sin_TD)
        return _rotate(x_BTHD, cos_TD, sin_TD, sign=1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_BTHD: Tensor) -> tuple[Tensor, None, None]:
        """Turn the gradient back by the same angles."""
        cos_TD, sin_TD = ctx.saved_tensors
        return _rotate(grad_BTHD, cos_TD, sin_TD, sign=-1.0), None, None


def _rotate(x_BTHD: Tensor, cos_TD: Tensor, sin_TD: Tensor, sign: float) -> Tensor:
    cos, sin = cos_TD[:, None, :].to(x_BTHD.dtype), sin_TD[:, None, :].to(x_BTHD.dtype)
    first, second = x_BTHD.chunk(2, dim=-1)
    turned = torch.empty(x_BTHD.shape, dtype=x_BTHD.dtype, device=x_BTHD.device)
    out_first, out_second = turned.chunk(2, dim=-1)
    torch.mul(first, cos, out=out_first).addcmul_(second, sin, value=-sign)
    torch.mul(second, cos, out=out_second).addcmul_(first, sin, value=sign)
    return turned


class LinearCrossEntropy(Function):
    """Output projection and mean cross-entropy together, a chunk of tokens at a time.

    The logits of all tokens never exist at once: each chunk's logits turn into their own gradient in place, so the
    memory is one chunk instead of several N x V arrays in fp32. The gradients are computed in the forward pass.
    Source: the idea of Wijmans et al. 2024 (arXiv:2411.09009) and of Liger Kernel (Hsu et al. 2024, arXiv:2410.10989),
    section 3.2.
    """

    @staticmethod
    def forward(ctx: Any, hidden_NE: Tensor, weight_VE: Tensor, targets_N: Tensor, ignore_index: int) -> Tensor:
        """Return the mean loss in nats over the targets that are not ``ignore_index`` (0 where there are none)."""
        # Stays on the device: reading the count would make the host wait for it.
        scale = (targets_N != ignore_index).sum().clamp_(min=1).float().reciprocal_()
        wants_gradient = any(ctx.needs_input_grad[:2])
        loss = torch.zeros((), dtype=torch.float32, device=hidden_NE.device)
        grad_hidden_NE = torch.empty_like(hidden_NE) if wants_gradient else None
        grad_weight_VE = torch.zeros_like(weight_VE, dtype=torch.float32) if wants_gradient else None
        for start in range(0, hidden_NE.shape[0], CROSS_ENTROPY_CHUNK_TOKENS):
            rows = slice(start, start + CROSS_ENTROPY_CHUNK_TOKENS)
            logits_NV = F.linear(hidden_NE[rows], weight_VE)
            log_probabilities_NV = F.log_softmax(logits_NV, dim=-1, dtype=torch.float32)
            targets = targets_N[rows]
            loss += F.nll_loss(log_probabilities_NV, targets, ignore_index=ignore_index, reduction="sum")
            if grad_hidden_NE is None or grad_weight_VE is None:
                continue
            grad_NV = _cross_entropy_gradient(log_probabilities_NV, targets, ignore_index, scale).to(logits_NV.dtype)
            torch.mm(grad_NV, weight_VE, out=grad_hidden_NE[rows])
            grad_weight_VE.add_(torch.mm(grad_NV.t(), hidden_NE[rows]))
        ctx.save_for_backward(grad_hidden_NE, grad_weight_VE)
        ctx.weight_dtype = weight_VE.dtype
        return loss.mul_(scale)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, Tensor, None, None]:
        """Scale the gradients that the forward pass left."""
        grad_hidden_NE, grad_weight_VE = ctx.saved_tensors
        return grad_hidden_NE.mul_(grad), grad_weight_VE.mul_(grad).to(ctx.weight_dtype), None, None


def _cross_entropy_gradient(
    log_probabilities_NV: Tensor, targets_N: Tensor, ignore_index: int, scale: Tensor
) -> Tensor:
    """Turn log-probabilities in place into the gradient of the mean loss with respect to the logits."""
    gradient = log_probabilities_NV.exp_()
    ignored = targets_N == ignore_index
    gradient.scatter_add_(1, targets_N.masked_fill(ignored, 0)[:, None], torch.full_like(gradient[:, :1], -1.0))
    gradient.mul_(scale)
    return gradient.masked_fill_(ignored[:, None], 0.0)
