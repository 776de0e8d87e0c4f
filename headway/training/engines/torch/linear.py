"""Matrix products of the projections in fp32 on a CPU: through the library that is fast on this processor.

PyTorch's default is Intel's MKL, which runs at less than half speed on AMD processors; oneDNN, which PyTorch ships
too, is fast on both. Measured with 2 threads at 1024^3: AMD EPYC 208 (MKL) and 458 GFLOP/s (oneDNN), Intel Xeon with
AMX 330 and 310. bf16 goes through oneDNN already.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

DEFAULT, ONEDNN = "default", "onednn"

_active_kernel = DEFAULT


def choose_linear_kernel(device: torch.device, cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the kernel for this machine: oneDNN on AMD processors, PyTorch's default elsewhere."""
    if device.type != "cpu" or not torch.backends.mkldnn.is_available():
        return DEFAULT
    try:
        is_amd = "AuthenticAMD" in cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        is_amd = False
    return ONEDNN if is_amd else DEFAULT


def use_linear_kernel(kernel: str) -> None:
    """Make `linear` use a kernel, in this whole process."""
    global _active_kernel
    _active_kernel = kernel


def linear(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None = None) -> Tensor:
    """Return ``x @ weight.T + bias`` over the last axis of ``x``."""
    if _active_kernel == ONEDNN and x.dtype == torch.float32 and x.device.type == "cpu":
        product: Tensor = OneDnnLinear.apply(x.reshape(-1, x.shape[-1]), weight_OI)
        product = product.view(*x.shape[:-1], weight_OI.shape[0])
        return product if bias_O is None else product + bias_O
    return F.linear(x, weight_OI, bias_O)


def matmul_transposed(x_NI: Tensor, weight_OI: Tensor) -> Tensor:
    """Return ``x @ weight.T`` through oneDNN, outside of autograd."""
    return torch.ops.mkldnn._linear_pointwise(x_NI, weight_OI, None, "none", [], "")  # type: ignore[no-any-return]


def times_matrix(x_NO: Tensor, weight_OI: Tensor) -> Tensor:
    """Return ``x @ weight``, outside of autograd."""
    if _active_kernel == ONEDNN and x_NO.dtype == torch.float32 and x_NO.device.type == "cpu":
        return matmul_transposed(x_NO, weight_OI.t().contiguous())
    return torch.mm(x_NO, weight_OI)


class OneDnnLinear(Function):
    """A bias-free projection whose three matrix products all go through oneDNN."""

    @staticmethod
    def forward(ctx: Any, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection [N, O]."""
        ctx.save_for_backward(x_NI, weight_OI)
        return matmul_transposed(x_NI, weight_OI)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NO: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return the gradients of the input and of the weight, where they are needed."""
        x_NI, weight_OI = ctx.saved_tensors
        grad_x_NI = None
        if ctx.needs_input_grad[0]:
            grad_x_NI = matmul_transposed(grad_NO, weight_OI.t().contiguous())
        if not ctx.needs_input_grad[1]:
            return grad_x_NI, None
        # Contiguous copies are cheap beside the product, and oneDNN is slow on transposed views.
        grad_weight_OI = matmul_transposed(grad_NO.t().contiguous(), x_NI.t().contiguous())
        return grad_x_NI, grad_weight_OI
