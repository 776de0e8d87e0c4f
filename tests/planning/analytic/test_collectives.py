import pytest

from headway.planning.analytic.collectives import (
    exchange_seconds,
    members_in_domain,
    neighbour_seconds,
    ring_seconds,
)
from tests.planning.analytic.invented import array, machines


def test_members_of_a_group_in_one_domain() -> None:
    cluster = machines(64)
    assert members_in_domain(cluster, array(8), 1.0)[0] == 8
    assert members_in_domain(cluster, array(64), 1.0)[0] == 8
    # Every fourth device: two of a domain's eight.
    assert members_in_domain(cluster, array(16), 4.0)[0] == 2
    assert members_in_domain(cluster, array(4), 16.0)[0] == 1


def test_a_ring_inside_a_domain() -> None:
    # Seven eighths of the buffer at the fast link's rate.
    assert ring_seconds(machines(8), 8e11, array(8), 1.0)[0] == pytest.approx(7.0)
    assert ring_seconds(machines(8), 8e11, array(1), 1.0)[0] == 0


def test_a_ring_over_domains_is_as_fast_as_their_ports() -> None:
    # Eight members of a domain have eight ports at half of 2e10 B/s: 8e10 B/s, below the fast link's 1e11.
    assert ring_seconds(machines(64), 6.4e11, array(64), 1.0)[0] == pytest.approx(63 / 64 * 8)
    # Where each domain has one member, there is one port.
    assert ring_seconds(machines(64), 8e10, array(8), 8.0)[0] == pytest.approx(7 / 8 * 8)


def test_latency_grows_with_the_ring() -> None:
    slow = machines(64, up_latency_seconds=8e-3, out_latency_seconds=4e-3)
    # Two calls, each of 8 ms, seven steps of 1 ms inside and seven of 1 ms between the domains.
    assert ring_seconds(slow, 0.0, array(64), 1.0, 2.0)[0] == pytest.approx(2 * (0.008 + 0.007 + 0.007))


def test_an_exchange_sends_most_of_it_outside() -> None:
    # Of 64 parts, 56 go to other domains at 1e10 B/s; the 7 inside travel meanwhile.
    assert exchange_seconds(machines(64), 6.4e10, array(64), 1.0)[0] == pytest.approx(5.6)
    assert exchange_seconds(machines(8), 8e11, array(8), 1.0)[0] == pytest.approx(7.0)


def test_neighbours() -> None:
    assert neighbour_seconds(machines(64), 1e11, array(4))[0] == pytest.approx(1.0)
    assert neighbour_seconds(machines(64), 1e11, array(8))[0] == pytest.approx(10.0)


def test_an_unknown_network_takes_no_time() -> None:
    unknown = machines(64, out_bytes_per_second=None)
    assert exchange_seconds(unknown, 6.4e10, array(64), 1.0)[0] == pytest.approx(6.4e10 * 7 / 64 / 1e11)
