"""The network interfaces, InfiniBand included."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources


@dataclass(frozen=True, kw_only=True)
class NetworkInterface:
    """One network interface or InfiniBand port; loopback is left out."""

    name: str
    kind: str
    """``ethernet``, ``infiniband``, ``roce`` (RDMA over an Ethernet link) or ``virtual`` (no device behind it)."""
    up: bool | None = None
    line_bytes_per_second: float | None = None
    """The link's own rate, one way, before protocol overhead; None where the driver does not say (most VMs)."""


def read_network(root: Path = sources.ROOT) -> tuple[NetworkInterface, ...]:
    """Read the network interfaces, then the InfiniBand ports, by name."""
    found = [_interface(folder) for folder in sources.children(root / "sys/class/net") if folder.name != "lo"]
    for device in sources.children(root / "sys/class/infiniband"):
        found.extend(_port(device.name, port) for port in sources.children(device / "ports"))
    return tuple(item for item in found if item is not None)


def _interface(folder: Path) -> NetworkInterface | None:
    state = sources.read_text(folder / "operstate")
    if state is None:
        return None
    speed = sources.read_int(folder / "speed")
    return NetworkInterface(
        name=folder.name,
        kind="ethernet" if (folder / "device").exists() else "virtual",
        up={"up": True, "down": False, "lowerlayerdown": False}.get(state),
        # Mbit/s; -1 and 4294967295 mean unknown (Linux, Documentation/ABI/testing/sysfs-class-net).
        line_bytes_per_second=speed * 1e6 / 8 if speed is not None and 0 < speed < 0xFFFFFFFF else None,
    )


def _port(device: str, port: Path) -> NetworkInterface | None:
    state = sources.read_text(port / "state")
    if state is None:
        return None
    rate = sources.parse_float(sources.read_text(port / "rate"))
    return NetworkInterface(
        name=f"{device}:{port.name}",
        kind="roce" if sources.read_text(port / "link_layer") == "Ethernet" else "infiniband",
        up="ACTIVE" in state,
        line_bytes_per_second=rate * 1e9 / 8 if rate else None,
    )
