import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.analytic.pareto import Charges, course, front
from tests.planning.analytic.invented import array


def test_two_axes_by_hand() -> None:
    # The third is as fast as the second and leaner; the fourth is slower than it and no leaner.
    assert front(array(1, 2, 2, 3, np.inf), array(9, 8, 7, 7, 1)) == (0, 2)


def test_three_axes_by_hand() -> None:
    # The third is slower and no leaner than the first, but cheaper; the last is beaten by the second in all.
    assert front(array(1, 2, 3, 4), array(9, 8, 9, 9), array(5, 6, 4, 7)) == (0, 1, 2)


def test_costs_by_hand() -> None:
    # Ten a second, and two more for each second of work.
    assert list(Charges(second=10.0, computing_second=2.0).of(array(3.0), array(2.0))) == [34.0]
    assert Charges().follow_time
    assert not Charges(computing_second=0.1).follow_time


def test_the_course_has_the_fastest_the_cheapest_and_even_steps_of_memory() -> None:
    seconds, peaks = array(1.0, 1.1, 1.2, 1.3, 2.1), array(100, 90, 60, 20, 1)
    costs = array(5, 5, 5, 4, 1)
    # Levels of 100, 80, 60, 40 and 20; the last is more than twice as slow.
    assert course(seconds, peaks, costs) == (0, 2, 3)
    assert course(seconds[:1], peaks[:1], costs[:1]) == (0,)


rows = st.lists(st.tuples(*[st.integers(1, 12)] * 3), min_size=1, max_size=600)


@given(rows)
def test_the_front_is_what_comparing_all_with_all_gives(rows: list[tuple[int, int, int]]) -> None:
    seconds, peaks, costs = (array(*column) for column in zip(*rows, strict=True))
    best = {
        one for one in rows
        if not any(other != one and all(a <= b for a, b in zip(other, one, strict=True)) for other in rows)
    }  # fmt: skip
    found = front(seconds, peaks, costs)
    assert {rows[index] for index in found} == best
    assert len(found) == len(best)
    assert list(seconds[list(found)]) == sorted(seconds[list(found)])
