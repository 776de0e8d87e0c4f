from __future__ import annotations

import os

import pytest
import torch

from headway.training.engines.torch import self_test


@pytest.fixture
def factors() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    generator = torch.Generator().manual_seed(1)
    a, b = (torch.randint(-8, 9, (64, 64), generator=generator) for _ in range(2))
    return a, b, torch.randint(0, 2**16, (64,), generator=generator)


def test_a_right_product_passes(factors: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    a, b, x = factors
    assert self_test.is_product(a.float() @ b.float(), x, a @ (b @ x))


@pytest.mark.parametrize("fault", [1.0, 0.25, float("nan"), float("inf")])
def test_one_wrong_entry_is_found(factors: tuple[torch.Tensor, torch.Tensor, torch.Tensor], fault: float) -> None:
    a, b, x = factors
    product = a.float() @ b.float()
    product[17, 3] += fault
    assert not self_test.is_product(product, x, a @ (b @ x))


def test_a_flipped_bit_of_any_place_is_found(factors: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> None:
    a, b, x = factors
    expected = a @ (b @ x)
    for bit in range(31):
        product = a.float() @ b.float()
        product[5, 40] = product[5, 40].clamp(min=1.0)
        expected_now = product.to(torch.int64) @ x
        product.view(torch.int32)[5, 40] ^= 1 << bit
        assert not self_test.is_product(product, x, expected_now)
    assert self_test.is_product(a.float() @ b.float(), x, expected)


def test_every_core_multiplies_and_is_given_back() -> None:
    threads, cores = torch.get_num_threads(), os.sched_getaffinity(0)
    try:
        found = self_test.multiply("cpu")
    finally:
        torch.set_num_threads(threads)
    assert [one["device"] for one in found] == [f"cpu:{core}" for core in sorted(cores)][: len(found)]
    assert not any(one["wrong"] for one in found)
    assert all(one["flops_per_second"] > 0 for one in found)
    assert os.sched_getaffinity(0) == cores
