"""How sure a number is that follows from others: 80 % intervals, carried from what is predicted to what is reckoned.

An interval is a pair of ratios, its ends over the prediction. What holds here holds for every interval of a plan:

- the ends of the step time and of the memory are the tenth and the ninetieth percentile of measured over predicted;
- a product of numbers whose errors do not depend on each other has logarithms whose errors add their squares;
- a sum of numbers that all grow with the length of the run has the sums of their ends.

Source: propagation of errors to first order (JCGM 100:2008, "Guide to the expression of uncertainty in measurement",
section 5.1), for logarithms, since times, powers and prices are ratios of each other and never negative.
Leaves out: errors that depend on each other, such as those of a device that both waits and draws less.
"""

from __future__ import annotations

import math

Spread = tuple[float, float]
"""Lower and upper end of an 80 % interval, over the prediction."""

SURE: Spread = (1.0, 1.0)
"""Of a number that is stated, and not predicted."""


def spread_of(low: float | None, value: float | None, high: float | None) -> Spread:
    """Return the interval of a number as ratios; what has no interval, or is nothing, is sure."""
    if low is None or high is None or not value:
        return SURE
    return low / value, high / value


def product(*spreads: Spread) -> Spread:
    """Return the interval of a product of numbers whose errors do not depend on each other.

    The distances from the prediction add their squares, as logarithms; where an end lies on the other side of the
    prediction, since predictions of that kind are too low or too high as a rule, it moves the whole interval.
    """
    return math.exp(_end([low for low, _ in spreads], -1.0)), math.exp(_end([high for _, high in spreads], 1.0))


def _end(ratios: list[float], side: float) -> float:
    logarithms = [side * (math.log(ratio) if ratio > 0 else -math.inf) for ratio in ratios]
    reach = math.hypot(*(one for one in logarithms if one > 0))
    return side * (reach + sum(one for one in logarithms if one < 0))


def inverse(spread: Spread) -> Spread:
    """Return the interval of one over a number."""
    low, high = spread
    return 1 / high if high else math.inf, 1 / low if low else math.inf


def ends(value: float | None, spread: Spread) -> tuple[float | None, float | None]:
    """Return the ends of the interval of a number; an end that is nowhere is None, as those of an unknown number are.

    Args:
        value: the prediction.
        spread: its interval, as ratios.
    """
    if value is None:
        return None, None
    low, high = sorted(value * ratio if value else 0.0 for ratio in spread)
    return (low if math.isfinite(low) else None), (high if math.isfinite(high) else None)
