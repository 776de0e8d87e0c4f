import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
import torch

import headway
from headway.machine.measurements import AllReduce, Framework
from headway.training.engines.torch import microbenchmarks

SHAPE = (16, 24, 32)


@pytest.fixture(autouse=True)
def same_threads() -> Iterator[None]:
    threads = torch.get_num_threads()
    yield
    torch.set_num_threads(threads)


def test_the_kernels_compute_the_same_product() -> None:
    kernels = microbenchmarks._kernels(*SHAPE)
    results = {(dtype, kernel): work() for dtype, kernel, work in kernels}
    reference = results["fp32", "torch.mm"]
    assert reference.shape == SHAPE[:2]
    torch.testing.assert_close(results["fp32", "onednn_linear"], reference)
    torch.testing.assert_close(results["bf16", "torch.mm"].float(), reference, rtol=0.05, atol=0.2)
    assert results["int8", "torch._int_mm"].dtype == torch.int32


def test_matmul_has_a_point_per_shape_and_kernel() -> None:
    found = microbenchmarks.measure_matmul(shapes=(SHAPE, (8, 8, 8)), budget_seconds=0.0)
    assert found.method == "torch"
    assert found.threads == microbenchmarks.THREADS
    assert len(found.points) == 2 * len(microbenchmarks._kernels(*SHAPE))
    assert {(point.m, point.n, point.k) for point in found.points} == {SHAPE, (8, 8, 8)}


def test_a_kernel_that_the_build_lacks_has_no_point(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(torch, "_int_mm")
    found = microbenchmarks.measure_matmul(shapes=(SHAPE,), budget_seconds=0.0)
    assert {point.dtype for point in found.points} == {"fp32", "bf16"}


def test_attention_counts_the_masked_operations() -> None:
    found = microbenchmarks.measure_attention(2, 3, 16, 8, budget_seconds=0.0)
    assert [point.dtype for point in found] == ["fp32", "bf16"]
    for point in found:
        # Forward: two products of 2 * 16 * 16 * 8 operations for each of 2 * 3 heads; backward twice that; half masked.
        assert point.counted_flops == (2 * 2 * 16 * 16 * 8) * 6 * 3 / 2
        assert point.flops_per_second == pytest.approx(point.counted_flops / point.forward_backward_seconds)


def test_the_framework_is_measured_in_a_process_of_its_own() -> None:
    environment = os.environ | {"OMP_NUM_THREADS": "1", "PYTHONPATH": str(Path(headway.__file__).parent.parent)}
    found = subprocess.run(
        [sys.executable, "-P", "-m", microbenchmarks.__name__, "framework"],
        env=environment,
        capture_output=True,
        check=True,
    )
    lines = [msgspec.json.decode(line) for line in found.stdout.splitlines()]
    assert [line.get("begin") for line in lines] == ["import", "framework", None]
    framework = msgspec.convert(lines[-1]["result"], Framework)
    assert (framework.version, framework.threads) == (torch.__version__, 1)
    # The libraries alone are larger than 50 MB; the process is not larger than a small model's.
    assert 50e6 < framework.private_bytes < framework.resident_bytes < 2e9
    assert 0 < framework.small_op_seconds < framework.small_op_autograd_seconds < 0.1
    assert 0.05 < framework.import_seconds < 300


def test_all_reduce_between_two_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(Path(headway.__file__).parent.parent))
    found = microbenchmarks.measure_all_reduce()
    assert (found.backend, found.num_ranks, found.buffer_bytes) == ("gloo", 2, 16 << 20)
    assert 1e6 < found.bus_bytes_per_second < 1e12
    assert 0 < found.latency_seconds < 1.0
    assert msgspec.json.decode(msgspec.json.encode(found), type=AllReduce) == found


@pytest.mark.parametrize(("program", "text"), [("raise OSError('broken')", "OSError: broken"), ("exit(5)", "exit 5")])
def test_a_process_that_fails_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, text: str
) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch/__init__.py").write_text(program)
    monkeypatch.setenv("PYTHONPATH", f"{Path(headway.__file__).parent.parent}{os.pathsep}{tmp_path}")
    with pytest.raises(RuntimeError, match=text):
        microbenchmarks.measure_all_reduce()
