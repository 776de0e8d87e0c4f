import heapq

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headway.catalog.reliability import failure_trace, recovery
from headway.planning.reliability.spares import (
    mean_servers_away,
    probability_of_enough,
    spare_nodes,
    waiting_share,
)
from headway.planning.reliability.traces import servers_away


def test_the_servers_of_the_trace() -> None:
    trace = failure_trace("infinitehbd")
    repair_days = sum(fault.repair_seconds for fault in trace.events) / len(trace.events) / 86400
    rate = len(trace.events) / trace.nodes / 348
    away = mean_servers_away(nodes=400, failures_per_node_day=rate, repair_days=repair_days)
    assert away == pytest.approx(9.2886317751256, rel=1e-6)
    assert (spare_nodes(away, 0.99), spare_nodes(away, 0.999)) == (17, 20)
    found = servers_away(trace)
    assert (found.quantile_99, found.most) == (31, 35)
    assert found.mean == pytest.approx(9.26, abs=0.05)
    # Independent failures would need 17 spares where 31 were needed; the dispersion accounts for it.
    dispersion = found.variance / found.mean
    assert recovery()["servers-down-dispersion"].value == pytest.approx(dispersion, abs=5e-3)
    assert recovery()["repair-mean"].value == pytest.approx(repair_days * 86400, abs=25)
    assert spare_nodes(away, 0.99, dispersion) == pytest.approx(31, abs=2)


@pytest.mark.parametrize(
    ("nodes", "per_1000_node_days", "repair_days", "mean", "spares"),
    [(2048, 3.788700810185185, 1, 7.7592592592592595, 15), (2048, 3.788700810185185, 3, 23.27777777777778, 35)],
)
def test_spares_for_llama_3(
    nodes: int, per_1000_node_days: float, repair_days: float, mean: float, spares: int
) -> None:
    away = mean_servers_away(nodes=nodes, failures_per_node_day=per_1000_node_days / 1000, repair_days=repair_days)
    assert away == pytest.approx(mean)
    assert spare_nodes(away) == spares


def test_opt_had_as_many_spares_as_it_needed() -> None:
    # 2 of 124 servers a day, three days of repair; the chronicles tell of 12 spare servers.
    away = mean_servers_away(nodes=124, failures_per_node_day=2 / 124, repair_days=3)
    assert away == pytest.approx(6)
    assert spare_nodes(away) == 12
    assert probability_of_enough(away, 12) == pytest.approx(0.991172516482102)


def test_nothing_fails() -> None:
    assert spare_nodes(0.0) == 0
    assert probability_of_enough(0.0, 0) == 1
    assert probability_of_enough(5.0, -1) == 0


def test_certainty_is_cut_off() -> None:
    assert spare_nodes(1.0, probability=1 - 1e-16) < 30
    assert spare_nodes(1.0, probability=1.5) == 5000


def test_sums_and_the_normal_distribution_meet() -> None:
    below, above = spare_nodes(999.9, dispersion=5.78), spare_nodes(1000.1, dispersion=5.78)
    assert above == pytest.approx(below, rel=0.01)
    assert probability_of_enough(1000.1, above, 5.78) == pytest.approx(0.99, abs=0.001)
    assert spare_nodes(1e15) == pytest.approx(1e15)
    assert probability_of_enough(5.0, 10**18) == pytest.approx(1)


@example(away=50.0, dispersion=1.0000000000000002, probability=0.5)
@given(away=st.floats(0.01, 500), dispersion=st.floats(1, 20), probability=st.floats(0.5, 0.999))
def test_the_spares_are_the_least_that_suffice(away: float, dispersion: float, probability: float) -> None:
    spares = spare_nodes(away, probability, dispersion)
    assert probability_of_enough(away, spares, dispersion) >= probability - 1e-9
    assert probability_of_enough(away, spares - 1, dispersion) < probability


def test_waiting_by_hand() -> None:
    # No spare: each failure waits for its repair, a of them for each time between two: a / (1 + a).
    assert waiting_share(0.25, 0) == pytest.approx(0.2)
    # One spare: (a^2 / 2) / (1 + a + a^2 / 2).
    assert waiting_share(2.0, 1) == pytest.approx(2 / 5)
    assert waiting_share(0.0, 0) == 0
    assert waiting_share(5.0, 1000) == 0


def simulated(rate: float, spares: int, repairs: np.ndarray, random: np.random.Generator) -> float:
    """Return the share of the time in which a job waits; it fails at a rate while it runs, and each repair is drawn."""
    back: list[float] = []
    now = waited = 0.0
    for repair in repairs:
        now += float(random.exponential(1 / rate))
        while back and back[0] <= now:
            heapq.heappop(back)
        heapq.heappush(back, now + float(repair))
        if len(back) > spares:
            first = heapq.heappop(back)
            waited += first - now
            now = first
    return waited / now


@pytest.mark.parametrize(("away", "spares"), [(0.5, 0), (3.0, 2), (9.3, 12)])
@pytest.mark.parametrize("kind", ["exponential", "constant", "lognormal"])
def test_waiting_agrees_with_chance_whatever_the_repairs(away: float, spares: int, kind: str) -> None:
    random = np.random.default_rng(1)
    count = 200_000
    repairs = {
        "exponential": random.exponential(1.0, count),
        "constant": np.ones(count),
        "lognormal": random.lognormal(-0.5, 1.0, count),
    }[kind]
    assert simulated(away, spares, repairs, random) == pytest.approx(waiting_share(away, spares), rel=0.05)


@pytest.mark.parametrize(("away", "spares", "dispersion"), [(9.3, 17, 5.78), (2.0, 1, 2.0), (0.3, 0, 1.2)])
def test_waiting_agrees_with_chance_where_rates_vary(away: float, spares: int, dispersion: float) -> None:
    """Each replica of a job has a rate of its own, by a Gamma distribution; time counts, not replicas of failures."""
    random = np.random.default_rng(2)
    rates = random.gamma(away / (dispersion - 1), dispersion - 1, 1500)
    shares = [simulated(rate, spares, random.exponential(1.0, max(40, int(60 * rate))), random) for rate in rates]
    assert np.mean(shares) == pytest.approx(waiting_share(away, spares, dispersion), rel=0.08)


@given(away=st.floats(0.01, 800), spares=st.integers(0, 900), dispersion=st.floats(1, 10))
def test_more_spares_never_wait_longer(away: float, spares: int, dispersion: float) -> None:
    found, more = waiting_share(away, spares, dispersion), waiting_share(away, spares + 1, dispersion)
    assert 0 <= more <= found + 1e-12 <= 1 + 1e-9


def test_the_loss_formula_and_the_normal_distribution_meet() -> None:
    for spares in (500, 950, 1000, 1050):
        below, above = waiting_share(999.9, spares), waiting_share(1000.1, spares)
        assert above == pytest.approx(below, rel=0.12)
    assert waiting_share(1e9, 10) == pytest.approx(1)
