"""Differentiable operations written out by hand, where that saves memory traffic over composed ones.

Each keeps for the backward pass only what cannot be recomputed cheaply, and touches its arrays as few times as it
can: on a CPU, and on small models anywhere, these operations are bound by memory and not by arithmetic. On a CPU they
run in the compiled program of ``native.c`` where there is a compiler, else in PyTorch's own parts.

Shape suffixes: B batch, T positions, N tokens (B x T), H heads, D head channels, E hidden channels, F MLP channels,
V vocabulary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from headway.training.engines.torch.composed import ComposedOperations
from headway.training.engines.torch.linear import product
from headway.training.engines.torch.native import (
    NativeOperations,
    activate_native,
    active_native,
    load_native,
)

CROSS_ENTROPY_CHUNK_TOKENS = 512
"""Tokens whose logits exist at one time: 512 x 128k logits in fp32 are 256 MiB, and 512 x 4k stay in a CPU's cache."""

COMPOSED, NATIVE = "composed", "native"

_composed = ComposedOperations()
_is_split = False


def choose_elementwise_kernel(device: torch.device) -> str:
    """Return ``native`` for a CPU with a compiler, else ``composed``."""
    return NATIVE if device.type == "cpu" and load_native() is not None else COMPOSED


def use_elementwise_kernel(kernel: str) -> None:
    """Make the operations on CPU tensors use a kernel, in this whole process; composed where there is no compiler."""
    activate_native(is_active=kernel == NATIVE)


def _operations(x: Tensor) -> ComposedOperations | NativeOperations:
    if torch.compiler.is_compiling():
        return _composed
    return active_native(x) or _composed


class RMSNorm(Function):
    """Root-mean-square normalisation with statistics in fp32.

    y = x / sqrt(mean(x^2) + eps) * w. Source: Zhang and Sennrich 2019 (arXiv:1910.07467), eq. 4.
    """

    @staticmethod
    def forward(ctx: Any, x_NE: Tensor, weight_E: Tensor, epsilon: float) -> Tensor:
        """Normalise the rows of ``x_NE``; the result has its dtype."""
        y_NE, inverse_N1 = _operations(x_NE).rms_norm_forward(x_NE, weight_E, epsilon)
        ctx.save_for_backward(x_NE, weight_E, inverse_N1)
        return y_NE

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NE: Tensor) -> tuple[Tensor, Tensor, None]:
        """Return the gradients of the input and of the weight."""
        x_NE, weight_E, inverse_N1 = ctx.saved_tensors
        grad_x_NE, grad_weight_E = _operations(x_NE).rms_norm_backward(grad_NE, x_NE, weight_E, inverse_N1)
        return grad_x_NE, grad_weight_E.to(weight_E.dtype), None


class SwiGLU(Function):
    """silu(gate) * up, keeping only its two inputs. Source: Shazeer 2020 (arXiv:2002.05202), section 2."""

    @staticmethod
    def forward(ctx: Any, gate_NF: Tensor, up_NF: Tensor) -> Tensor:
        """Return the gated product."""
        ctx.save_for_backward(gate_NF, up_NF)
        return _operations(gate_NF).swiglu_forward(gate_NF, up_NF)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NF: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of gate and up."""
        gate_NF, up_NF = ctx.saved_tensors
        return _operations(gate_NF).swiglu_backward(grad_NF, gate_NF, up_NF)


class Rotary(Function):
    """Rotary position embedding in the half-split layout of Hugging Face.

    Channel i and channel i + D/2 are one pair turned by the angle of (position, i).
    Source: Su et al. 2021 (arXiv:2104.09864), eq. 34.
    """

    @staticmethod
    def forward(ctx: Any, x_BTHD: Tensor, cos_TD: Tensor, sin_TD: Tensor) -> Tensor:
        """Turn the channel pairs; ``cos_TD`` and ``sin_TD`` hold the D/2 angles of each position, fp32."""
        ctx.save_for_backward(cos_TD, sin_TD)
        return _operations(x_BTHD).rotate(x_BTHD, cos_TD, sin_TD, 1.0)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_BTHD: Tensor) -> tuple[Tensor, None, None]:
        """Turn the gradient back by the same angles."""
        cos_TD, sin_TD = ctx.saved_tensors
        return _operations(grad_BTHD).rotate(grad_BTHD, cos_TD, sin_TD, -1.0), None, None


class LinearCrossEntropy(Function):
    """Output projection and mean cross-entropy together, a chunk of tokens at a time.

    The logits of all tokens never exist at once: each chunk's logits turn into their own gradient, so the memory is
    one chunk instead of several N x V arrays in fp32. The gradients are computed in the forward pass.
    Source: the idea of Wijmans et al. 2024 (arXiv:2411.09009) and of Liger Kernel (Hsu et al. 2024, arXiv:2410.10989),
    section 3.2.
    """

    @staticmethod
    def forward(ctx: Any, hidden_NE: Tensor, weight_VE: Tensor, targets_N: Tensor, ignore_index: int) -> Tensor:
        """Return the mean loss in nats over the targets that are not ``ignore_index`` (0 where there are none)."""

        def chunk(rows: slice) -> tuple[Tensor, Tensor]:
            logits_NV = product(hidden_NE[rows], weight_VE.t())
            return _operations(logits_NV).cross_entropy(logits_NV, targets_N[rows], ignore_index)

        return chunked_loss(ctx, hidden_NE, weight_VE, (targets_N != ignore_index).sum(), chunk)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None, None, None]:
        """Scale the gradients that the forward pass left."""
        return *chunked_loss_gradients(ctx, grad), None, None


def chunked_loss(
    ctx: Any,
    hidden_NE: Tensor,
    weight_VE: Tensor,
    num_targets: Tensor,
    chunk: Callable[[slice], tuple[Tensor, Tensor]],
) -> Tensor:
    """Return the mean loss of all rows, and leave the gradients that are needed in ``ctx``.

    Args:
        ctx: of a function whose first two inputs are the hidden states and the weight.
        hidden_NE: hidden states.
        weight_VE: of the output projection, or this device's rows of it.
        num_targets: that count, on the device: reading it would make the host wait.
        chunk: gives the sum of the losses of some rows, and its gradient with respect to their logits.
    """
    scale = num_targets.clamp_(min=1).float().reciprocal_()
    loss = torch.zeros((), dtype=torch.float32, device=hidden_NE.device)
    needs_hidden, needs_weight = ctx.needs_input_grad[:2]
    grad_hidden_NE = torch.empty_like(hidden_NE) if needs_hidden else None
    grad_weight_VE = torch.zeros_like(weight_VE, dtype=torch.float32) if needs_weight else None
    for start in range(0, hidden_NE.shape[0], CROSS_ENTROPY_CHUNK_TOKENS):
        rows = slice(start, start + CROSS_ENTROPY_CHUNK_TOKENS)
        chunk_loss, grad_NV = chunk(rows)
        loss += chunk_loss
        if grad_hidden_NE is not None:
            grad_hidden_NE[rows] = product(grad_NV, weight_VE)
        if grad_weight_VE is not None:
            grad_weight_VE.add_(product(grad_NV.t(), hidden_NE[rows]))
    ctx.save_for_backward(grad_hidden_NE, grad_weight_VE, scale)
    ctx.weight_dtype = weight_VE.dtype
    return loss.mul_(scale)


def chunked_loss_gradients(ctx: Any, grad: Tensor) -> tuple[Tensor | None, Tensor | None]:
    """Return the gradients that `chunked_loss` left, times that of the loss, that of the weight in its dtype."""
    grad_hidden_NE, grad_weight_VE, scale = ctx.saved_tensors
    return scaled_gradients(grad_hidden_NE, grad_weight_VE, grad * scale, ctx.weight_dtype)


def split_backward(*, is_split: bool) -> None:
    """Say whether weights have a backward pass of their own, in this whole process: the loss then has two."""
    global _is_split
    _is_split = is_split


def scaled_gradients(
    grad_hidden_NE: Tensor | None, grad_weight_VE: Tensor | None, factor: Tensor, weight_dtype: torch.dtype
) -> tuple[Tensor | None, Tensor | None]:
    """Return the gradients that are needed, multiplied by a number, that of the weight rounded to its dtype."""
    hidden = grad_hidden_NE
    if _is_split:
        weight = None if grad_weight_VE is None else (grad_weight_VE * factor).to(weight_dtype)
        return None if hidden is None else (hidden.float() * factor).to(hidden.dtype), weight
    if hidden is not None and hidden.dtype == torch.float16:
        # The factor has the loss's scale in it, which fp16 may be too short for; a few rows of fp32 at a time are not.
        for rows_NE in hidden.split(CROSS_ENTROPY_CHUNK_TOKENS):
            rows_NE.copy_(rows_NE.float().mul_(factor))
    elif hidden is not None:
        hidden.mul_(factor)
    weight = None if grad_weight_VE is None else grad_weight_VE.mul_(factor).to(weight_dtype)
    return hidden, weight
