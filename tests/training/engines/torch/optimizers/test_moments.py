"""Moments in 16 and 8 bits are near to what they round, and say how near."""

from __future__ import annotations

import pytest
import torch

from headway.training.engines.torch.optimizers.moments import (
    FIRST,
    SECOND,
    Quantised,
    Rounded,
    block_of,
    dequantised,
    dynamic_map,
    quantised,
)

ALL = slice(None)


@pytest.mark.parametrize("signed", [True, False])
def test_the_dynamic_map_has_256_values(signed: bool) -> None:
    """By hand: the topmost decade has 64 (or 128) middles of 0.1 to 1, the lowest one (or two) of 1e-7 to 1e-6."""
    values = dynamic_map(signed=signed)
    assert len(set(values)) == 256
    assert values[-1] == 1
    assert values[-2] == pytest.approx(1 - 0.9 / (64 if signed else 128) / 2)
    assert min(value for value in values if value > 0) == pytest.approx(5.5e-7 if signed else 3.25e-7)
    assert values[0] == (pytest.approx(-(1 - 0.9 / 128)) if signed else 0)


@pytest.mark.parametrize(("columns", "block"), [(1024, 256), (576, 64), (48, 16), (24, 24), (7, 7), (1, 1)])
def test_blocks_go_round_in_rows(columns: int, block: int) -> None:
    assert block_of(columns) == block
    assert columns % block == 0


@pytest.mark.parametrize("moment", [FIRST, SECOND])
def test_eight_bits_are_near_and_each_block_by_its_own_scale(moment: str) -> None:
    """In the topmost decade neighbours are 0.9/64 (or 0.9/128) apart: half of that is the error, and less below; and
    2^-8 for the bits that do not decide."""
    values = torch.randn(8, 512, generator=torch.Generator().manual_seed(0)) * torch.logspace(-6, 3, 8)[:, None]
    values = values if moment == FIRST else values.square()
    codes, scales = quantised(values.clone(), 2, moment)
    assert codes.dtype == torch.uint8
    assert torch.equal(scales, values.view(8, 2, 256).abs().amax(-1))
    found = dequantised(codes, scales, moment)
    bound = 0.9 / (128 if moment == FIRST else 256) + 2**-8
    errors = (found - values).abs().view(8, 2, 256) / scales[..., None]
    assert errors.max() < bound
    assert errors.max() > bound / 4
    again = quantised(found.clone(), 2, SECOND)[0] if moment == SECOND else codes
    assert torch.equal(again, codes)


def test_a_second_moment_that_is_not_zero_stays_so() -> None:
    values = torch.tensor([[1.0, 1e-12, 0.0, 1e-30]])
    codes, scales = quantised(values.clone(), 1, SECOND)
    assert (dequantised(codes, scales, SECOND) > 0).tolist() == [[True, True, False, True]]


def test_a_block_of_zeros_stays_zero() -> None:
    form = Quantised()
    parts = form.empty(torch.empty(2, 32), FIRST)
    assert not form.read(parts, FIRST, ALL).any()
    form.write(parts, FIRST, ALL, torch.zeros(2, 32), 1)
    assert not form.read(parts, FIRST, ALL).any()


def test_vectors_are_kept_whole() -> None:
    form = Quantised()
    parts = form.empty(torch.empty(3), SECOND)
    assert set(parts) == {SECOND}
    values = torch.tensor([0.1, 0.2, 0.3])
    form.write(parts, SECOND, ALL, values, 1)
    assert torch.equal(form.read(parts, SECOND, ALL), values)


def test_what_bf16_rounds_off_adds_up_to_nothing() -> None:
    """A moment that moves by a thousandth of its distance reaches it; rounded to the nearest it stands still."""
    form = Rounded()
    target = torch.linspace(0.5, 3, 1000)
    parts = form.empty(target, SECOND)
    form.write(parts, SECOND, ALL, 0.7 * target, 1)
    nearest = (0.7 * target).bfloat16()
    for step in range(2, 4000):
        values = form.read(parts, SECOND, ALL).lerp_(target, 0.001)
        form.write(parts, SECOND, ALL, values, step)
        nearest = nearest.float().lerp_(target, 0.001).bfloat16()
    expected = target * (1 - 0.3 * 0.999**3998)
    errors = (form.read(parts, SECOND, ALL) - expected) / expected
    assert abs(errors.mean()) < 5e-4
    assert errors.abs().max() < 2**-4
    assert ((nearest.float() - expected) / expected).abs().min() > 0.2


def test_bf16_takes_one_of_both_neighbours() -> None:
    form, values = Rounded(), torch.randn(10000, generator=torch.Generator().manual_seed(1))
    parts = form.empty(values, FIRST)
    form.write(parts, FIRST, ALL, values.clone(), 5)
    found = form.read(parts, FIRST, ALL)
    assert ((found - values) / values).abs().max() < 2**-7
    assert abs(((found - values) / values).mean()) < 1e-4
