"""Matrix products in fp32 on a CPU: through whatever is fast on this processor.

- ``split``: six products of bfloat16 parts on the processor's matrix unit, as exact as fp32 (``split.c``): where there
  is Intel AMX and a compiler.
- ``onednn``: PyTorch's default is Intel's MKL, which runs at less than half speed on AMD processors; oneDNN, which
  PyTorch ships too, is fast there. Measured with 2 threads at 1024^3: AMD EPYC 208 (MKL) and 458 GFLOP/s (oneDNN).
- ``default``: PyTorch's own choice. bf16 is always its.

Shape suffixes: M, K and N rows and columns of any matrix; in a projection N tokens, I and O channels in and out.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.autograd import Function
from torch.autograd.function import once_differentiable

from headway.training.engines.torch.native import load_native

DEFAULT, ONEDNN, SPLIT = "default", "onednn", "split"

_LEAST_SIDE, _LEAST_PRODUCTS = 32, 2**22
"""Of a product that is worth splitting: the sides and the number of multiplications. Measured: from 128^3 to 160^3 on a
Xeon either way is as fast; below 32 of a side half of the tiles are padding."""

_active_kernel = DEFAULT


def choose_linear_kernel(device: torch.device, cpuinfo: Path = Path("/proc/cpuinfo")) -> str:
    """Return the kernel for this machine: split where it can run, oneDNN on AMD processors, else PyTorch's default."""
    if device.type != "cpu":
        return DEFAULT
    native = load_native()
    if native is not None and native.has_split_product:
        return SPLIT
    try:
        is_amd = "AuthenticAMD" in cpuinfo.read_text(encoding="utf-8", errors="replace")
    except OSError:
        is_amd = False
    return ONEDNN if is_amd and torch.backends.mkldnn.is_available() else DEFAULT


def use_linear_kernel(kernel: str) -> None:
    """Make `linear` and `product` use a kernel, in this whole process; the default one where this one cannot run."""
    global _active_kernel
    native = load_native() if kernel == SPLIT else None
    can_run = kernel != SPLIT or (native is not None and native.has_split_product)
    _active_kernel = kernel if can_run else DEFAULT


def linear(x: Tensor, weight_OI: Tensor, bias_O: Tensor | None = None) -> Tensor:
    """Return ``x @ weight.T + bias`` over the last axis of ``x``."""
    if not _is_ours(x):
        return F.linear(x, weight_OI, bias_O)
    product_NO: Tensor = Projection.apply(x.reshape(-1, x.shape[-1]), weight_OI)
    y = product_NO.view(*x.shape[:-1], weight_OI.shape[0])
    return y if bias_O is None else y + bias_O


def product(a_MK: Tensor, b_KN: Tensor) -> Tensor:
    """Return ``a @ b``, outside of autograd."""
    if not _is_ours(a_MK):
        return torch.mm(a_MK, b_KN)
    if _active_kernel == ONEDNN:
        # Contiguous copies are cheap beside the product, and oneDNN is slow on transposed views.
        return _onednn_product(a_MK.contiguous(), b_KN.t().contiguous())
    (rows, depth), columns = a_MK.shape, b_KN.shape[1]
    if min(rows, depth, columns) < _LEAST_SIDE or rows * depth * columns < _LEAST_PRODUCTS:
        return torch.mm(a_MK, b_KN)
    return torch.ops.headway.split_product(a_MK, b_KN)  # type: ignore[no-any-return]


def _is_ours(x: Tensor) -> bool:
    return _active_kernel != DEFAULT and x.dtype == torch.float32 and x.device.type == "cpu"


def _onednn_product(a_MK: Tensor, b_NK: Tensor) -> Tensor:
    return torch.ops.mkldnn._linear_pointwise(a_MK, b_NK, None, "none", [], "")  # type: ignore[no-any-return]


@torch.library.custom_op("headway::split_product", mutates_args=())
def split_product(a_MK: Tensor, b_KN: Tensor) -> Tensor:
    """Return ``a @ b`` of fp32 matrices on a CPU, by products of their bfloat16 parts; see ``split.c``.

    Raises:
        RuntimeError: this processor cannot.
    """
    native = load_native()
    if native is None or not native.has_split_product:
        raise RuntimeError("This processor has no matrix unit for bfloat16 (Intel AMX), or there is no C compiler.")
    return native.split_product(_lined(a_MK), _lined(b_KN))


@split_product.register_fake
def _(a_MK: Tensor, b_KN: Tensor) -> Tensor:
    return a_MK.new_empty((a_MK.shape[0], b_KN.shape[1]))


def _lined(matrix: Tensor) -> Tensor:
    """Return a matrix whose rows or columns are contiguous."""
    return matrix if 1 in matrix.stride() else matrix.contiguous()


class Projection(Function):
    """A bias-free projection whose three matrix products all go through `product`."""

    @staticmethod
    def forward(ctx: Any, x_NI: Tensor, weight_OI: Tensor) -> Tensor:
        """Return the projection [N, O]."""
        ctx.save_for_backward(x_NI, weight_OI)
        return product(x_NI, weight_OI.t())

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_NO: Tensor) -> tuple[Tensor | None, Tensor | None]:
        """Return the gradients of the input and of the weight, where they are needed."""
        x_NI, weight_OI = ctx.saved_tensors
        grad_x_NI = product(grad_NO, weight_OI) if ctx.needs_input_grad[0] else None
        grad_weight_OI = product(grad_NO.t(), x_NI) if ctx.needs_input_grad[1] else None
        return grad_x_NI, grad_weight_OI
