"""How many spare servers keep a job at its size.

A failed server is away until it is repaired, and a spare one takes its place. With independent failures the number
that is away has a Poisson distribution with the mean failures per time x repair time, whatever the distribution of the
repair times (Palm 1943, M/G/infinity). In the public trace servers fail together, and the number varies about six times
as much: a negative binomial distribution with that ratio of variance to mean then takes Poisson's place.
Leaves out: spares that fail while they wait.

Where more are away than there are spares, the job stands still, and nothing of it fails, until one is back. Then at
most one more than the spares is ever away: that is Erlang's loss system, whose share of time at its limit depends on
the mean repair only. Failures that come together are a rate that changes slowly beside repairs, by a Gamma distribution
as wide as the negative binomial one needs: its mean over that distribution is the share that is lost.

Source: Palm 1943; Greenwood and Yule 1920 (negative binomial); Erlang 1917.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

_SUMMED_UP_TO = 1000.0
"""Mean numbers for which probabilities are summed up; above, the distribution is near a normal one."""
_MOST = 5000
"""Beyond it lies nothing of a distribution that is summed up."""
_RATES = 100
"""Steps of the rate of failures over which the share is averaged."""
_NOTHING = 1e-9
_LEAST_EXCESS = 1e-6
"""A dispersion this near to one is Poisson's: a Gamma distribution so narrow is beyond the machine's numbers."""
CHOSEN_PROBABILITY = 0.99
"""With which the job keeps its size, where nobody says otherwise."""


def mean_servers_away(*, nodes: float, failures_per_node_day: float, repair_days: float) -> float:
    """Return how many servers are away on average: nodes x failures per node and day x days of repair."""
    return nodes * failures_per_node_day * repair_days


def probability_of_enough(mean_away: float, spares: int, dispersion: float = 1.0) -> float:
    """Return the probability that no more servers are away than there are spares.

    Args:
        mean_away: servers that are away on average.
        spares: servers that wait.
        dispersion: variance over mean of the number away; 1 is Poisson.
    """
    if spares < 0:
        return 0.0
    if mean_away > _SUMMED_UP_TO:
        return NormalDist(mean_away, math.sqrt(mean_away * dispersion)).cdf(spares + 0.5)
    return min(1.0, sum(_probabilities(mean_away, dispersion, spares)))


def spare_nodes(mean_away: float, probability: float = CHOSEN_PROBABILITY, dispersion: float = 1.0) -> int:
    """Return the least number of spare servers that suffices with a probability at any one time.

    Args:
        mean_away: servers that are away on average.
        probability: above 0 and below 1.
        dispersion: variance over mean of the number away; 1 is Poisson.
    """
    if mean_away > _SUMMED_UP_TO:
        return math.ceil(NormalDist(mean_away, math.sqrt(mean_away * dispersion)).inv_cdf(probability) - 0.5)
    total = 0.0
    for number, part in enumerate(_probabilities(mean_away, dispersion, _MOST)):
        total += part
        if total >= probability:
            return number
    return _MOST


def waiting_share(mean_away: float, spares: int, dispersion: float = 1.0) -> float:
    """Return the share of the time in which a job stands still, since more servers are away than there are spares.

    Args:
        mean_away: servers that would be away on average, were the job never to stand still: its failures per time
            times the repair time.
        spares: servers that wait.
        dispersion: variance over mean of the number away; 1 is Poisson.

    Source: Erlang 1917, loss formula; Sevastyanov 1957 (it depends on the mean repair only); Greenwood and Yule 1920
    (a Gamma distribution of rates makes a negative binomial one of counts); the average over rates is ours.
    Leaves out: that servers which wait fail too, and that a job may go on with fewer servers.
    """
    if dispersion - 1 < _LEAST_EXCESS or not mean_away:
        return _erlang(mean_away, spares + 1)
    rates = _gamma_rates(mean_away / (dispersion - 1), dispersion - 1)
    return min(1.0, sum(weight * _erlang(rate, spares + 1) for rate, weight in rates))


def _erlang(offered: float, places: int) -> float:
    """Return Erlang's loss formula: B(0) = 1, B(n) = a B(n - 1) / (n + a B(n - 1))."""
    if offered > _SUMMED_UP_TO:
        normal = NormalDist(offered, math.sqrt(offered))
        below = normal.cdf(places + 0.5)
        # As far below the mean as the machine's numbers do not reach, all but the places' share is lost.
        return min(1.0, normal.pdf(places) / below) if below > _NOTHING else max(0.0, 1 - places / offered)
    lost = 1.0
    for number in range(1, places + 1):
        lost = offered * lost / (number + offered * lost)
        if number > offered and lost < _NOTHING:
            return 0.0
    return lost


def _gamma_rates(shape: float, scale: float) -> Iterator[tuple[float, float]]:
    """Yield values of a Gamma distribution with their weights, at even steps of the logarithm (trapezoid rule).

    With a shape below one most of the weight lies near zero, where next to nothing is lost, and is left out.
    """
    wide = 10 / math.sqrt(max(shape, 1.0))
    low, high = (math.log(shape) - wide, math.log(shape) + wide) if shape > 1 else (-15.0, math.log(shape + 40))
    step = (high - low) / _RATES
    for index in range(_RATES + 1):
        logarithm = low + index * step
        weight = step * math.exp(shape * logarithm - math.exp(logarithm) - math.lgamma(shape))
        yield scale * math.exp(logarithm), weight


def _probabilities(mean: float, dispersion: float, last: int) -> Iterator[float]:
    """Yield the probabilities of 0 to `last`.

    From one number k to the next the probability grows by (mean + k (v - 1)) / (v (k + 1)), with the dispersion v;
    v = 1 is Poisson. Through logarithms, since the first may be too small for the machine.
    """
    excess = max(dispersion - 1, 0.0)
    logarithm = -mean * (math.log1p(excess) / excess if excess else 1.0)
    for number in range(min(last, _MOST) + 1):
        yield math.exp(logarithm)
        growth = (mean + number * excess) / ((1 + excess) * (number + 1))
        logarithm += math.log(growth) if growth > 0 else -math.inf
