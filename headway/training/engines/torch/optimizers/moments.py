"""How AdamW's two moments are kept between steps: in fp32, in bf16, or in 8 bits with a scale for each block.

Every form is read as fp32 and written back rounded, a piece of a weight at a time, so that the fp32 values of a whole
weight never exist. A form's tensors are divided over devices as their weight is, and are saved as they are.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cache
from typing import final

import torch
from torch import Tensor

from headway.training.engines.torch.native import NativeOperations

FIRST, SECOND = "exp_avg", "exp_avg_sq"

BLOCK = 256
"""Numbers that share a scale. Source: bitsandbytes and torchao, whose 8-bit AdamW has blocks of as many."""
LEAST_BLOCK = 16
"""Where rows divide into shorter blocks only, a whole row is one block."""

SCALE = "_scale"

PIECE = 2**18
"""Numbers of a weight that are worked on at a time: their fp32 moments stay in a CPU's cache."""

_DITHER_STEP, _DITHER_PLACE = 27145, 40503
"""Odd, so that every number below 2^16 has its turn; near 2^16 times the fractions of sqrt(2) and of the golden ratio,
whose multiples spread evenly."""

Parts = Mapping[str, Tensor]


class Form(ABC):
    """One way to keep a moment; its tensors are named by what follows the moment's name."""

    @abstractmethod
    def empty(self, weight: Tensor, moment: str) -> dict[str, Tensor]:
        """Return the tensors of a moment that is zero, for this device's part of a weight."""

    @abstractmethod
    def read(self, parts: Parts, moment: str, rows: slice) -> Tensor:
        """Return some rows of a moment in fp32, for the caller to change."""

    @abstractmethod
    def write(self, parts: Parts, moment: str, rows: slice, values: Tensor, step: int) -> None:
        """Keep some rows of a moment.

        Args:
            parts: this device's tensors of the weight.
            moment: its name.
            rows: which.
            values: fp32; may be changed.
            step: of the optimizer, from 1.
        """

    @abstractmethod
    def update(
        self, native: NativeOperations, weight: Tensor, gradient: Tensor, parts: Parts, numbers: Tensor, step: int
    ) -> bool:
        """Do AdamW's whole update of a weight in one pass; return whether the program has one for it.

        Args:
            native: the compiled program.
            weight: this device's part, fp32.
            gradient: of it, fp32.
            parts: this device's tensors of the weight.
            numbers: as `compact.numbers_of` makes them.
            step: of the optimizer, from 1.
        """


@final
class Rounded(Form):
    """Moments in bf16, as many digits as the step decides: over steps, what is rounded off adds up to nothing.

    To the nearest, a second moment would stand still where (1 - beta2) |g^2 / v - 1| is below 2^-9, as it often is for
    beta2 = 0.999. Here each number is rounded up as often as it is near to the upper neighbour.

    Source: DeepSeek-AI 2024 (arXiv:2412.19437), section 3.3.3, for moments in bf16; Gupta et al. 2015
    (arXiv:1502.02551), section 3.1, for rounding up with a probability. In place of random numbers there are mixed
    numbers of place and step, so that a run is repeated exactly.
    """

    def empty(self, weight: Tensor, moment: str) -> dict[str, Tensor]:
        """Return zeros; see `Form.empty`."""
        return {moment: torch.zeros(weight.shape, dtype=torch.bfloat16, device=weight.device)}

    def read(self, parts: Parts, moment: str, rows: slice) -> Tensor:
        """Return rows; see `Form.read`."""
        return parts[moment][rows].float()

    def write(self, parts: Parts, moment: str, rows: slice, values: Tensor, step: int) -> None:
        """Keep rows; see `Form.write`."""
        mixed = _mixed(_places(values.numel(), values.device), step).view(values.shape)
        # Half of what is between two neighbours, on average, is added before the lower 16 bits are cut off.
        bits = mixed.add_(values.view(torch.int32))
        parts[moment][rows] = bits.bitwise_and_(-(2**16)).view(torch.float32)

    def update(
        self, native: NativeOperations, weight: Tensor, gradient: Tensor, parts: Parts, numbers: Tensor, step: int
    ) -> bool:
        """Update a weight; see `Form.update`."""
        rows = max(1, PIECE // max(1, weight[0].numel()))
        piece = rows * weight[0].numel()
        native.adamw_16bit(weight, gradient, (parts[FIRST], parts[SECOND]), numbers, piece, step)
        return True


@cache
def _places(count: int, device: torch.device) -> Tensor:
    return (torch.arange(count, device=device) * _DITHER_PLACE % 2**16).int()


def _mixed(places: Tensor, step: int) -> Tensor:
    """Return 16 bits for each place of a weight; over 2^16 steps, each number comes once.

    x (2 x + 1) is a permutation of the numbers below 2^16 that mixes the upper bits; both bytes are exchanged between
    two of them. Source: Rivest et al. 1998, "The RC6 block cipher", section 2.
    """
    lowest = 2**16 - 1
    mixed = (places + step * _DITHER_STEP % 2**16).bitwise_and_(lowest)
    mixed = mixed.mul_(2 * mixed + 1).bitwise_and_(lowest)
    mixed = mixed.bitwise_left_shift(8).bitwise_or_(mixed.bitwise_right_shift(8)).bitwise_and_(lowest)
    return mixed.mul_(2 * mixed + 1).bitwise_and_(lowest)


@final
class Quantised(Form):
    """Matrices in 8 bits: a number is one of 256 values of a dynamic map, times the largest of its block.

    Vectors are kept in fp32: they are few. Blocks lie within rows, so that devices that divide a matrix have blocks of
    their own.

    Source: Dettmers et al. 2022 (arXiv:2110.02861), sections 2.1 (blocks) and 1.3 (dynamic tree quantisation).
    Leaves out: its embedding layer with a norm; and that slow changes of a moment are lost in the rounding.
    """

    def empty(self, weight: Tensor, moment: str) -> dict[str, Tensor]:
        """Return zeros; see `Form.empty`."""
        if weight.dim() < 2:
            return {moment: torch.zeros(weight.shape, dtype=torch.float32, device=weight.device)}
        count = weight.shape[1] // block_of(weight.shape[1])
        zero = int(_map(moment).abs().argmin())
        return {
            moment: torch.full(weight.shape, zero, dtype=torch.uint8, device=weight.device),
            f"{moment}{SCALE}": torch.zeros((weight.shape[0], count), dtype=torch.float32, device=weight.device),
        }

    def read(self, parts: Parts, moment: str, rows: slice) -> Tensor:
        """Return rows; see `Form.read`."""
        if f"{moment}{SCALE}" not in parts:
            return parts[moment][rows].clone()
        return dequantised(parts[moment][rows], parts[f"{moment}{SCALE}"][rows], moment)

    def write(self, parts: Parts, moment: str, rows: slice, values: Tensor, step: int) -> None:
        """Keep rows; see `Form.write`."""
        if f"{moment}{SCALE}" not in parts:
            parts[moment][rows] = values
            return
        scales = parts[f"{moment}{SCALE}"][rows]
        codes, found = quantised(values, scales.shape[1], moment)
        parts[moment][rows] = codes
        scales.copy_(found)

    def update(
        self, native: NativeOperations, weight: Tensor, gradient: Tensor, parts: Parts, numbers: Tensor, step: int
    ) -> bool:
        """Update a matrix; see `Form.update`."""
        if weight.dim() < 2:
            return False
        moments = tuple(parts[name] for moment in (FIRST, SECOND) for name in (moment, f"{moment}{SCALE}"))
        native.adamw_8bit(weight, gradient, moments, _tables(), numbers, moments[1].numel())
        return True


FORMS: dict[str, Form] = {"adamw16bit": Rounded(), "adamw8bit": Quantised()}
"""Name of the optimizer -> how it keeps its moments."""


def block_of(columns: int) -> int:
    """Return how many neighbours in a row of so many share a scale."""
    block = math.gcd(columns, BLOCK)
    return block if block >= LEAST_BLOCK else columns


def quantised(values: Tensor, blocks: int, moment: str) -> tuple[Tensor, Tensor]:
    """Return the codes of a matrix, and the scale of each block of its rows.

    Args:
        values: fp32; changed.
        blocks: in each row.
        moment: first or second; the second has no negative values.
    """
    blocked = values.view(values.shape[0], blocks, values.shape[1] // max(blocks, 1))
    scales = blocked.abs().amax(dim=-1)
    # A block of zeros stays so.
    blocked.div_(scales.clamp(min=torch.finfo(torch.float32).tiny).unsqueeze(-1))
    # Of the 32 bits, the upper 16 decide.
    index = values.view(torch.int32).bitwise_right_shift(16).bitwise_and_(2**16 - 1)
    codes = torch.index_select(_codes(moment, values.device), 0, index.view(-1))
    return codes.view(values.shape), scales


def dequantised(codes: Tensor, scales: Tensor, moment: str) -> Tensor:
    """Return what codes and scales stand for, fp32."""
    values = torch.index_select(_map(moment, codes.device), 0, codes.reshape(-1).int())
    values.view(codes.shape[0], scales.shape[1], -1).mul_(scales.unsqueeze(-1))
    return values.view(codes.shape)


@cache
def dynamic_map(*, signed: bool) -> tuple[float, ...]:
    """Return the 256 values of the dynamic map, in order: seven decades, the upper ones ever finer; 0 and 1.

    Source: Dettmers et al. 2022 (arXiv:2110.02861), section 1.3; ``create_dynamic_map`` of bitsandbytes: of decade
    10^(i - 6), the middles of 2^i equal parts of 0.1 to 1 with either sign, or of 2^(i + 1) parts without.
    """
    found = [0.0, 1.0]
    for decade in range(7):
        parts = 2 ** (decade if signed else decade + 1)
        middles = [10.0 ** (decade - 6) * (0.1 + 0.9 * (part + 0.5) / parts) for part in range(parts)]
        found += middles
        if signed:
            found += [-middle for middle in middles]
    return tuple(sorted(found))


@cache
def _map(moment: str, device: torch.device | None = None) -> Tensor:
    return torch.tensor(dynamic_map(signed=moment == FIRST), dtype=torch.float32, device=device)


@cache
def _tables() -> tuple[Tensor, Tensor]:
    """Return the values of both moments' maps, and the codes of both."""
    cpu = torch.device("cpu")
    return torch.cat([_map(moment) for moment in (FIRST, SECOND)]), torch.cat(
        [_codes(moment, cpu) for moment in (FIRST, SECOND)]
    )


@cache
def _codes(moment: str, device: torch.device) -> Tensor:
    """Return the code of each number by its upper 16 bits: of the value nearest to the middle of what they cover."""
    values = _map(moment)
    upper = torch.arange(2**16, dtype=torch.int32)
    middles = (upper * 2**16 + 2**15).view(torch.float32).nan_to_num(nan=1.0)
    codes = torch.bucketize(middles, (values[1:] + values[:-1]) / 2)
    if moment == SECOND:
        # A second moment must not vanish beside a first one that stays: the update would be without bounds.
        codes = torch.where((upper > 0) & (codes == 0), 1, codes)
    return codes.to(device, torch.uint8)
