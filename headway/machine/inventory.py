"""The inventory: everything that can be read about a machine without measuring it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from headway.machine import sources
from headway.machine.accelerators import Accelerator, read_accelerators
from headway.machine.control_groups import read_control_groups
from headway.machine.cpu import Processor, read_processor
from headway.machine.disks import Disk, read_disk
from headway.machine.limits import Limits, read_limits
from headway.machine.memory import Memory, read_memory
from headway.machine.network import NetworkInterface, read_network
from headway.machine.software import Software, read_software


@dataclass(frozen=True, kw_only=True)
class Inventory:
    """What this server is. Each figure that cannot be read is None."""

    processor: Processor
    memory: Memory
    disk: Disk
    network: tuple[NetworkInterface, ...]
    accelerators: tuple[Accelerator, ...]
    limits: Limits
    software: Software


def take_inventory(folder: Path, root: Path = sources.ROOT) -> Inventory:
    """Read what this server is.

    Args:
        folder: where runs will be stored; its disk is described.
        root: the folder that holds ``proc``, ``sys``, ``dev`` and ``etc``; ``/`` except in tests.
    """
    control_groups = read_control_groups(root)
    return Inventory(
        processor=read_processor(control_groups, root),
        memory=read_memory(control_groups, root),
        disk=read_disk(folder, root),
        network=read_network(root),
        accelerators=read_accelerators(root),
        limits=read_limits(control_groups, root),
        software=read_software(root),
    )
