"""How many spare servers keep a job at its size.

A failed server is away until it is repaired, and a spare one takes its place. With independent failures the number
that is away has a Poisson distribution with the mean failures per time x repair time, whatever the distribution of the
repair times (Palm 1943, M/G/infinity). In the public trace servers fail together, and the number varies about six times
as much: a negative binomial distribution with that ratio of variance to mean then takes Poisson's place.
Leaves out: spares that fail while they wait.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from statistics import NormalDist

_SUMMED_UP_TO = 1000.0
"""Mean numbers for which probabilities are summed up; above, the distribution is near a normal one."""
_MOST = 5000
"""Beyond it lies nothing of a distribution that is summed up."""
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
