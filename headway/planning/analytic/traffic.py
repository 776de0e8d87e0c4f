"""All communication of one device in a step: its bytes by link, its time, and the network that it needs.

The collectives are those that the time of a step is made of (`splits`, `replicas`).

Source: `splits` and `replicas` for each collective; the rate is where the step time that they make turns.
Leaves out: optimizer states and activations on their way to the host.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from headway.planning.analytic import replicas, splits
from headway.planning.analytic.collectives import bytes_by_link, seconds
from headway.planning.analytic.hardware import Hardware
from headway.planning.analytic.holdings import holdings
from headway.planning.analytic.job import Job
from headway.planning.analytic.layer import tokens_of
from headway.planning.analytic.layouts import Layouts
from headway.planning.analytic.step import step_times

NEGLIGIBLE = 0.01
"""A network counts as hidden where it makes a step longer by this share at most, against one that takes no time."""

SLOWEST, FASTEST = 1e6, 1e13
RATES = 64
"""Rates that are compared at a time, in bytes per second; the second time around, between two of the first."""


@dataclass(frozen=True, kw_only=True)
class Traffic:
    """Of one device in one step.

    Attributes:
        up_bytes: sent over the fast link.
        out_bytes: sent over the network.
        total_seconds: of the collectives, were nothing else to run.
    """

    up_bytes: float = 0.0
    out_bytes: float = 0.0
    total_seconds: float = 0.0

    def __add__(self, other: Traffic) -> Traffic:
        """Return both together."""
        return Traffic(
            up_bytes=self.up_bytes + other.up_bytes,
            out_bytes=self.out_bytes + other.out_bytes,
            total_seconds=self.total_seconds + other.total_seconds,
        )


def step_traffic(job: Job, hardware: Hardware, one: Layouts) -> dict[str, Traffic]:
    """Return the traffic of one layout by the part of the step's time that it belongs to, as far as there is any.

    Leaves out: optimizer states and activations on their way to the host.
    """
    repeated = (
        *splits.repeated(job, hardware, one, tokens_of(job, one)),
        *replicas.repeated(job, hardware, one, holdings(job, one)),
    )
    found: dict[str, Traffic] = {}
    for each in repeated:
        times = float(np.broadcast_to(each.times, (1,))[0])
        up, out = bytes_by_link(hardware, each.collective)
        one_kind = Traffic(
            up_bytes=times * float(up[0]),
            out_bytes=times * float(out[0]),
            total_seconds=times * float(seconds(hardware, each.collective)[0]),
        )
        if one_kind.total_seconds:
            found[each.part] = found.get(each.part, Traffic()) + one_kind
    return found


def required_bytes_per_second(job: Job, hardware: Hardware, one: Layouts) -> float | None:
    """Return the stated rate of the network, per device, below which it makes a step of one layout longer.

    It is the slowest rate at which a step is longer by `NEGLIGIBLE` at most than over a network of any speed; what no
    computation hides therefore counts too. None where nothing goes over the network.
    """
    if not hardware.spans_domains:
        return None
    many = one.take(np.zeros(RATES, dtype=np.intp))
    limit = (1 + NEGLIGIBLE) * step_times(job, replace(hardware, out_bytes_per_second=np.inf), one).seconds[0]
    slow, fast = SLOWEST, FASTEST
    for _ in range(2):
        rates = np.geomspace(slow, fast, RATES)
        steps = step_times(job, replace(hardware, out_bytes_per_second=rates), many).seconds
        first = int(np.argmax(steps <= limit))
        if first == 0:
            return float(rates[0])
        slow, fast = float(rates[first - 1]), float(rates[first])
    # Between two rates a step is nearly linear in the time that a byte takes.
    return float(1 / np.interp(limit, steps[[first, first - 1]], 1 / rates[[first, first - 1]]))
