import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.fitting import fit_time

PRICES = (1e-5, 2e-9, 3e-8)
POINTS = [(1.0, 1e3, 1e2), (1.0, 1e6, 1e3), (1.0, 1e7, 1e5), (1.0, 1e5, 1e6)]


def law(amounts: tuple[float, ...]) -> float:
    return sum(price * amount for price, amount in zip(PRICES, amounts, strict=True))


def test_a_sum_of_amounts_is_found_again() -> None:
    found = fit_time(POINTS, [law(point) for point in POINTS])
    assert found.prices_seconds == pytest.approx(PRICES, rel=1e-3)
    assert found.seconds((1.0, 3e6, 4e4)) == pytest.approx(law((1.0, 3e6, 4e4)), rel=1e-3)


def test_a_measured_point_is_returned_as_measured() -> None:
    seconds = [1e-4, 5e-3, 2e-2, 1e-2]
    found = fit_time(POINTS, seconds)
    assert [found.seconds(point) for point in POINTS] == pytest.approx(seconds)


def test_no_price_is_negative() -> None:
    # More of the second amount goes with less time.
    found = fit_time([(1.0, 1.0), (1.0, 10.0)], [2.0, 1.0])
    assert min(found.prices_seconds) == 0.0
    assert found.seconds((1.0, 5.0)) > 0


@given(st.lists(st.floats(1e-6, 1.0), min_size=4, max_size=4), st.tuples(*[st.floats(1.0, 1e9)] * 2))
def test_times_are_positive_and_finite(seconds: list[float], amounts: tuple[float, float]) -> None:
    found = fit_time(POINTS, seconds).seconds((1.0, *amounts))
    assert 0 < found < float("inf")
