import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.spread import SURE, ends, inverse, product, spread_of

RATIOS = st.tuples(st.floats(0.1, 1.0), st.floats(1.0, 10.0))


def test_a_product_by_hand() -> None:
    """Logarithms of 0.4 and 0.3, the sides of a right triangle, make one of 0.5."""
    low, high = product((2**-0.4, 2**0.4), (2**-0.3, 2**0.3))
    assert (low, high) == (pytest.approx(2**-0.5), pytest.approx(2**0.5))
    assert product((0.8, 1.3)) == (pytest.approx(0.8), pytest.approx(1.3))
    assert product((0.8, 1.3), SURE) == (pytest.approx(0.8), pytest.approx(1.3))
    assert product() == SURE


def test_an_interval_beside_its_prediction_moves_the_whole() -> None:
    assert product((1.1, 1.2)) == (pytest.approx(1.1), pytest.approx(1.2))
    assert product((1.1, 1.2), (0.5, 2.0)) == (pytest.approx(0.55), pytest.approx(math.exp(math.hypot(
        math.log(1.2), math.log(2.0)
    ))))  # fmt: skip


@given(one=RATIOS, other=RATIOS)
def test_a_product_is_less_sure_than_each_and_surer_than_both_ends_together(one, other) -> None:
    low, high = product(one, other)
    assert one[0] * other[0] * (1 - 1e-9) <= low <= min(one[0], other[0]) * (1 + 1e-9)
    assert max(one[1], other[1]) * (1 - 1e-9) <= high <= one[1] * other[1] * (1 + 1e-9)


def test_ends_and_ratios_by_hand() -> None:
    assert spread_of(8.0, 10.0, 15.0) == (0.8, 1.5)
    assert spread_of(None, 10.0, 15.0) == spread_of(0.0, 0.0, 0.0) == SURE
    assert ends(10.0, (0.8, 1.5)) == (8.0, 15.0)
    assert ends(-10.0, (0.8, 1.5)) == (-15.0, -8.0)
    assert ends(None, (0.8, 1.5)) == (None, None)
    assert inverse((0.5, 0.8)) == (1.25, 2.0)


def test_an_end_that_is_nowhere_is_not_known() -> None:
    """A useful share that may be nothing lets a run take for ever."""
    low, high = product((0.9, 1.1), inverse((0.0, 1.0)))
    assert ends(10.0, (low, high)) == (pytest.approx(9.0), None)
    assert product((0.0, 1.0), (0.9, 1.1))[0] == 0.0
    assert ends(0.0, (0.5, math.inf)) == (0.0, 0.0)
