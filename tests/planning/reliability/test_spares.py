import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from headway.catalog.reliability import failure_trace, recovery
from headway.planning.reliability.spares import (
    mean_servers_away,
    probability_of_enough,
    spare_nodes,
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
