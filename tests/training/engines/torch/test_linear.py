from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from headway.training.engines.torch.linear import DEFAULT, ONEDNN, choose_linear_kernel, linear, use_linear_kernel


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    yield
    use_linear_kernel(DEFAULT)


@pytest.mark.parametrize("has_bias", [False, True])
def test_onednn_equals_the_default(has_bias: bool) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 5, 16, requires_grad=True)
    weight = torch.randn(8, 16, requires_grad=True)
    bias = torch.randn(8, requires_grad=True) if has_bias else None
    results = {}
    for kernel in (DEFAULT, ONEDNN):
        use_linear_kernel(kernel)
        y = linear(x, weight, bias)
        inputs = [x, weight] if bias is None else [x, weight, bias]
        results[kernel] = (y, *torch.autograd.grad(y.square().sum(), inputs))
    for first, second in zip(results[DEFAULT], results[ONEDNN], strict=True):
        torch.testing.assert_close(first, second, atol=1e-4, rtol=1e-5)


def test_onednn_is_chosen_on_amd_only(tmp_path: Path) -> None:
    cpu = torch.device("cpu")
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("vendor_id\t: AuthenticAMD\n")
    assert choose_linear_kernel(cpu, cpuinfo) == ONEDNN
    cpuinfo.write_text("vendor_id\t: GenuineIntel\n")
    assert choose_linear_kernel(cpu, cpuinfo) == DEFAULT
    assert choose_linear_kernel(cpu, tmp_path / "missing") == DEFAULT
    assert choose_linear_kernel(torch.device("cuda"), cpuinfo) == DEFAULT
