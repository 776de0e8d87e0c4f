import pytest

from headway.errors import PlanError
from headway.machine.measurements import OperationPoint
from headway.planning.measured import COLD_BYTES, MeasuredDevice, best_product_flops_per_second, work_amounts
from headway.planning.operations import Workload, micro_batch_operations
from headway.recipe import ModelConfig
from headway.training.engines.torch.operation_benchmarks import EVICTED_BYTES
from tests.planning.conftest import law_seconds, operation_points


def test_amounts_by_hand() -> None:
    assert work_amounts("linear", (2, 3, 5)) == (1, 30, 6, 10, 15)
    assert work_amounts("head", (2, 3, 5)) == (1, 30, 6, 10, 15)
    assert work_amounts("attention", (2, 3, 1, 4, 5)) == (1, 480, 96, 120)
    assert work_amounts("embedding", (2, 3, 5)) == (1, 6, 15)
    assert work_amounts("norm", (2, 3)) == (1, 2, 6)


def test_operations_take_what_was_measured(tiny: ModelConfig) -> None:
    device = MeasuredDevice(operation_points())
    work = Workload(model=tiny, sequences=8, sequence_length=8, dtype="fp32")
    for operation in micro_batch_operations(work):
        factor = 2 if operation.passes == "backward" else 1
        assert device.seconds(operation) == pytest.approx(
            factor * law_seconds(operation.kind, operation.shape), rel=0.05
        )


def test_what_was_not_measured_is_an_error(tiny: ModelConfig) -> None:
    points = [point for point in operation_points() if point.kind != "rotary"]
    operations = micro_batch_operations(Workload(model=tiny, sequences=1, sequence_length=8, dtype="fp32"))
    rotary = next(operation for operation in operations if operation.kind == "rotary")
    with pytest.raises(PlanError) as caught:
        MeasuredDevice(points).seconds(rotary)
    assert caught.value.message_id == "plan-operation-not-measured"
    assert caught.value.arguments == {"operation": "rotary", "dtype": "fp32"}


def test_data_that_is_used_again_late_is_cold(tiny: ModelConfig) -> None:
    device = MeasuredDevice(operation_points())
    work = Workload(model=tiny, sequences=8, sequence_length=8, dtype="fp32")
    forward = micro_batch_operations(work)[0]
    warm = device.seconds(forward)
    assert device.seconds(forward, COLD_BYTES / 2) == pytest.approx(2 * warm, rel=0.01)
    assert device.seconds(forward, COLD_BYTES) == pytest.approx(3 * warm, rel=0.01)
    assert device.seconds(forward, 100 * COLD_BYTES) == device.seconds(forward, COLD_BYTES)


def test_cold_is_what_the_probe_calls_cold() -> None:
    assert COLD_BYTES == EVICTED_BYTES


def test_no_shape_is_faster_than_the_best_that_was_measured(tiny: ModelConfig) -> None:
    """Times of small shapes, taken far beyond, would say more than the processor can."""
    work = Workload(model=tiny, sequences=8, sequence_length=8, dtype="fp32")
    device = MeasuredDevice(operation_points(), peak_flops_per_second=1.0)
    products = [one for one in micro_batch_operations(work) if one.flops]
    assert products
    for operation in products:
        assert device.seconds(operation) == operation.flops


def test_the_best_product_by_hand() -> None:
    """2 x 2 x 3 x 5 operations in 3 s, and twice as many backward in 2 s."""
    times = {"forward_cold_seconds": 9.0, "backward_cold_seconds": 9.0, "threads": 1}
    points = [
        OperationPoint(
            kind="linear", dtype="fp32", shape=(2, 3, 5), forward_seconds=3.0, backward_seconds=2.0, **times
        ),
        OperationPoint(
            kind="linear", dtype="bf16", shape=(2, 3, 5), forward_seconds=1e-9, backward_seconds=0.0, **times
        ),
        OperationPoint(kind="norm", dtype="fp32", shape=(2, 3), forward_seconds=1e-9, backward_seconds=1e-9, **times),
    ]
    assert best_product_flops_per_second(points, "fp32") == 60.0
    assert best_product_flops_per_second(points, "fp16") == 0.0
