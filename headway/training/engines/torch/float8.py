"""Projections whose matrix products are of 8-bit floats: e4m3 forward, and e5m2 for the gradients that come back.

Each operand is scaled as a whole so that its largest number is the format's largest, anew in every product, and the
sums are in fp32. y = x W^T is of e4m3 with e4m3; dx = dy W and dW = dy^T x are of e5m2 with e4m3: gradients need range
more than digits.
Source: Micikevicius et al. 2022 (arXiv:2209.05433), sections 3 and 4; torchao's ``Float8Linear`` with tensorwise
dynamic scales.

An accelerator from capability 8.9 on multiplies such numbers itself. Elsewhere the product is emulated: operands are
rounded to 8 bits, and multiplied in fp32, which holds every product of two of them exactly.
Leaves out: scales that are finer than a matrix, and scales that are remembered from step to step.

Shape suffixes: M, K and R rows and columns of any matrix.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

VALUES, GRADIENTS = torch.float8_e4m3fn, torch.float8_e5m2

LEAST_CAPABILITY = (8, 9)
"""Source: PyTorch, ``torch._scaled_mm``: compute capability of at least 8.9."""

_ALIGNMENT = 16
"""What it asks of the sides of both matrices."""


def is_emulated(device: torch.device) -> bool:
    """Say whether a device has no products of 8-bit floats of its own."""
    return device.type != "cuda" or torch.cuda.get_device_capability(device) < LEAST_CAPABILITY


@torch.library.custom_op("headway::float8_product", mutates_args=())
def float8_product(a_MK: Tensor, b_RK: Tensor, is_gradient: bool) -> Tensor:
    """Return ``a @ b.T`` of matrices that are rounded to 8-bit floats, in the dtype of ``a``.

    Args:
        a_MK: a matrix.
        b_RK: another one.
        is_gradient: whether the first is a gradient that came back.
    """
    a_codes, a_scale = round_matrix(a_MK, GRADIENTS if is_gradient else VALUES)
    b_codes, b_scale = round_matrix(b_RK, VALUES)
    if is_emulated(a_MK.device):
        return torch.mm(a_codes.float(), b_codes.float().t()).mul_(a_scale * b_scale).to(a_MK.dtype)
    return _on_device(a_codes, b_codes, a_scale, b_scale, a_MK.dtype)


@float8_product.register_fake
def _(a_MK: Tensor, b_RK: Tensor, is_gradient: bool) -> Tensor:
    return a_MK.new_empty((a_MK.shape[0], b_RK.shape[0]))


def round_matrix(x_MK: Tensor, form: torch.dtype) -> tuple[Tensor, Tensor]:
    """Return a matrix in 8-bit floats, and the scale that it has to be multiplied by."""
    most = torch.finfo(form).max
    scale = x_MK.abs().amax().float().div_(most)
    # A matrix of zeros stays so.
    factor = scale.clamp(min=torch.finfo(torch.float32).tiny).reciprocal_()
    return (x_MK.float() * factor).clamp_(-most, most).to(form), scale


def _on_device(a_MK: Tensor, b_RK: Tensor, a_scale: Tensor, b_scale: Tensor, dtype: torch.dtype) -> Tensor:
    rows, columns = a_MK.shape[0], b_RK.shape[0]
    width = -a_MK.shape[1] % _ALIGNMENT
    a_MK = _filled(a_MK, -rows % _ALIGNMENT, width)
    b_RK = _filled(b_RK, -columns % _ALIGNMENT, width)
    # Two formats of e4m3 are added up in fewer digits, which is faster, and what training forward can do with.
    product: Tensor = torch._scaled_mm(
        a_MK, b_RK.t(), scale_a=a_scale, scale_b=b_scale, out_dtype=dtype, use_fast_accum=a_MK.dtype == VALUES
    )
    return product[:rows, :columns]


def _filled(codes: Tensor, rows: int, columns: int) -> Tensor:
    """Return a matrix with so many more rows and columns of zeros, row after row in memory."""
    if not rows and not columns:
        return codes.contiguous()
    return F.pad(codes.view(torch.uint8), (0, columns, 0, rows)).view(codes.dtype)
