import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch

import headway
from headway.planning.adapters import Adapters
from headway.planning.measured import MeasuredDevice, work_amounts
from headway.planning.operations import Workload, micro_batch_operations, update_operations
from headway.planning.steps import operations_of
from headway.recipe import resolve_recipe
from headway.training.engines.torch import linear, operation_benchmarks


@pytest.fixture(autouse=True)
def few_shapes(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    kernel = linear._active_kernel
    monkeypatch.setattr(operation_benchmarks, "LINEAR_SHAPES", ((16, 16, 16), (64, 32, 16)))
    monkeypatch.setattr(operation_benchmarks, "ATTENTION_SHAPES", ((1, 1, 1, 16, 16), (2, 4, 2, 32, 16)))
    monkeypatch.setattr(operation_benchmarks, "HEAD_SHAPES", ((16, 16, 64), (64, 32, 96)))
    monkeypatch.setattr(operation_benchmarks, "EMBEDDING_SHAPES", ((16, 16, 64), (64, 32, 96)))
    rows = dict.fromkeys(operation_benchmarks.ROW_SHAPES, ((16, 16), (64, 32)))
    monkeypatch.setattr(operation_benchmarks, "ROW_SHAPES", rows)
    monkeypatch.setattr(operation_benchmarks, "UPDATE_PARAMETERS", (1000, 500_000))
    monkeypatch.setattr(operation_benchmarks, "EXPAND_SHAPES", ((16, 16), (64, 32)))
    yield
    linear.use_linear_kernel(kernel)


def test_every_operation_of_a_plan_is_measured() -> None:
    points = operation_benchmarks.measure_operations(budget_seconds=0.0)
    device = MeasuredDevice(points)
    model = resolve_recipe({"model": {"preset": "qwen3-0.6b"}, "training": {"steps": 1}}).model
    for dtype in ("fp32", "bf16"):
        adapters = Adapters(rank=4, targets="all", packed=True)
        work = Workload(model=model, sequences=1, sequence_length=16, dtype=dtype, adapters=adapters)
        operations = (*micro_batch_operations(work), *operations_of(work))
        for operation in (*operations, *update_operations(1000, accumulations=1)):
            assert device.seconds(operation) > 0


def test_points_are_whole() -> None:
    points = operation_benchmarks.measure_operations(budget_seconds=0.0)
    for point in points:
        assert point.threads == torch.get_num_threads()
        assert point.forward_seconds > 0
        assert (point.backward_seconds > 0) == (point.kind not in ("update", "accumulate"))
        assert work_amounts(point.kind, point.shape)[0] == 1
    assert len({(point.kind, point.dtype, point.shape) for point in points}) == len(points)


def test_weights_are_split_into_tensors() -> None:
    assert operation_benchmarks._parts(1_000_000) == [400_000, 400_000, 200_000]


def test_the_trainer_takes_more_memory_than_the_framework() -> None:
    program = (
        "import json, torch; from headway.telemetry.process import peak_resident_bytes as peak; before = peak();"
        "from headway.training.engines.torch.operation_benchmarks import measure_training_resident_bytes as measure;"
        "print(json.dumps([before, measure()]))"
    )
    environment = os.environ | {"PYTHONPATH": str(Path(headway.__file__).parent.parent)}
    found = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, check=True)
    before, after = json.loads(found.stdout)
    assert before < after < before + 500 * 2**20
