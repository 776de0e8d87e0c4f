"""Electric power and energy of a run.

Power is the design power of the devices, as the published energy figures of large trainings reckon it; it is absent
where nobody knows the device's power.
Source: the model cards of Llama 2, 3 and 3.1 (device hours times design power); Luccioni et al. 2022
(arXiv:2211.02001), table 2 (BLOOM, 400 W).
Leaves out: that devices draw less while they wait for memory, network or data.
"""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog
from headway.catalog import Accelerator
from headway.errors import CatalogError
from headway.machine import Machine
from headway.planning.constants import constant
from headway.planning.network import SERVER_DEVICES


@dataclass(frozen=True, kw_only=True)
class Power:
    """Electric power while the training runs.

    Attributes:
        device_watts: of one accelerator, or of all processors of one server.
        node_watts: of one server.
        facility_watts: of all servers, with cooling and losses.
        basis: ``site`` (the recipe says), ``catalogue`` (design power).
    """

    device_watts: float | None = None
    node_watts: float | None = None
    facility_watts: float | None = None
    basis: str | None = None


@dataclass(frozen=True, kw_only=True)
class Energy:
    """Electric energy of the run.

    Attributes:
        equipment_joules: of the servers.
        facility_joules: with cooling and losses (power usage effectiveness).
    """

    equipment_joules: float | None = None
    facility_joules: float | None = None


def plan_power(
    *,
    entry: Accelerator | None,
    machine: Machine | None,
    devices: int,
    per_node: int,
    node_watts: float | None,
    effectiveness: float,
) -> Power:
    """Return the power while the training runs.

    Args:
        entry: the accelerator; None for a CPU.
        machine: the server, whose processors the catalogue may know.
        devices: of the run.
        per_node: devices of one server.
        node_watts: what the recipe says that a server draws; it wins.
        effectiveness: facility power over equipment power (PUE).
    """
    nodes = -(-devices // per_node)
    if node_watts is not None:
        return Power(node_watts=node_watts, facility_watts=nodes * node_watts * effectiveness, basis="site")
    if entry is None:
        watts = _processors_watts(machine)
        if watts is None:
            return Power()
        return Power(
            device_watts=watts, node_watts=watts, facility_watts=nodes * watts * effectiveness, basis="catalogue"
        )
    if entry.power_watts is None:
        return Power()
    device_watts = entry.power_watts
    # The constant is of a full server; a smaller one shares it out, since its figure is not known.
    rest_watts = constant("server-power-without-gpus") / SERVER_DEVICES
    node = per_node * (device_watts + rest_watts)
    total = devices * (device_watts + rest_watts)
    return Power(device_watts=device_watts, node_watts=node, facility_watts=total * effectiveness, basis="catalogue")


def plan_energy(power: Power, *, seconds: float | None, effectiveness: float) -> Energy:
    """Return the energy of a run of ``seconds``; nothing where its length is not known."""
    if power.facility_watts is None or seconds is None:
        return Energy()
    facility_joules = power.facility_watts * seconds
    return Energy(equipment_joules=facility_joules / effectiveness, facility_joules=facility_joules)


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
