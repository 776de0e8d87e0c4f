from __future__ import annotations

import random

import pytest

from headway.resilience.guards.robust import robust_deviation, theil_sen_slope


def test_the_deviation_is_that_of_a_normal_distribution_whatever_a_few_values_do() -> None:
    randomness = random.Random(1)
    values = [randomness.gauss(5, 2) for _ in range(2000)]
    assert robust_deviation([*values, 1e9, 1e9], 5.0) == pytest.approx(2, rel=0.08)


def test_the_slope_does_not_mind_an_outlier() -> None:
    points = [(float(x), 3.0 * x + 1) for x in range(20)]
    points[7] = (7.0, 1e6)
    assert theil_sen_slope(points) == pytest.approx(3)
    assert theil_sen_slope([]) == theil_sen_slope([(1.0, 2.0)]) == theil_sen_slope([(1.0, 2.0), (1.0, 5.0)]) == 0
