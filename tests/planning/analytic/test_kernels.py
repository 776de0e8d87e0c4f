import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.analytic.kernels import attention_seconds, product_seconds, traffic_seconds
from tests.planning.analytic.invented import array, machines


def test_a_large_product_by_hand() -> None:
    # 8 million results in 8 waves and half a one at the end; the inner size of 3,968 costs what 4,096 would.
    found = product_seconds(machines(), "bf16", array(4000), 3968, 2000)
    assert found[0] == pytest.approx(2 * 8.5e6 * 4096 / (0.5 * 1e15))


def test_eight_bits_are_twice_as_fast() -> None:
    slow, fast = (product_seconds(machines(), name, array(8192), 8192, 8192) for name in ("bf16", "fp8"))
    assert slow[0] == pytest.approx(2 * fast[0])


def test_memory_bounds_a_product_of_few_rows() -> None:
    # One row of a 10,000 x 10,000 weight: the weight's bytes are what takes time.
    found = product_seconds(machines(wave_outputs=1e3), "bf16", array(1), 10_000, 10_000)
    assert found[0] == pytest.approx(2 * (10_000 + 1e8 + 10_000) / 1e12)


def test_a_narrow_product_splits_its_inner_size() -> None:
    # 64 x 64 results are 0.4 % of a wave; the tail is that of 1,024 of its 8,064 inner elements, not of all.
    found = product_seconds(machines(memory_efficiency=100.0), "bf16", array(64), 8064, 64)
    tail = 0.5 * 1024 / 8064
    assert found[0] == pytest.approx(2 * (4096 / 1e6 + tail) * 1e6 * 8192 / (0.5 * 1e15))


def test_attention_by_hand() -> None:
    forward = attention_seconds(
        machines(), "bf16", array(1e15), tokens=array(768), width=48.0, backward=False, tuned=False
    )
    # 768 / (768 + 256) and 48 / (48 + 16) of a quarter of the peak.
    assert forward[0] == pytest.approx(1 / (0.25 * 0.75 * 0.75))
    tuned = attention_seconds(machines(), "bf16", array(1e15), tokens=array(768), width=48.0, backward=True, tuned=True)
    assert tuned[0] == pytest.approx(1 / (0.4 * 0.75 * 0.75))


def test_traffic_and_constant_time() -> None:
    found = traffic_seconds(machines(memory_efficiency=0.5, kernel_seconds=1e-3), array(1e12), 3.0)
    assert found[0] == pytest.approx(2.003)


@given(rows=st.integers(1, 2**17), inputs=st.integers(1, 2**15), outputs=st.integers(1, 2**15))
def test_more_rows_never_take_less_time(rows: int, inputs: int, outputs: int) -> None:
    few, many = (product_seconds(machines(), "bf16", array(count), inputs, outputs)[0] for count in (rows, 2 * rows))
    assert 0 < few <= many
    assert np.isfinite(many)
    # No product beats the peak.
    assert many >= 2 * 2 * rows * inputs * outputs / (0.5 * 1e15)
