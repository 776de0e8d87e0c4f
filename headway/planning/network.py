"""What devices send to each other in a step; of servers whose processors train, also its time.

There are two models of a network, for two kinds of machines. Here whole servers exchange gradients over one link, with
nothing measured of it: the volumes are exact, and one share of the stated rate stands for all that a rate loses.
Accelerators (`analytic.replicas`, `analytic.collectives`) have links of several reaches, latencies and overlap by
layer, with shares fitted to published trainings. The volumes are the same rule, Rajbhandari's, and a test compares
them; the times are not.

Source: Rajbhandari et al. 2020 (arXiv:1910.02054), section 7 (volumes of the sharding stages); Patarasuk and Yuan 2009
(ring all-reduce sends 2 (n - 1) / n of the buffer per device).
Leaves out: latency of each collective, contention, and in-network reduction.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog
from headway.catalog import Accelerator
from headway.errors import PlanError
from headway.planning.constants import constant
from headway.planning.operations import FP32_BYTES, VALUE_BYTES
from headway.recipe import Recipe

BUS_EFFICIENCY = 0.8
"""Share of a link's stated rate that large collectives reach between servers whose processors train.

Source: the catalogue's note on ``nvlink-4``: 365.6 of 450 GB/s without in-network reduction. Accelerators have a share
of their own for each generation, fitted to trainings (`Efficiency.out_efficiency`): nobody published trainings on
processors to which this one could be fitted."""


SERVER_DEVICES = 8
"""Accelerators of one full server.

8 is what servers of every vendor in the catalogue hold, and what its ``server-power-without-gpus`` is stated for; racks
with larger domains are said by the recipe."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """Traffic of one device in one step, in one direction, of all kinds of parallelism.

    Attributes:
        scale_up_bytes_per_step: over the fast link inside a node.
        scale_out_bytes_per_step: over the network between nodes.
        total_seconds: time of the communication, were nothing else to run.
        exposed_seconds: the part that computation does not hide.
        required_bytes_per_second: rate between nodes, of one device, below which the network makes a step longer; None
            where nothing goes over it.
        assumed_bytes_per_second: rate between nodes, of one device, that is assumed since nobody stated it; else None.
    """

    scale_up_bytes_per_step: float = 0.0
    scale_out_bytes_per_step: float = 0.0
    total_seconds: float = 0.0
    exposed_seconds: float = 0.0
    required_bytes_per_second: float | None = None
    assumed_bytes_per_second: float | None = None


def bytes_sent(parameters: int, degree: int, shard: str, precision: str, micro_batches: int) -> float:
    """Return what one device sends in one step.

    Args:
        parameters: of the whole model.
        degree: data-parallel devices.
        shard: ``none`` and ``optimizer`` move each gradient and each weight once; ``gradients`` scatters gradients for
            every micro-batch, since sums of others are not kept; ``parameters`` does, and gathers the weights for both
            passes of each.
        precision: of the gathered weights; gradients are reduced in fp32.
        micro_batches: in a step.
    """
    if degree == 1:
        return 0.0
    share = (degree - 1) / degree * parameters
    if shard == "none":
        return 2.0 * share * FP32_BYTES
    if shard in ("optimizer", "gradients"):
        return share * FP32_BYTES * ((micro_batches if shard == "gradients" else 1) + 1)
    return share * micro_batches * (2 * VALUE_BYTES[precision] + FP32_BYTES)


def plan_network(recipe: Recipe, sent_bytes: float, *, degree: int, overlap_seconds: float) -> Network:
    """Return the traffic between servers whose processors train, and its exposed time.

    Args:
        recipe: names the network between nodes.
        sent_bytes: by one device in one step.
        degree: data-parallel servers.
        overlap_seconds: computation that the collectives can hide behind.
    """
    if degree == 1:
        return Network()
    rate, is_assumed = network_rate(recipe)
    total_seconds = sent_bytes / (BUS_EFFICIENCY * rate)
    return Network(
        scale_out_bytes_per_step=sent_bytes,
        total_seconds=total_seconds,
        exposed_seconds=max(0.0, total_seconds - overlap_seconds),
        required_bytes_per_second=sent_bytes / overlap_seconds / BUS_EFFICIENCY if overlap_seconds else None,
        assumed_bytes_per_second=rate if is_assumed else None,
    )


_BETWEEN_SERVERS = ("scale-out", "scale-up-and-out")
"""Roles of the catalogue's networks that join servers; the others end inside a server or a rack."""


def between_servers(name: str) -> catalog.Network:
    """Return a network that joins servers.

    Raises:
        CatalogError: the catalogue does not know the name.
        PlanError: it ends inside a server or a rack.
    """
    entry = catalog.network(name)
    if entry.role not in _BETWEEN_SERVERS:
        known = (each.id for each in catalog.networks.entries().values() if each.role in _BETWEEN_SERVERS)
        raise PlanError("plan-network-inside-server", network=entry.id, possible=", ".join(known))
    return entry


def network_rate(recipe: Recipe) -> tuple[float, bool]:
    """Return the stated rate of one server's network, and whether it is assumed since nobody names the network.

    Such a network takes time too; what is assumed is slow, so that a plan hides nothing of it.
    """
    stated = _scale_out_rate(recipe)
    return (constant("assumed-processor-network"), True) if stated is None else (stated, False)


def plan_loopback(sent_bytes: float, bus_bytes_per_second: float | None) -> Network:
    """Return the traffic between processes that share a server's processors; none of it is hidden.

    What sends also computes: the cores that copy a buffer are missing elsewhere.

    Args:
        sent_bytes: by one process in one step.
        bus_bytes_per_second: of an all-reduce over the loopback interface, as the probe measured it; where it did not,
            the rate that is assumed of a network.
    """
    is_assumed = bus_bytes_per_second is None
    rate = constant("assumed-processor-network") if bus_bytes_per_second is None else bus_bytes_per_second
    return Network(
        scale_up_bytes_per_step=sent_bytes,
        total_seconds=sent_bytes / rate,
        exposed_seconds=sent_bytes / rate,
        assumed_bytes_per_second=rate if is_assumed else None,
    )


def devices_per_node(recipe: Recipe, entry: Accelerator | None) -> int:
    """Return the devices of one node: as the recipe says, else as the catalogue says, else those of a full server."""
    if recipe.hardware.devices_per_node is not None:
        return recipe.hardware.devices_per_node
    if entry is None:
        return 1
    return usual_devices_per_node(entry, recipe.hardware.devices)


def usual_devices_per_node(entry: Accelerator, devices: int) -> int:
    """Return the devices of one node as it is usually sold, or all of them where they are fewer."""
    if entry.devices_per_node is not None:
        return min(entry.devices_per_node, devices)
    domain = entry.scale_up_domain_devices or 1
    return min(domain if domain > 1 else SERVER_DEVICES, SERVER_DEVICES, devices)


def _scale_out_rate(recipe: Recipe) -> float | None:
    """Return the rate of one server's network."""
    if recipe.hardware.network_bytes_per_second is not None:
        return float(recipe.hardware.network_bytes_per_second)
    if recipe.hardware.network is None:
        return None
    entry = between_servers(recipe.hardware.network)
    if entry.node_bytes_per_second is not None:
        return entry.node_bytes_per_second
    return entry.bytes_per_second if entry.bytes_per_second is not None else entry.port_bytes_per_second
