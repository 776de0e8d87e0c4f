"""What communication takes over the real topology: a fast link inside a domain, a network between domains.

Groups are placed in the usual order: tensor, then context, then data, then pipeline; devices of one domain are
neighbours in it. A group that spans domains is limited by the network, of which it has the share of each of its
members in a domain.
Source: Thakur, Rabenseifner and Gropp 2005 (ring and hierarchical collectives); NVIDIA nccl-tests, PERFORMANCE.md (bus
bandwidth).
Leaves out: contention between groups, and reduction inside switches.
"""

from __future__ import annotations

import numpy as np

from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.layouts import Floats


def members_in_domain(hardware: Hardware, group: Floats, stride: Floats | float) -> Floats:
    """Return how many members of a group share one domain.

    Args:
        hardware: the devices.
        group: its size.
        stride: distance of its members in the order of devices.
    """
    return np.clip(np.floor(hardware.domain_devices / np.asarray(stride)), 1.0, group)


def ring_seconds(
    hardware: Hardware, sent_bytes: Floats | float, group: Floats, stride: Floats | float, calls: Floats | float = 1.0
) -> Floats:
    """Return the time of all-gathers or reduce-scatters; an all-reduce is one of each.

    Args:
        hardware: the devices and their links.
        sent_bytes: the whole buffer, gathered or to be reduced, of all calls together.
        group: devices that take part.
        stride: distance of its members in the order of devices.
        calls: collectives that the bytes are spread over.
    """
    inside = members_in_domain(hardware, group, stride)
    share = (group - 1) / group
    up_rate = hardware.efficiency.up_efficiency * hardware.up_bytes_per_second
    spans = group > inside
    rate = np.where(spans, np.minimum(up_rate, inside * out_rate(hardware)), up_rate)
    domains = np.ceil(group / inside)
    steps = (inside - 1) * hardware.efficiency.up_latency_seconds / 8
    steps = steps + (domains - 1) * hardware.efficiency.out_latency_seconds / 4
    latency = np.where(group > 1, hardware.efficiency.up_latency_seconds + steps, 0.0)
    seconds: Floats = share * sent_bytes / rate + calls * latency
    return seconds


def exchange_seconds(
    hardware: Hardware, sent_bytes: Floats | float, group: Floats, stride: Floats | float, calls: Floats | float = 1.0
) -> Floats:
    """Return the time of all-to-alls; arguments as of `ring_seconds`, the bytes being what one device sends."""
    inside = members_in_domain(hardware, group, stride)
    up_rate = hardware.efficiency.up_efficiency * hardware.up_bytes_per_second
    within = sent_bytes * (inside - 1) / group / up_rate
    beyond = sent_bytes * (group - inside) / group / out_rate(hardware)
    spans = group > inside
    latency = np.where(
        group > 1,
        hardware.efficiency.up_latency_seconds + np.where(spans, hardware.efficiency.out_latency_seconds, 0.0),
        0.0,
    )
    seconds: Floats = np.maximum(within, np.where(spans, beyond, 0.0)) + calls * latency
    return seconds


def neighbour_seconds(
    hardware: Hardware, sent_bytes: Floats | float, stride: Floats | float, calls: Floats | float = 1.0
) -> Floats:
    """Return the time of sending to a device that is ``stride`` away."""
    within = hardware.domain_devices > np.asarray(stride)
    up_rate = hardware.efficiency.up_efficiency * hardware.up_bytes_per_second
    rate = np.where(within, up_rate, out_rate(hardware))
    latency = np.where(within, hardware.efficiency.up_latency_seconds, hardware.efficiency.out_latency_seconds)
    seconds: Floats = sent_bytes / rate + calls * latency
    return seconds


def out_rate(hardware: Hardware) -> float:
    """Return the rate that collectives reach between domains, per device; infinite where there is one domain only."""
    if hardware.out_bytes_per_second is None:
        return np.inf
    return hardware.efficiency.out_efficiency * hardware.out_bytes_per_second
