"""The accelerators of a training and the links between them, in the rates that software reaches.

Source: the catalogue's accelerators, networks and efficiencies.
Leaves out: clocks that fall with heat, which are part of the efficiencies; links that are shared with others.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from headway import catalog
from headway.catalog import Accelerator, Efficiency
from headway.errors import PlanError
from headway.planning.analytic.layouts import Floats
from headway.planning.analytic.losses import Losses, losses
from headway.planning.constants import constant
from headway.planning.network import SERVER_DEVICES, between_servers, usual_devices_per_node

_TRAINED_FIRST = ("bf16", "fp16", "tf32", "fp32")
"""Formats that an error names instead of one without a rate: those of the usual trainings, the fastest first."""


@dataclass(frozen=True, kw_only=True)
class Hardware:
    """Many equal accelerators.

    Attributes:
        entry: the accelerator.
        efficiency: which shares of the stated rates its generation reaches.
        devices: in all.
        devices_per_node: that one server holds.
        domain_devices: that the fast link joins, as far as the training uses them; at least one server's.
        up_bytes_per_second: stated rate of the fast link, per device and direction.
        out_bytes_per_second: stated rate of the network between domains, per device and direction; an array of them
            where several are compared.
        assumes_network: whether nobody stated that rate, so that it is the usual one of such accelerators.
        losses: shares by which real trainings fall short that belong to no kernel.
    """

    entry: Accelerator
    efficiency: Efficiency
    devices: int
    devices_per_node: int
    domain_devices: int
    up_bytes_per_second: float
    out_bytes_per_second: float | Floats
    losses: Losses
    assumes_network: bool = False

    @property
    def spans_domains(self) -> bool:
        """Whether the devices are more than the fast link joins."""
        return self.devices > self.domain_devices

    @property
    def capacity_bytes(self) -> int | None:
        """Memory of one device."""
        return self.entry.memory_bytes

    @property
    def memory_bytes_per_second(self) -> float:
        """Bandwidth of the device memory that kernels reach."""
        assert self.entry.memory_bytes_per_second is not None
        return self.efficiency.memory_efficiency * self.entry.memory_bytes_per_second

    def peak_flops_per_second(self, product: str) -> float:
        """Return the stated dense peak for products of a format.

        Products of fp32 factors run in fp32: TF32 is another format, that frameworks use where they are told to.
        Source: PyTorch, notes/cuda (``torch.backends.cuda.matmul.allow_tf32`` is off since PyTorch 1.12).

        Raises:
            PlanError: the catalogue does not know it.
        """
        peaks = {
            "fp32": self.entry.fp32_flops_per_second,
            "tf32": self.entry.tf32_dense_flops_per_second,
            "bf16": self.entry.bf16_dense_flops_per_second,
            "fp16": self.entry.fp16_dense_flops_per_second or self.entry.bf16_dense_flops_per_second,
            "int8": self.entry.int8_dense_operations_per_second,
            "fp8": self.entry.fp8_dense_flops_per_second,
            "mxfp8": self.entry.fp8_dense_flops_per_second,
            "nvfp4": self.entry.fp4_dense_flops_per_second,
        }
        peak = peaks[product]
        if peak is None:
            known = ", ".join(name for name in _TRAINED_FIRST if peaks[name] is not None)
            raise PlanError("plan-rate-unknown", accelerator=self.entry.id, precision=product, known=known or "none")
        return peak

    def product_flops_per_second(self, product: str) -> float:
        """Return the rate of large matrix products that lasts through a training.

        Leaves out: a share of fp32's own. Nobody published such trainings, so that it has that of 16-bit products.
        """
        bits = {"int8": 8, "fp8": 8, "mxfp8": 8, "nvfp4": 4}.get(product, 16)
        share = {
            16: self.efficiency.matmul_16bit_efficiency,
            8: self.efficiency.matmul_8bit_efficiency,
            4: self.efficiency.matmul_4bit_efficiency,
        }[bits]
        if share is None:
            raise PlanError("plan-rate-unknown", accelerator=self.entry.id, precision=product, known="none")
        return share * self.peak_flops_per_second(product)


def hardware(
    accelerator: str,
    *,
    devices: int,
    devices_per_node: int | None = None,
    network: str | None = None,
    out_bytes_per_second: float | None = None,
) -> Hardware:
    """Return the accelerators of a training.

    Args:
        accelerator: name in the catalogue.
        devices: in all.
        devices_per_node: of one server; as many as the fast link joins, up to a full server, where None.
        network: name in the catalogue of what joins the servers.
        out_bytes_per_second: its rate per device, where it is known otherwise.

    Raises:
        CatalogError: a name is not known.
        PlanError: the bandwidth of the device memory is not known, nobody published trainings on it, or the network
            joins no servers.
    """
    entry = catalog.accelerator(accelerator)
    if entry.memory_bytes_per_second is None:
        raise PlanError("plan-bandwidth-unknown", accelerator=entry.id)
    efficiency = catalog.efficiency_of(entry.id)
    if efficiency is None:
        raise PlanError("plan-efficiency-unknown", accelerator=entry.id, known=", ".join(_known_accelerators()))
    joined = entry.scale_up_domain_devices or 1
    per_node = devices_per_node or usual_devices_per_node(entry, devices)
    domain = max(joined, 1) if joined > SERVER_DEVICES else min(max(joined, 1), per_node)
    if joined == 1:
        # Without a link of their own, the devices of a server meet over its bus.
        domain = per_node
    rate = out_bytes_per_second
    if rate is None and network is not None:
        rate = _network_rate(network, per_node)
    return Hardware(
        entry=entry,
        efficiency=efficiency,
        devices=devices,
        devices_per_node=per_node,
        domain_devices=_used_domain(domain, devices),
        up_bytes_per_second=entry.scale_up_bytes_per_second or _bus_rate(),
        out_bytes_per_second=_usual_rate(entry, per_node) if rate is None else rate,
        losses=losses(),
        assumes_network=rate is None,
    )


def _used_domain(domain: int, devices: int) -> int:
    """Return how many devices of each domain a training takes: as many as divide it evenly, where that is most of them.

    256 devices take 64 of each of four racks of 72, as schedulers place them.
    """
    if devices <= domain:
        return max(devices, 1)
    even = max(size for size in range(1, domain + 1) if devices % size == 0)
    return even if 2 * even > domain else domain


def _usual_rate(entry: Accelerator, per_node: int) -> float:
    """Return the rate between servers, per device, where nobody states it: the vendor's own system's, or a plain one's.

    It is never faster than usual, so that a plan does not hide what a network costs.
    """
    return entry.usual_out_bytes_per_second or constant("assumed-server-network") / max(per_node, SERVER_DEVICES)


def _known_accelerators() -> Iterator[str]:
    for entry in catalog.efficiencies.entries().values():
        yield from entry.accelerators


def _network_rate(name: str, per_node: int) -> float | None:
    entry = between_servers(name)
    if entry.node_bytes_per_second is not None:
        return entry.node_bytes_per_second / per_node
    return entry.bytes_per_second if entry.bytes_per_second is not None else entry.port_bytes_per_second


def _bus_rate() -> float:
    rate = catalog.network("pcie-4-x16").bytes_per_second
    assert rate is not None
    return rate
