"""Links between devices and between nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "networks.toml"


@dataclass(frozen=True, kw_only=True)
class Network(Entry):
    """One kind of link; every rate is per direction.

    Attributes:
        role: "scale-up" joins the devices of a node or rack, "scale-out" joins nodes, "scale-up-and-out" does both,
            "host" joins a device and its host.
        bytes_per_second: rate of one endpoint: a device where the link is scale-up, a port where it is scale-out.
        port_bytes_per_second: rate of one port.
        ports_per_node: ports of the usual node.
        node_bytes_per_second: rate of all ports of that node.
        latency_seconds: latency as the source states it; `basis` says between what.
        domain_devices: how many devices one domain joins; several values where several products exist.
        announced: true where the numbers are pre-release.
    """

    role: Literal["scale-up", "scale-out", "scale-up-and-out", "host"]
    bytes_per_second: float | None = None
    port_bytes_per_second: float | None = None
    ports_per_node: int | None = None
    node_bytes_per_second: float | None = None
    latency_seconds: float | None = None
    domain_devices: tuple[int, ...] = ()
    announced: bool = False


@cache
def entries() -> Mapping[str, Network]:
    """Return all networks by id."""
    return read_facts(FILE, Network)


def network(name: str) -> Network:
    """Return a network by id or alias: ``nvlink-4``, ``infiniband-ndr400``, ``ndr``.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    return find("network", name, entries())
