import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from headway.planning.analytic.collectives import Collective, Kind, bytes_by_link, members_in_domain, seconds
from headway.planning.analytic.hardware import Hardware
from tests.planning.analytic.invented import array, machines


def one(kind: Kind, sent_bytes: float, group: float, stride: float = 1.0, calls: float = 1.0) -> Collective:
    return Collective(kind=kind, sent_bytes=sent_bytes, group=array(group), stride=stride, calls=calls)


def time_of(hardware: Hardware, *what: object) -> float:
    return float(seconds(hardware, one(*what))[0])  # type: ignore[arg-type]


def test_members_of_a_group_in_one_domain() -> None:
    cluster = machines(64)
    assert members_in_domain(cluster, array(8), 1.0)[0] == 8
    assert members_in_domain(cluster, array(64), 1.0)[0] == 8
    # Every fourth device: two of a domain's eight.
    assert members_in_domain(cluster, array(16), 4.0)[0] == 2
    assert members_in_domain(cluster, array(4), 16.0)[0] == 1


def test_groups_that_do_not_divide_a_domain_straddle_two() -> None:
    # Devices 0 to 2 and 3 to 5 lie inside the first domain of eight, 6 to 8 do not: one of them is alone.
    assert members_in_domain(machines(24), array(3), 1.0)[0] == 1
    # Of 6 to 11, two are in the first domain and four in the second.
    assert members_in_domain(machines(24), array(6), 1.0)[0] == 2
    assert members_in_domain(machines(6), array(3), 1.0)[0] == 3


@given(group=st.integers(1, 40), stride=st.integers(1, 40), groups=st.integers(1, 6))
def test_members_are_the_fewest_that_any_domain_has(group: int, stride: int, groups: int) -> None:
    """Counted one by one over all groups, in and between them; the formula may see one fewer, and never more."""
    devices = 8 * group * stride * groups
    fewest = min(
        min(np.unique([(start + member * stride) // 8 for member in range(group)], return_counts=True)[1])
        for block in range(0, devices, group * stride)
        for start in range(block, block + stride)
    )
    found = members_in_domain(machines(devices), array(group), float(stride))[0]
    assert 1 <= found <= fewest


def test_a_ring_inside_a_domain() -> None:
    # Seven eighths of the buffer at the fast link's rate.
    assert time_of(machines(8), "ring", 8e11, 8) == pytest.approx(7.0)
    assert time_of(machines(8), "ring", 8e11, 1) == 0


def test_a_ring_over_domains_is_as_fast_as_their_ports() -> None:
    # Eight members of a domain have eight ports at half of 2e10 B/s: 8e10 B/s, below the fast link's 1e11.
    assert time_of(machines(64), "ring", 6.4e11, 64) == pytest.approx(63 / 64 * 8)
    # Where each domain has one member, there is one port.
    assert time_of(machines(64), "ring", 8e10, 8, 8.0) == pytest.approx(7 / 8 * 8)


def test_latency_of_a_ring_grows_with_its_length() -> None:
    slow = machines(64, start_latency_seconds=1e-2, up_latency_seconds=1e-3, out_latency_seconds=4e-3)
    # Two calls, each of 10 ms, of 63 links 56 inside of 1 ms and seven between eight domains of 4 ms.
    assert time_of(slow, "ring", 0.0, 64, 1.0, 2.0) == pytest.approx(2 * (0.010 + 0.056 + 0.028))
    assert time_of(slow, "exchange", 0.0, 64) == pytest.approx(0.014)
    assert time_of(slow, "neighbours", 0.0, 8) == pytest.approx(0.011)


def test_latency_of_an_all_reduce_grows_with_every_doubling() -> None:
    slow = machines(65536, start_latency_seconds=1e-2, tree_up_latency_seconds=1e-3, tree_out_latency_seconds=4e-3)
    half = Collective(kind="ring", sent_bytes=0.0, group=array(64, 65536), stride=1.0, in_tree=1.0)
    # Up or down: half of 10 ms, three doublings inside of 1 ms, and three or thirteen between domains of 4 ms.
    assert list(seconds(slow, half)) == [pytest.approx(0.005 + 0.003 + 0.012), pytest.approx(0.005 + 0.003 + 0.052)]


def test_an_exchange_sends_most_of_it_outside() -> None:
    # Of 64 parts, 56 go to other domains at 1e10 B/s; the 7 inside travel meanwhile.
    assert time_of(machines(64), "exchange", 6.4e10, 64) == pytest.approx(5.6)
    assert time_of(machines(8), "exchange", 8e11, 8) == pytest.approx(7.0)


def test_an_exchange_that_forwards_crosses_once() -> None:
    # Of 16 bytes to all devices seven eighths come over the fast link; of 8 to eight domains, seven go to others.
    once = Collective(kind="exchange", sent_bytes=16.0, group=array(64), stride=1.0, crossing_bytes=array(8))
    assert [float(part[0]) for part in bytes_by_link(machines(64), once)] == [14, 7]
    assert seconds(machines(64), once)[0] == pytest.approx(7 / 1e10)
    alone = Collective(kind="exchange", sent_bytes=16.0, group=array(8), stride=1.0, crossing_bytes=array(1))
    assert [float(part[0]) for part in bytes_by_link(machines(8), alone)] == [14, 0]


def test_neighbours_keep_step_with_the_slowest_hop() -> None:
    # Two stages of four devices are one domain; of three, every second hop leaves it.
    assert time_of(machines(64), "neighbours", 1e11, 2, 4.0) == pytest.approx(1.0)
    assert time_of(machines(24), "neighbours", 1e11, 6, 4.0) == pytest.approx(10.0)
    assert time_of(machines(64), "neighbours", 1e11, 16, 4.0) == pytest.approx(10.0)
    assert time_of(machines(64), "neighbours", 1e11, 8, 8.0) == pytest.approx(10.0)
    assert time_of(machines(8), "neighbours", 1e11, 8) == pytest.approx(1.0)
    assert time_of(machines(8), "neighbours", 1e11, 1) == 0


def test_bytes_of_each_link() -> None:
    cluster = machines(64)
    # A ring of 64 passes 63 of 64 parts on; one device in eight sends them to the next domain.
    assert [float(part[0]) for part in bytes_by_link(cluster, one("ring", 64.0, 64))] == [63 * 7 / 8, 63 / 8]
    assert [float(part[0]) for part in bytes_by_link(cluster, one("ring", 64.0, 8))] == [56, 0]
    assert [float(part[0]) for part in bytes_by_link(cluster, one("exchange", 64.0, 64))] == [7, 56]
    # Every second hop of a chain with two stages in a domain leaves it.
    assert [float(part[0]) for part in bytes_by_link(cluster, one("neighbours", 64.0, 16, 4.0))] == [32, 32]
    assert [float(part[0]) for part in bytes_by_link(cluster, one("neighbours", 64.0, 1, 4.0))] == [0, 0]


@given(
    kind=st.sampled_from(["ring", "exchange", "neighbours"]),
    group=st.sampled_from([2, 4, 8, 16]),
    stride=st.sampled_from([1, 2, 4, 8]),
    rate=st.floats(1e6, 1e12),
)
def test_a_slower_network_is_never_faster(kind: Kind, group: int, stride: int, rate: float) -> None:
    what = one(kind, 1e9, group, stride)
    slow, fast = (seconds(machines(group * stride, out_bytes_per_second=each), what)[0] for each in (rate, 2 * rate))
    assert slow >= fast
    crosses = bytes_by_link(machines(group * stride), what)[1][0] > 0
    assert crosses == (group * stride > 8)
    if crosses:
        assert seconds(machines(group * stride, out_bytes_per_second=1.0), what)[0] > 1e6
