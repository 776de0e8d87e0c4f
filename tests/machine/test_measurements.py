import pytest

from headway.machine.measurements import Matmul, matmul_point, mean_ratio


def test_a_point_from_times() -> None:
    point = matmul_point("fp32", (2, 3, 4), "torch.mm", [2.0, 1.0, 4.0])
    assert (point.flops_per_second, point.median_flops_per_second) == (48.0, 24.0)


def test_rates_take_the_best_kernel_unless_one_is_named() -> None:
    slow, fast = (matmul_point("fp32", (2, 2, 2), kernel, [time]) for kernel, time in (("a", 2.0), ("b", 1.0)))
    other = matmul_point("bf16", (2, 2, 2), "a", [0.5])
    matmul = Matmul(method="torch", threads=1, points=(slow, fast, other))
    assert matmul.rates("fp32") == {(2, 2, 2): 16.0}
    assert matmul.rates("fp32", "a") == {(2, 2, 2): 8.0}
    assert matmul.best_flops_per_second("bf16") == 32.0
    assert matmul.best_flops_per_second("int8") is None


def test_the_mean_ratio_is_geometric_over_common_shapes() -> None:
    base = {(1, 1, 1): 1.0, (2, 2, 2): 1.0, (3, 3, 3): 1.0}
    assert mean_ratio({(1, 1, 1): 2.0, (2, 2, 2): 8.0, (9, 9, 9): 100.0}, base) == pytest.approx(4.0)
    assert mean_ratio({(9, 9, 9): 1.0}, base) is None
