"""What communication takes over the real topology: a fast link inside a domain, a network between domains.

Groups are placed in the usual order: tensor, then context, then data, then pipeline; devices of one domain are
neighbours in it. Every device has its own port to the network, or an equal share of its server's. Each kind of
communication is described once, as a `Collective`; its time and its bytes both come from that description.
Source: Thakur, Rabenseifner and Gropp 2005 (rings, trees and pairwise exchanges); NVIDIA nccl-tests, PERFORMANCE.md
(bus bandwidth); NVIDIA nccl, src/graph/tuning.cc (latencies).
Leaves out: contention between groups, and reduction inside switches.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import gcd
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.layouts import Floats

Kind = Literal["ring", "exchange", "neighbours"]
"""All-gathers and reduce-scatters; all-to-alls; sends to the next of a chain or a ring."""


@dataclass(frozen=True, kw_only=True)
class Collective:
    """Communication of a group.

    Attributes:
        kind: its pattern.
        sent_bytes: of all calls together: of a ring the whole buffer, gathered or to be reduced; else what one device
            sends.
        group: devices that take part.
        stride: distance of its members in the order of devices.
        calls: that the bytes are spread over.
        in_tree: 1 where a ring's buffer is one half, up or down, of an all-reduce, which climbs trees; else 0.
        crossing_bytes: of an exchange that sends once to a domain and forwards there: what one device sends to all
            domains, its own counted too; None where it sends to each device itself.
    """

    kind: Kind
    sent_bytes: Floats | float
    group: Floats
    stride: Floats | float
    calls: Floats | float = 1.0
    in_tree: Floats | float = 0.0
    crossing_bytes: Floats | None = None


def members_in_domain(hardware: Hardware, group: Floats, stride: Floats | float) -> Floats:
    """Return how many members of a group share one domain, where the fewest of them do.

    A group begins at a multiple of its extent, stride times size, so that the parts into which domains of N devices cut
    groups are as long as the greatest common divisor of N and the extent, or longer. With N = 8, a group of 4 lies
    inside a domain; one of 16 with a stride of 4 has 2 members in each; and of groups of 3, some have one member apart.

    Args:
        hardware: the devices.
        group: its size.
        stride: distance of its members in the order of devices.
    """
    if hardware.devices <= hardware.domain_devices:
        return group
    extent = np.asarray(stride * group).astype(np.int64)
    shared = _shared_with(hardware.domain_devices)[extent % hardware.domain_devices]
    found: Floats = np.minimum(np.maximum(np.floor(shared / stride), 1.0), group)
    return found


@lru_cache(maxsize=64)
def _shared_with(domain: int) -> Floats:
    """Return the greatest common divisors of a domain's devices and 0, 1, 2, ...: gcd(N, k) is gcd(N, k mod N)."""
    return np.asarray([float(gcd(domain, rest)) for rest in range(domain)])


def seconds(hardware: Hardware, one: Collective) -> Floats:
    """Return the time of a collective, were nothing else to run.

    A ring over n devices passes (n - 1) / n of the buffer over every link: over the fast link of every device, and
    between domains over the ports of all m members there, since there are as many rings as members, each crossing at
    another. An exchange sends to each member alike, and both links work at the same time. Neighbours keep step: where
    some of a chain or a ring lie in another domain, their hop sets the pace, and each of the devices that send at once
    has only its own port.
    """
    inside = members_in_domain(hardware, one.group, one.stride)
    spans = one.group > inside
    up_rate = hardware.efficiency.up_efficiency * hardware.up_bytes_per_second
    if one.kind == "ring":
        rate = np.where(spans, np.minimum(up_rate, inside * out_rate(hardware)), up_rate)
        moving = (one.group - 1) / one.group * one.sent_bytes / rate
    elif one.kind == "exchange":
        within, beyond = _exchanged(one, inside)
        moving = np.maximum(within / up_rate, beyond / out_rate(hardware))
    else:
        moving = one.sent_bytes / np.where(spans, out_rate(hardware), up_rate)
    latency = _latency_seconds(hardware, one, inside, spans)
    found: Floats = np.where(one.group > 1, moving + one.calls * latency, 0.0)
    return found


def _latency_seconds(hardware: Hardware, one: Collective, inside: Floats, spans: NDArray[np.bool_]) -> Floats:
    """Return the constant time of one call.

    A gather or a scatter of n devices in d domains passes n - 1 links, d - 1 of them between domains. An all-reduce
    climbs a tree and comes down again, with a step for every doubling; each half is counted here. Exchanges and sends
    are one step, over the slower link that they use.
    Source: NVIDIA nccl, src/graph/tuning.cc (baseLat and hwLat, protocol LL128; `ncclTopoTuneModel`). Its trees are for
    all-reduces, and its logarithmic gathers (PAT) for servers of one device.
    """
    shares = hardware.efficiency
    start, up, out = shares.start_latency_seconds, shares.up_latency_seconds, shares.out_latency_seconds
    if one.kind != "ring":
        return start + np.where(spans, out, up)
    domains = one.group / inside
    ring = start + up * (one.group - domains) + out * (domains - 1)
    if not np.any(one.in_tree):
        return ring
    tree_up, tree_out = shares.tree_up_latency_seconds, shares.tree_out_latency_seconds
    tree = start / 2 + tree_up * np.ceil(np.log2(inside)) + tree_out * np.ceil(np.log2(domains))
    return np.where(one.in_tree, tree, ring)


def bytes_by_link(hardware: Hardware, one: Collective) -> tuple[Floats, Floats]:
    """Return the bytes that one device sends over the fast link and over the network, averaged over its group.

    A device of a ring passes (n - 1) / n of the buffer on; of m members in a domain, one in m of these sends leaves it,
    and so does one in m of the sends of neighbours.
    """
    inside = members_in_domain(hardware, one.group, one.stride)
    spans = one.group > inside
    if one.kind == "exchange":
        return _exchanged(one, inside)
    sent = one.sent_bytes * np.where(one.group > 1, 1.0, 0.0)
    if one.kind == "ring":
        sent = sent * (one.group - 1) / one.group
    out = np.where(spans, sent / inside, 0.0)
    return sent - out, out


def _exchanged(one: Collective, inside: Floats) -> tuple[Floats, Floats]:
    """Return what one device sends over the fast link and over the network in an exchange.

    Each of n members is sent an n-th. What is sent once to a domain goes to the member of the same place there, which
    forwards it: of m members, (m - 1) / m of all that devices receive comes over the fast link.
    """
    if one.crossing_bytes is None:
        return one.sent_bytes * (inside - 1) / one.group, one.sent_bytes * (one.group - inside) / one.group
    return one.sent_bytes * (inside - 1) / inside, one.crossing_bytes * (one.group - inside) / one.group


def out_rate(hardware: Hardware) -> Floats | float:
    """Return the rate that collectives reach between domains, per device."""
    return hardware.efficiency.out_efficiency * hardware.out_bytes_per_second
