"""What a preflight looks at: a recipe, its plan as far as there is one, the server, and where the run will be."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headway.machine.disks import existing_folder
from headway.machine.inventory import Inventory, take_inventory
from headway.machine.sources import ROOT
from headway.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What is looked at.

    Attributes:
        recipe: the resolved recipe.
        inventory: what this server is.
        folder: where runs will be stored, or the nearest folder above it that is there: it is on the same disk.
        plan: the plan as plain data, without which less is known; empty where there is none.
        present_bytes: what the run has on that disk already.
        environment: variables of this process.
        root: the folder that holds ``sys``; ``/`` except in tests.
    """

    recipe: Recipe
    inventory: Inventory
    folder: Path
    plan: Mapping[str, Any] = field(default_factory=dict)
    present_bytes: int = 0
    environment: Mapping[str, str] = field(default_factory=dict)
    root: Path = ROOT

    @property
    def uses_accelerators(self) -> bool:
        """Whether the run computes on accelerators of this server."""
        return self.recipe.hardware.accelerator != "cpu" and bool(self.inventory.accelerators)

    @property
    def processes_here(self) -> int:
        """Processes of the run on this server."""
        hardware = self.recipe.hardware
        if self.uses_accelerators:
            return min(hardware.devices, len(self.inventory.accelerators))
        return min(hardware.devices, hardware.devices_per_node or hardware.devices)

    def planned(self, section: str, name: str) -> float | None:
        """Return a figure of the plan; None where it is not known."""
        value = (self.plan.get(section) or {}).get(name)
        return float(value) if isinstance(value, (int, float)) else None


def this_server(recipe: Recipe, runs: Path, plan: Mapping[str, Any], present_bytes: int = 0) -> Subject:
    """Return what is looked at before a run on this server.

    Args:
        recipe: the resolved recipe.
        runs: the folder of all runs; it may be made later.
        plan: the plan as plain data; empty where there is none.
        present_bytes: what the run has on its disk already.
    """
    folder = existing_folder(runs)
    return Subject(
        recipe=recipe,
        inventory=take_inventory(folder),
        folder=folder,
        plan=plan,
        present_bytes=present_bytes,
        environment=dict(os.environ),
    )
