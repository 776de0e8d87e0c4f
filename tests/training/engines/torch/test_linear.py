from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

from headway.training.engines.torch import linear as module
from headway.training.engines.torch.linear import (
    DEFAULT,
    ONEDNN,
    SPLIT,
    choose_linear_kernel,
    linear,
    product,
    use_linear_kernel,
)

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _restore() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    use_linear_kernel(DEFAULT)
    torch.set_num_threads(threads)


@pytest.mark.parametrize("has_bias", [False, True])
@pytest.mark.parametrize(("kernel", "size"), [(ONEDNN, 16), (SPLIT, 16), (SPLIT, 200)])
def test_kernels_equal_the_default(kernel: str, size: int, has_bias: bool) -> None:
    torch.manual_seed(0)
    x = torch.randn(3, 5 * size, size, requires_grad=True)
    weight = torch.randn(size // 2, size, requires_grad=True)
    bias = torch.randn(size // 2, requires_grad=True) if has_bias else None
    results = {}
    for name in (DEFAULT, kernel):
        use_linear_kernel(name)
        y = linear(x, weight, bias)
        inputs = [x, weight] if bias is None else [x, weight, bias]
        results[name] = (y, *torch.autograd.grad(y.square().mean(), inputs))
    for first, second in zip(results[DEFAULT], results[kernel], strict=True):
        torch.testing.assert_close(first, second, atol=1e-4, rtol=1e-5)


def _layouts(rows: int, columns: int) -> list[torch.Tensor]:
    whole = torch.randn(rows, columns + 3)
    return [
        torch.randn(rows, columns),
        torch.randn(columns, rows).t(),
        whole[:, 3:],
        whole[:, ::2][:, :1].expand(rows, columns),
    ]


@pytest.mark.parametrize(
    ("rows", "depth", "columns"),
    [(32, 4096, 32), (160, 160, 164), (33, 1030, 171), (1030, 70, 95), (1057, 33, 2081), (64, 513, 2049)],
)
def test_split_products_are_as_exact_as_fp32(rows: int, depth: int, columns: int) -> None:
    """Beside float64: the largest error is no more than twice that of the default, whatever lies how in memory."""
    torch.manual_seed(0)
    for a in _layouts(rows, depth):
        for b in _layouts(depth, columns):
            exact = a.double() @ b.double()
            errors = {}
            for kernel in (DEFAULT, SPLIT):
                use_linear_kernel(kernel)
                errors[kernel] = float((product(a, b).double() - exact).abs().max())
            assert errors[SPLIT] <= 2 * errors[DEFAULT]


def test_split_products_of_great_and_small_numbers() -> None:
    use_linear_kernel(SPLIT)
    torch.manual_seed(0)
    a, b = torch.randn(256, 256), torch.randn(256, 256)
    plain = product(a, b)
    # A power of two changes no bit of a mantissa.
    assert torch.equal(product(a * 2.0**60, b * 2.0**-80), plain * 2.0**-20)
    for value in (float("nan"), float("inf")):
        a[7, 5] = value
        finite = product(a, b).isfinite()
        assert not finite[7].any()
        assert finite.sum() == 255 * 256


def test_split_products_are_the_same_with_any_number_of_threads() -> None:
    use_linear_kernel(SPLIT)
    torch.manual_seed(0)
    a, b = torch.randn(700, 600), torch.randn(600, 500)
    results = []
    for threads in (1, 2, 3):
        torch.set_num_threads(threads)
        results.append(product(a, b))
    assert torch.equal(results[0], results[1])
    assert torch.equal(results[0], results[2])


def test_split_products_leave_bf16_products_as_they_were() -> None:
    """The matrix unit is set up anew by each of its users: ours must not spoil oneDNN's."""
    torch.manual_seed(0)
    a = torch.randn(256, 256)
    low = a.bfloat16()
    before = low @ low
    use_linear_kernel(SPLIT)
    for _ in range(3):
        product(a, a)
        assert torch.equal(low @ low, before)


def test_the_kernel_suits_the_processor(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    native = module.load_native()
    has_split = native is not None and native.has_split_product
    assert (choose_linear_kernel(CPU) == SPLIT) == has_split
    # As on a processor without a matrix unit.
    monkeypatch.setattr(module, "load_native", lambda: None)
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("vendor_id\t: AuthenticAMD\n")
    assert choose_linear_kernel(CPU, cpuinfo) == ONEDNN
    cpuinfo.write_text("vendor_id\t: GenuineIntel\n")
    assert choose_linear_kernel(CPU, cpuinfo) == DEFAULT
    assert choose_linear_kernel(CPU, tmp_path / "missing") == DEFAULT
    assert choose_linear_kernel(torch.device("cuda"), cpuinfo) == DEFAULT


def test_a_run_of_another_processor_goes_on_without_its_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    a = torch.randn(256, 256)
    expected = a @ a
    monkeypatch.setattr(module, "load_native", lambda: None)
    use_linear_kernel(SPLIT)
    assert torch.equal(product(a, a), expected)
    with pytest.raises(RuntimeError, match="AMX"):
        module.split_product(a, a)
