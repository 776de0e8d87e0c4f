"""Projections whose matrix products are of 8-bit integers, in the forward and in the backward pass.

Each row of either operand is scaled by its largest number and rounded to -127 to 127; the sums are exact, in 32-bit
integers. y = x W^T, dx = dy W and dW = dy^T x all are products of rows with rows once an operand is transposed, so that
each has scales along what is not summed over.
Source: Xi et al. 2024 (arXiv:2403.12422) and torchao's ``int8_mixed_precision_training``: dynamic scales of rows for
all three products.
Leaves out: scales that are finer than a row, and rounding by chance.

Shape suffixes: M, K and R rows and columns of any matrix.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

LARGEST = 127

_ALIGNMENT = 8
_LEAST_ROWS = 17
"""What ``torch._int_mm`` asks of shapes on CUDA: sums and results of a multiple of 8, and more than 16 rows."""


@torch.library.custom_op("headway::int8_product", mutates_args=())
def int8_product(a_MK: Tensor, b_RK: Tensor) -> Tensor:
    """Return ``a @ b.T`` of matrices whose rows are rounded to 8 bits, in the dtype of ``a``."""
    rows, columns = a_MK.shape[0], b_RK.shape[0]
    codes_MK, scales_M1 = round_rows(a_MK)
    codes_RK, scales_R1 = round_rows(b_RK)
    width = -a_MK.shape[1] % _ALIGNMENT
    codes_MK = _filled(codes_MK, max(0, _LEAST_ROWS - rows), width)
    codes_RK = _filled(codes_RK, -columns % _ALIGNMENT, width)
    sums_MR: Tensor = torch._int_mm(codes_MK, codes_RK.t())[:rows, :columns]
    return sums_MR.float().mul_(scales_M1).mul_(scales_R1.t()).to(a_MK.dtype)


@int8_product.register_fake
def _(a_MK: Tensor, b_RK: Tensor) -> Tensor:
    return a_MK.new_empty((a_MK.shape[0], b_RK.shape[0]))


def _filled(codes: Tensor, rows: int, columns: int) -> Tensor:
    """Return a matrix with so many more rows and columns of zeros, row after row in memory."""
    return F.pad(codes, (0, columns, 0, rows)) if rows or columns else codes.contiguous()


def round_rows(x_MK: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rows of a matrix in 8 bits, and the scale [M, 1] of each."""
    scales_M1 = x_MK.abs().amax(dim=1, keepdim=True).float().div_(LARGEST)
    # A row of zeros stays so.
    factors_M1 = scales_M1.clamp(min=torch.finfo(torch.float32).tiny).reciprocal_()
    return (x_MK.float() * factors_M1).round_().to(torch.int8), scales_M1
