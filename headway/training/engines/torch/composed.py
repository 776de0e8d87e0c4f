"""The operations of ``native.c`` put together from PyTorch's own: for accelerators, and where there is no compiler.

Shape suffixes as in ``kernels.py``.
"""

from __future__ import annotations

from typing import final

import torch
import torch.nn.functional as F
from torch import Tensor


@final
class ComposedOperations:
    """The same functions as `NativeOperations`, for tensors of any device and dtype."""

    def rms_norm_forward(self, x_NE: Tensor, weight_E: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
        """Return the normalised rows and 1 / rms of each row [N, 1]."""
        x = x_NE.float()
        mean_N1 = torch.linalg.vector_norm(x, dim=-1, keepdim=True).square_().div_(x.shape[-1])
        inverse_N1 = mean_N1.add_(epsilon).rsqrt_()
        # Hugging Face rounds to the activations' dtype before the weight is applied; equal results need the same order.
        return torch.mul(x, inverse_N1).to(x_NE.dtype).mul_(weight_E.to(x_NE.dtype)), inverse_N1

    def rms_norm_backward(
        self, grad_NE: Tensor, x_NE: Tensor, weight_E: Tensor, inverse_N1: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return the gradients of the input and of the weight."""
        x, grad, weight = x_NE.float(), grad_NE.float(), weight_E.float()
        product_NE = grad * x
        grad_weight_E = torch.mv(product_NE.t(), inverse_N1[:, 0])
        # The gradient of x / rms(x) is the scaled gradient with its share along x projected off.
        along_N1 = torch.mv(product_NE, weight).unsqueeze_(1).mul_(inverse_N1.square()).div_(-x.shape[-1])
        grad_x = torch.mul(x, along_N1, out=product_NE).addcmul_(grad, weight).mul_(inverse_N1)
        return grad_x.to(x_NE.dtype), grad_weight_E

    def swiglu_forward(self, gate_NF: Tensor, up_NF: Tensor) -> Tensor:
        """Return silu(gate) * up."""
        return F.silu(gate_NF).mul_(up_NF)

    def swiglu_backward(self, grad_NF: Tensor, gate_NF: Tensor, up_NF: Tensor) -> tuple[Tensor, Tensor]:
        """Return the gradients of gate and up."""
        grad_up_NF = F.silu(gate_NF).mul_(grad_NF)
        return torch.ops.aten.silu_backward(grad_NF * up_NF, gate_NF), grad_up_NF

    def rotate(self, x_BTHD: Tensor, cos_TD: Tensor, sin_TD: Tensor, sign: float) -> Tensor:
        """Turn the channel pairs of ``x_BTHD``."""
        cos, sin = cos_TD[:, None, :].to(x_BTHD.dtype), sin_TD[:, None, :].to(x_BTHD.dtype)
        first, second = x_BTHD.chunk(2, dim=-1)
        turned = torch.empty(x_BTHD.shape, dtype=x_BTHD.dtype, device=x_BTHD.device)
        out_first, out_second = turned.chunk(2, dim=-1)
        torch.mul(first, cos, out=out_first).addcmul_(second, sin, value=-sign)
        torch.mul(second, cos, out=out_second).addcmul_(first, sin, value=sign)
        return turned

    def cross_entropy(self, logits_NV: Tensor, targets_N: Tensor, ignore_index: int) -> tuple[Tensor, Tensor]:
        """Return the sum of the losses, and the gradient of that sum with respect to the logits."""
        log_probabilities_NV = F.log_softmax(logits_NV, dim=-1, dtype=torch.float32)
        loss = F.nll_loss(log_probabilities_NV, targets_N, ignore_index=ignore_index, reduction="sum")
        gradient_NV = log_probabilities_NV.exp_()
        ignored_N = targets_N == ignore_index
        ones_N1 = torch.full_like(gradient_NV[:, :1], -1.0)
        gradient_NV.scatter_add_(1, targets_N.masked_fill(ignored_N, 0)[:, None], ones_N1)
        return loss, gradient_NV.masked_fill_(ignored_N[:, None], 0.0).to(logits_NV.dtype)
