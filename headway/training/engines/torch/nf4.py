"""Frozen weights in 4 bits: the NormalFloat of QLoRA, packed two to a byte, whose constants are in 8 bits.

A weight is one of 16 levels times the largest number of its block; a block's largest number is one of 255 parts of the
largest of its row. Blocks and rows are those of the whole matrix, however it is divided, so that every layout trains
beside the same base; and no row needs another, so that devices quantise what they hold.

Source: Dettmers et al. 2023 (arXiv:2305.14314), section 3: blocks of 64, and constants that are quantised once more;
appendix E for the levels.
Leaves out: its groups of 256 constants with a mean: a row is a group, and its constants are rounded up, so that no
weight lies beyond its block's.

Shape suffixes: O rows and I columns of a matrix, W bytes of a row, K blocks of a row.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache

import torch
from torch import Tensor

from headway.training.engines.torch.native import active_native

LEVELS = (
    -1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453,
    -0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0,
    0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224,
    0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0,
)  # fmt: skip
"""Quantiles of the normal distribution between -1 and 1, with an exact zero."""

BLOCK = 64
LEAST_BLOCK = 16
"""Where rows divide into shorter blocks only, a whole row is one block."""
CONSTANTS = 255
"""Steps of a block's constant, in parts of its row's."""

_PIECE = 2**18
"""Numbers that are expanded at a time on a CPU: their fp32 values stay in its caches."""


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A matrix in 4 bits.

    Attributes:
        codes_OW: two weights in a byte, the even column in its lower half.
        constants_OK: of blocks, in parts of the row's.
        scales_O4: of rows: the bytes of an fp32 number, so that nothing on the way rounds it.
        columns: of the matrix.
    """

    codes_OW: Tensor
    constants_OK: Tensor
    scales_O4: Tensor
    columns: int


def block_of(columns: int) -> int:
    """Return how many neighbours in a row of so many share a constant."""
    block = math.gcd(columns, BLOCK)
    return block if block >= LEAST_BLOCK else columns


def common_block(columns: int, own: int) -> int:
    """Return how many neighbours share a constant where a device has so many of all columns."""
    return math.gcd(block_of(columns), own)


def packed_shapes(rows: int, columns: int, block: int) -> dict[str, tuple[int, int]]:
    """Return the shapes of `Packed`'s tensors, by name."""
    return {"codes": (rows, -(-columns // 2)), "constants": (rows, columns // block), "scales": (rows, 4)}


def quantised(weight_OI: Tensor) -> Packed:
    """Return a matrix in 4 bits.

    Args:
        weight_OI: fp32, of finite numbers, whole rows.
    """
    rows, columns = weight_OI.shape
    blocks_OKB = weight_OI.reshape(rows, -1, block_of(columns))
    largest_OK = blocks_OKB.abs().amax(dim=-1)
    scales_O1 = largest_OK.amax(dim=-1, keepdim=True)
    parts_OK = (largest_OK / scales_O1.clamp(min=torch.finfo(torch.float32).tiny)).mul_(CONSTANTS).ceil_()
    constants_OK = parts_OK.clamp_(max=CONSTANTS).to(torch.uint8)
    # Weights go by the constants that they will be multiplied by.
    held_OK = (constants_OK.float() * (scales_O1 / CONSTANTS)).clamp_(min=torch.finfo(torch.float32).tiny)
    levels = torch.tensor(LEVELS, device=weight_OI.device)
    codes_OI = torch.bucketize(
        (blocks_OKB / held_OK[..., None]).view(rows, columns), (levels[1:] + levels[:-1]) / 2, out_int32=True
    )
    return Packed(
        codes_OW=_paired(codes_OI.to(torch.uint8)),
        constants_OK=constants_OK,
        scales_O4=scales_O1.view(torch.uint8),
        columns=columns,
    )


def part_of_columns(packed: Packed, columns: slice, block: int) -> Packed:
    """Return some columns of a matrix.

    Args:
        packed: whole rows.
        columns: from where to where.
        block: of the part: it divides the whole's and the part's columns.
    """
    own = block_of(packed.columns) // block
    codes_OI = _single(packed.codes_OW)[:, columns]
    constants_OK = packed.constants_OK.repeat_interleave(own, dim=1) if own > 1 else packed.constants_OK
    return Packed(
        codes_OW=_paired(codes_OI),
        constants_OK=constants_OK[:, columns.start // block : columns.stop // block],
        scales_O4=packed.scales_O4,
        columns=columns.stop - columns.start,
    )


@torch.library.custom_op("headway::nf4_expanded", mutates_args=())
def expanded(codes_OW: Tensor, constants_OK: Tensor, scales_O4: Tensor, columns: int, dtype: torch.dtype) -> Tensor:
    """Return the matrix [O, I] that codes stand for, rounded to a dtype."""
    rows = codes_OW.shape[0]
    weight_OI = torch.empty((rows, columns), dtype=dtype, device=codes_OW.device)
    if not weight_OI.numel():
        return weight_OI
    # Gathered with others, they may begin anywhere in memory.
    scales_O4 = scales_O4.clone(memory_format=torch.contiguous_format)
    native = active_native(weight_OI)
    if native is not None:
        native.nf4_expand(codes_OW, constants_OK, scales_O4, weight_OI)
        return weight_OI
    count = rows if codes_OW.is_cuda else max(1, _PIECE // columns)
    for start in range(0, rows, count):
        piece = slice(start, start + count)
        _expand(codes_OW[piece], constants_OK[piece], scales_O4[piece], weight_OI[piece])
    return weight_OI


@expanded.register_fake
def _(codes_OW: Tensor, constants_OK: Tensor, scales_O4: Tensor, columns: int, dtype: torch.dtype) -> Tensor:
    return codes_OW.new_empty((codes_OW.shape[0], columns), dtype=dtype)


def _expand(codes_OW: Tensor, constants_OK: Tensor, scales_O4: Tensor, weight_OI: Tensor) -> None:
    rows, columns = weight_OI.shape
    pairs = torch.index_select(_pairs(codes_OW.device), 0, codes_OW.reshape(-1).int())
    levels_OKB = pairs.view(rows, -1)[:, :columns].reshape(rows, constants_OK.shape[1], -1)
    scales_O1 = scales_O4.contiguous().view(torch.float32)
    held_OK = constants_OK.float() * (scales_O1 / CONSTANTS)
    weight_OI.copy_(levels_OKB.mul_(held_OK[..., None]).view(rows, columns))


@cache
def _pairs(device: torch.device) -> Tensor:
    """Return both levels of each byte."""
    levels, byte = torch.tensor(LEVELS), torch.arange(256)
    return torch.stack((levels[byte % 16], levels[byte // 16]), dim=1).to(device)


def _paired(codes_OI: Tensor) -> Tensor:
    filled = torch.nn.functional.pad(codes_OI, (0, codes_OI.shape[1] % 2))
    return filled[:, ::2] | (filled[:, 1::2] << 4)


def _single(codes_OW: Tensor) -> Tensor:
    return torch.stack((codes_OW & 15, codes_OW >> 4), dim=-1).flatten(1)


def rounded(weight_OI: Tensor) -> Tensor:
    """Return a matrix as it is once it has been in 4 bits, fp32."""
    packed = quantised(weight_OI)
    result: Tensor = expanded(packed.codes_OW, packed.constants_OK, packed.scales_O4, packed.columns, torch.float32)
    return result
