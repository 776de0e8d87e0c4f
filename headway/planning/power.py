"""Electric power of a training cluster, from idle to busy, part by part.

An accelerator draws P = P_design (idle + (busy - idle) u), where u is the share of the wall time in which it
computes, and idle and busy are the lowest and the highest share of the maximum that was measured in trainings.
Everything else in a server is taken from a measured server of eight H100, in proportion to the design power of the
accelerators: cooling air, voltage conversion and the host grow with what they serve. Trays of an NVL72 rack have
figures of their own.

Source: Morrison et al. 2025 (arXiv:2503.05804), 15 to 85 % of the maximum over a training; Newkirk et al. 2025
(arXiv:2506.14551), an H100 server trains at 76 % of its rated 10.2 kW; the catalogue's ``power`` entries.
Leaves out: that a memory-bound kernel draws less than a matrix product, power capping, that fans slow down while the
accelerators wait, and the swings within a step.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from statistics import NormalDist

from headway import catalog
from headway.catalog import Accelerator
from headway.errors import CatalogError, PlanError
from headway.machine import Machine
from headway.planning.choice import WAITING_PARTS
from headway.planning.constants import cooling_fact, power_fact
from headway.planning.limits import is_within
from headway.planning.network import SERVER_DEVICES
from headway.planning.time import Time
from headway.recipe.sections import SiteConfig

RACK_SCALE_DEVICES = 72
"""Devices of one NVL72 rack, whose trays and cooling come with it. Source: NVIDIA, GB200 NVL72 and GB300 NVL72 data
sheets; the catalogue's ``scale_up_domain_devices`` of both."""

RACK_LIMITS = {
    "air": "air-cooled-rack-limit",
    "rear-door": "rear-door-rack-limit",
    "direct-to-chip": "rack-gb300-nvl72",
}
"""Method -> the catalogue's entry with the densest rack that it is known to cool; the simplest method is first."""


@dataclass(frozen=True, kw_only=True)
class Power:
    """Electric power while the training runs; what nobody knows is None.

    Attributes:
        device_watts: mean of one accelerator over the run, or of all processors of one server.
        device_idle_watts: of one accelerator that waits.
        device_design_watts: design power of one accelerator.
        busy_share: share of the wall time in which the accelerators compute.
        node_watts: mean of one server.
        node_peak_watts: of one server at its rated maximum.
        nodes_per_rack: servers of one rack.
        racks: of the run.
        rack_peak_watts: of one full rack at its rated maximum.
        equipment_watts: mean of all servers, switches and storage.
        facility_watts: the same with cooling and losses of the site.
        facility_watts_low: lower end of an 80 % interval; None where the recipe states the power.
        facility_watts_high: upper end of it.
        facility_peak_watts: the same at the rated maximum; what the site must be able to supply.
        capacity_watts: what the site can supply, as the recipe says.
        parts: watts by part; they sum to ``facility_watts``.
        basis: ``site`` (the recipe says), ``catalogue``.
    """

    device_watts: float | None = None
    device_idle_watts: float | None = None
    device_design_watts: float | None = None
    busy_share: float | None = None
    node_watts: float | None = None
    node_peak_watts: float | None = None
    nodes_per_rack: int | None = None
    racks: int | None = None
    rack_peak_watts: float | None = None
    equipment_watts: float | None = None
    facility_watts: float | None = None
    facility_watts_low: float | None = None
    facility_watts_high: float | None = None
    facility_peak_watts: float | None = None
    capacity_watts: float | None = None
    parts: dict[str, float] = field(default_factory=dict)
    basis: str | None = None


@dataclass(frozen=True, kw_only=True)
class Host:
    """What a server takes beside its accelerators, for each watt of their design power.

    Attributes:
        training: part -> share, while it trains; without losses of the power supplies.
        design: all parts together at the rated maximum; without losses of the power supplies.
        efficiency: of the power supplies.
    """

    training: Mapping[str, float]
    design: float
    efficiency: float


def accelerator_watts(design_watts: float, busy_share: float) -> float:
    """Return the mean power of an accelerator: P_design (idle + (busy - idle) u).

    Args:
        design_watts: design power of the device.
        busy_share: u, share of the wall time in which it computes.

    Source: Morrison et al. 2025 (arXiv:2503.05804), whose trainings swing between both ends.
    """
    idle, busy = power_fact("accelerator-idle-share"), power_fact("accelerator-busy-share")
    return design_watts * (idle + (busy - idle) * busy_share)


def busy_share(time: Time) -> float:
    """Return the share of the wall time in which the accelerators compute.

    The steps' time without exposed communication, pipeline bubbles and other waiting, over the whole run with its
    evaluations, checkpoints and interruptions.
    """
    waiting_seconds = sum(seconds for name, seconds in time.parts.items() if name.endswith(WAITING_PARTS))
    computing_share = 1 - waiting_seconds / time.step_seconds if time.step_seconds else 0.0
    wall_seconds = time.total_seconds or time.training_seconds
    share = computing_share * time.training_seconds / wall_seconds if wall_seconds else computing_share
    return min(1.0, max(0.0, share))


def interval_share() -> float:
    """Return half of the width of an 80 % interval of a server's power, over the power.

    The mean absolute error of a normal distribution is sqrt(2 / pi) of its standard deviation, and 80 % of it lie
    within 1.2816 of them. Source: the error of a model fitted to an H100 server (arXiv:2506.14551).
    Leaves out: that this model is simpler, and that the power usage effectiveness changes with the weather.
    """
    return power_fact("server-model-error") * math.sqrt(math.pi / 2) * NormalDist().inv_cdf(0.9)


@cache
def server_host() -> Host:
    """Return the host of a server, from the measured server of eight H100.

    Its accelerators computed all the time. What its processors, memory, optical modules and drives do not explain is
    fans, voltage conversion, NVLink switches, network chips and boards.
    """
    h100 = catalog.accelerator("h100-sxm-80gb").power_watts
    processor = catalog.cpu("xeon-platinum-8480-plus").power_watts
    assert h100 is not None, "the catalogue states the H100's power"
    assert processor is not None, "the catalogue states the processor's power"
    devices_watts, efficiency = SERVER_DEVICES * h100, power_fact("power-supply-efficiency")
    rated_watts = power_fact("h100-server-rated")
    training_watts = power_fact("h100-server-training-share") * rated_watts * efficiency
    known = {
        "processors_watts": power_fact("h100-server-processors") * processor * power_fact("processor-mean-share"),
        "memory_watts": power_fact("h100-server-memory-modules") * power_fact("memory-module"),
        "network_interfaces_watts": SERVER_DEVICES * power_fact("transceiver-400g"),
        "drives_watts": power_fact("h100-server-drives") * power_fact("drive-active"),
    }
    rest_watts = training_watts - accelerator_watts(devices_watts, 1.0)
    known["fans_and_boards_watts"] = rest_watts - sum(known.values())
    return Host(
        training={name: watts / devices_watts for name, watts in known.items()},
        design=(rated_watts * efficiency - devices_watts) / devices_watts,
        efficiency=efficiency,
    )


@cache
def tray_host() -> Host:
    """Return the host of a tray of an NVL72 rack, whose stated power includes all losses."""
    gb300 = catalog.accelerator("gb300-nvl72").power_watts
    assert gb300 is not None, "the catalogue states the GB300's power"
    devices_watts = power_fact("nvl72-tray-accelerators") * gb300
    processors, static = power_fact("nvl72-tray-processors"), power_fact("nvl72-tray-static")
    return Host(
        training={
            "processors_watts": processors * power_fact("processor-mean-share") / devices_watts,
            "fans_and_boards_watts": static / devices_watts,
        },
        design=(processors + static) / devices_watts,
        efficiency=1.0,
    )


def plan_power(
    site: SiteConfig,
    *,
    entry: Accelerator | None,
    machine: Machine | None,
    devices: int,
    per_node: int,
    busy: float,
    spare_nodes: int = 0,
) -> Power:
    """Return the power while the training runs, that of spare servers included: their accelerators wait.

    Args:
        site: its power usage effectiveness, and what it says of servers and racks, which wins.
        entry: the accelerator; None for a CPU.
        machine: the server, whose processors the catalogue may know.
        devices: of the run.
        per_node: devices of one server.
        busy: share of the wall time in which the accelerators compute.
        spare_nodes: servers that wait. Where the recipe states the power of a server, they draw it too.

    Raises:
        PlanError: the recipe states less for a server than its accelerators draw while they wait.
    """
    nodes = -(-devices // per_node)
    if site.node_watts is not None:
        _require_possible(site.node_watts, entry, min(devices, per_node))
        return _uniform(site, nodes, spare_nodes, site.node_watts, part="servers_watts", basis="site")
    if entry is None:
        watts = _processors_watts(machine)
        if watts is None:
            return Power(capacity_watts=site.power_capacity)
        return _uniform(site, nodes, spare_nodes, watts, part="processors_watts", basis="catalogue", device_watts=watts)
    if entry.power_watts is None:
        return Power(capacity_watts=site.power_capacity)
    return _of_accelerators(
        site, entry, entry.power_watts, devices=devices, per_node=per_node, busy=busy, spare_nodes=spare_nodes
    )


def _require_possible(node_watts: float, entry: Accelerator | None, devices: int) -> None:
    """Refuse a power of a server that its accelerators alone are beyond, even while they wait."""
    if entry is None or entry.power_watts is None:
        return
    least_watts = devices * accelerator_watts(entry.power_watts, 0.0)
    if node_watts < least_watts:
        raise PlanError(
            "plan-node-power-low",
            watts=node_watts,
            devices=devices,
            accelerator=entry.id,
            least_watts=least_watts,
            design_watts=devices * entry.power_watts,
        )


@dataclass(frozen=True, kw_only=True)
class _Servers:
    """All servers of a run with their spare ones, in watts.

    Attributes:
        watts: mean.
        peak_watts: at the rated maximum; a spare server that works has taken the place of one that does not.
        node_watts: mean of one that works.
        node_peak_watts: of one at its rated maximum.
        parts: by part, without losses of the power supplies but for their own part.
    """

    watts: float
    peak_watts: float
    node_watts: float
    node_peak_watts: float
    parts: dict[str, float]


def _servers(
    host: Host, design_watts: float, *, devices: int, per_node: int, device_watts: float, spare_nodes: int
) -> _Servers:
    parts = {"accelerators_watts": devices * device_watts}
    parts |= {name: devices * design_watts * share for name, share in host.training.items()}
    node_watts = per_node * sum(parts.values()) / host.efficiency / devices
    spare_watts = _waiting_watts(host, design_watts, spare_nodes * per_node)
    if spare_nodes:
        parts["spare_servers_watts"] = spare_watts
    watts = sum(parts.values()) / host.efficiency
    if host.efficiency < 1:
        parts["supply_losses_watts"] = watts * (1 - host.efficiency)
    peak_watts = devices * design_watts * (1 + host.design) / host.efficiency
    return _Servers(
        watts=watts,
        peak_watts=peak_watts + spare_watts / host.efficiency,
        node_watts=node_watts,
        node_peak_watts=per_node * peak_watts / devices,
        parts=parts,
    )


def _of_accelerators(
    site: SiteConfig,
    entry: Accelerator,
    design_watts: float,
    *,
    devices: int,
    per_node: int,
    busy: float,
    spare_nodes: int,
) -> Power:
    """Return the power of servers of accelerators; one server alone needs no fabric and no storage of its own."""
    nodes = -(-devices // per_node) + spare_nodes
    is_rack_scale = entry.scale_up_domain_devices == RACK_SCALE_DEVICES
    device_watts = accelerator_watts(design_watts, busy)
    servers = _servers(
        tray_host() if is_rack_scale else server_host(),
        design_watts,
        devices=devices,
        per_node=per_node,
        device_watts=device_watts,
        spare_nodes=spare_nodes,
    )
    share = power_fact("cluster-equipment-share") if nodes > 1 else 0.0
    equipment_watts, peak_watts = servers.watts / (1 - share), servers.peak_watts / (1 - share)
    shared = {"fabric_and_storage_watts": equipment_watts - servers.watts} if nodes > 1 else {}
    effectiveness = site.power_usage_effectiveness
    of_product = RACK_SCALE_DEVICES // per_node if is_rack_scale else None
    in_rack = _nodes_per_rack(site, nodes, servers.node_peak_watts, of_product)
    return Power(
        device_watts=device_watts,
        device_idle_watts=accelerator_watts(design_watts, 0.0),
        device_design_watts=design_watts,
        busy_share=busy,
        node_watts=servers.node_watts,
        node_peak_watts=servers.node_peak_watts,
        nodes_per_rack=in_rack,
        racks=-(-nodes // in_rack),
        rack_peak_watts=in_rack * servers.node_peak_watts,
        equipment_watts=equipment_watts,
        facility_watts=equipment_watts * effectiveness,
        facility_watts_low=equipment_watts * effectiveness * (1 - interval_share()),
        facility_watts_high=equipment_watts * effectiveness * (1 + interval_share()),
        facility_peak_watts=peak_watts * effectiveness,
        capacity_watts=site.power_capacity,
        parts={**servers.parts, **shared, "site_overhead_watts": (effectiveness - 1) * equipment_watts},
        basis="catalogue",
    )


def _waiting_watts(host: Host, design_watts: float, devices: int) -> float:
    """Return the power of accelerators that wait, with their hosts; without losses of the power supplies.

    Leaves out: that a host that waits draws less than one that trains.
    """
    return devices * (accelerator_watts(design_watts, 0.0) + design_watts * sum(host.training.values()))


def _uniform(
    site: SiteConfig,
    nodes: int,
    spare_nodes: int,
    node_watts: float,
    *,
    part: str,
    basis: str,
    device_watts: float | None = None,
) -> Power:
    """Return the power of servers that draw the same all the time; what stands between them is not known."""
    spares = {"spare_servers_watts": spare_nodes * node_watts} if spare_nodes else {}
    servers_watts, nodes = nodes * node_watts, nodes + spare_nodes
    equipment_watts = nodes * node_watts
    in_rack = _nodes_per_rack(site, nodes, node_watts, None)
    facility_watts = equipment_watts * site.power_usage_effectiveness
    return Power(
        device_watts=device_watts,
        node_watts=node_watts,
        node_peak_watts=node_watts,
        nodes_per_rack=in_rack,
        racks=-(-nodes // in_rack),
        rack_peak_watts=in_rack * node_watts,
        equipment_watts=equipment_watts,
        facility_watts=facility_watts,
        facility_peak_watts=facility_watts,
        capacity_watts=site.power_capacity,
        parts={part: servers_watts, **spares, "site_overhead_watts": facility_watts - equipment_watts},
        basis=basis,
    )


def _nodes_per_rack(site: SiteConfig, nodes: int, node_peak_watts: float, of_product: int | None) -> int:
    """Return the servers of a rack: as the recipe or the product says, else as many as the rack's power allows.

    A rack that the recipe describes holds no more servers than there are. Where the recipe names no power of a rack, it
    takes what the site's cooling can remove, or else what air can.
    """
    if site.nodes_per_rack is not None:
        return min(site.nodes_per_rack, nodes)
    if of_product is not None:
        return max(1, of_product)
    method = "air" if site.cooling == "auto" else site.cooling
    limit_watts = site.rack_capacity or cooling_fact(RACK_LIMITS[method])
    nodes = round(limit_watts / node_peak_watts)
    return max(1, nodes if is_within(nodes * node_peak_watts, limit_watts) else nodes - 1)


def _processors_watts(machine: Machine | None) -> float | None:
    """Return the design power of the cores that the machine shows; None where the catalogue does not know it."""
    processor = machine.inventory.processor if machine is not None else None
    if processor is None or processor.model_name is None:
        return None
    try:
        entry = catalog.cpu(processor.model_name)
    except CatalogError:
        return None
    if entry.power_watts is None:
        return None
    cores = processor.num_physical_cores or entry.cores
    return entry.power_watts * cores / entry.cores
