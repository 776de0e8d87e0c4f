"""The device that a recipe will train on, and what the probe knows of a server's processors."""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog
from headway.catalog.closest import closest_name
from headway.catalog.programs import OWN
from headway.errors import CatalogError, PlanError
from headway.machine import Machine
from headway.machine.measurements import Measurements
from headway.planning.measured import MeasuredDevice, best_product_flops_per_second
from headway.recipe import Recipe

CPU = "cpu"

PROCESSOR_PRECISIONS = ("fp32", "bf16")
"""Formats whose operations the probe measures."""

PLANNED_OPTIMIZERS = ("adamw", "adamw16bit", "adamw8bit", "adamw-in-backward", "adamw8bit-in-backward")
"""Those whose update takes no longer than its states take to be read and written."""

PROCESSOR_OPTIMIZERS = ("adamw",)
"""Those whose update the probe measures."""


@dataclass(frozen=True, kw_only=True)
class Processors:
    """What one process has of a server's processors: all of them, or an equal share.

    Attributes:
        cost: prices operations in seconds, on the whole server.
        peak_flops_per_second: of the process: the best matrix product measured, for the recipe's precision.
        capacity_bytes: memory that a process may take; None where nobody knows.
        measurements: the probe's figures of the server.
        processes: that share the server; each takes so many times as long for an operation as the whole would. Leaves
            out that a share of the cores may reach more than its share of the speed.
    """

    cost: MeasuredDevice
    peak_flops_per_second: float
    capacity_bytes: int | None
    measurements: Measurements
    processes: int = 1


def accelerator_name(recipe: Recipe, machine: Machine | None) -> str:
    """Return what trains: ``cpu``, or the id of an accelerator, the machine's own for ``auto``.

    Raises:
        PlanError: it is the machine's own accelerator, which the catalogue does not know.
        CatalogError: the catalogue does not know the accelerator.
    """
    name: str = recipe.hardware.accelerator
    if name == "auto":
        name = _own_accelerator(machine)
    return CPU if name == CPU else catalog.accelerator(name).id


def _own_accelerator(machine: Machine | None) -> str:
    present = machine.inventory.accelerators if machine is not None else ()
    for found in present:
        try:
            return catalog.accelerator(found.name or "").id
        except CatalogError:
            continue
    if present:
        # To plan for the processors of a server with accelerators must be asked for.
        name = present[0].name or present[0].kind
        known = tuple(catalog.accelerators.entries())
        closest = closest_name(name, known) or "none"
        raise PlanError("plan-accelerator-unknown", name=name, closest=closest, known=", ".join(known))
    return CPU


def require_planned(recipe: Recipe, accelerator: str) -> None:
    """Refuse to plan what nobody measured.

    Args:
        recipe: the resolved recipe.
        accelerator: what trains; ``cpu``, or the id of an accelerator.

    Raises:
        PlanError: the setting, its value, and the values that can be planned.
    """
    training = recipe.training
    rules: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("training.optimizer", training.optimizer, PLANNED_OPTIMIZERS),
    )
    if accelerator == CPU:
        rules = (
            ("training.precision", training.precision, PROCESSOR_PRECISIONS),
            # The probe's operations are the engine's own.
            ("training.software", training.software, (OWN,)),
            ("training.dropout", str(training.dropout), ("0.0",)),
            ("training.optimizer", training.optimizer, PROCESSOR_OPTIMIZERS),
        )
    for field, value, supported in rules:
        if value not in supported:
            raise PlanError("plan-setting-unsupported", field=field, value=value, supported=", ".join(supported))


def processors(recipe: Recipe, machine: Machine | None) -> Processors:
    """Return the server's processors.

    Raises:
        PlanError: they were not measured, or not for the recipe's precision, or another program is to train.
    """
    require_planned(recipe, CPU)
    measurements = machine.measurements if machine is not None else None
    if machine is None or measurements is None or not measurements.operations:
        raise PlanError("plan-cpu-not-measured")
    peak = measurements.matmul.best_flops_per_second(recipe.training.precision) if measurements.matmul else None
    if peak is None:
        raise PlanError("plan-cpu-not-measured")
    # The engine's own products may beat the square ones that were measured as such.
    peak = max(peak, best_product_flops_per_second(measurements.operations, recipe.training.precision))
    memory = machine.inventory.memory
    limits = [value for value in (memory.total_bytes, memory.cgroup_limit_bytes) if value is not None]
    processes = min(recipe.hardware.devices_per_node or 1, recipe.hardware.devices)
    return Processors(
        cost=MeasuredDevice(measurements.operations, peak),
        peak_flops_per_second=peak / processes,
        capacity_bytes=min(limits) // processes if limits else None,
        measurements=measurements,
        processes=processes,
    )
