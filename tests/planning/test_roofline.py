import pytest

from headway import catalog
from headway.planning.operations import Operation
from headway.planning.roofline import (
    ATTENTION_EFFICIENCY,
    LAUNCH_SECONDS,
    MATMUL_EFFICIENCY,
    SUSTAINED_SHARE,
    CataloguedDevice,
)

DEVICE = CataloguedDevice(peak_flops_per_second=1e15, matmul_efficiency=0.8, bytes_per_second=1e12)


def operation(kind: str, shape: tuple[int, ...], flops: float, moved_bytes: float) -> Operation:
    return Operation(
        name="x", part="x", kind=kind, passes="forward", dtype="bf16", shape=shape, flops=flops,  # type: ignore[arg-type]
        moved_bytes=moved_bytes, launches=2, repeats=1,
    )  # fmt: skip


def test_arithmetic_bounds_a_large_product() -> None:
    found = DEVICE.seconds(operation("linear", (4096, 384, 512), 1e15, 1e6))
    # The inner size of 384 costs a quarter.
    assert found == pytest.approx(1 / (0.8 * 0.75) + 2 * LAUNCH_SECONDS)


def test_memory_bounds_an_elementwise_kernel() -> None:
    assert DEVICE.seconds(operation("norm", (1, 1), 0.0, 1e12)) == pytest.approx(1 + 2 * LAUNCH_SECONDS)


def test_attention_has_its_own_efficiency() -> None:
    found = DEVICE.seconds(operation("attention", (1, 1, 1, 1, 1), 1e15, 1.0))
    assert found == pytest.approx(1 / ATTENTION_EFFICIENCY + 2 * LAUNCH_SECONDS)


def test_products_and_logits_do_not_overlap() -> None:
    found = DEVICE.seconds(operation("head", (4096, 384, 512), 1e15, 1e12))
    assert found == pytest.approx(1 / (0.8 * 0.75) + 1 + 2 * LAUNCH_SECONDS)


def test_measured_rates_win_over_the_default() -> None:
    h100 = catalog.accelerator("h100")
    peak = h100.bf16_dense_flops_per_second
    assert peak is not None
    assert h100.measured_bf16_flops_per_second is not None
    known = CataloguedDevice.of(h100, "bf16", peak)
    assert known.matmul_efficiency == SUSTAINED_SHARE * h100.measured_bf16_flops_per_second / peak
    assert known.bytes_per_second == 0.8 * 3350e9
    assert CataloguedDevice.of(h100, "fp32", 67e12).matmul_efficiency == SUSTAINED_SHARE * MATMUL_EFFICIENCY


def test_the_default_is_the_middle_of_what_was_measured() -> None:
    shares = sorted(
        entry.measured_bf16_flops_per_second / entry.bf16_dense_flops_per_second
        for entry in catalog.accelerators.entries().values()
        if entry.measured_bf16_flops_per_second and entry.bf16_dense_flops_per_second
    )
    assert len(shares) > 5
    assert shares[len(shares) // 2] == pytest.approx(MATMUL_EFFICIENCY, abs=0.04)
