"""The device that a recipe will train on: what the catalogue or the probe knows of it."""

from __future__ import annotations

from dataclasses import dataclass

from headway import catalog
from headway.catalog.closest import closest_name
from headway.errors import CatalogError, PlanError
from headway.machine import Machine
from headway.machine.measurements import Measurements
from headway.planning.measured import MeasuredDevice
from headway.planning.roofline import CataloguedDevice
from headway.recipe import Recipe

CPU = "cpu"


@dataclass(frozen=True, kw_only=True)
class Device:
    """One accelerator, or the processors of one server taken together.

    Attributes:
        name: id in the catalogue, or ``cpu``.
        cost: prices operations in seconds.
        peak_flops_per_second: stated peak for the recipe's precision; for a CPU the best product measured.
        capacity_bytes: memory that a training may take; None where nobody knows.
        catalogued: the catalogue's entry; None for a CPU.
        measurements: the probe's figures of the server; None for a catalogued accelerator.
    """

    name: str
    cost: CataloguedDevice | MeasuredDevice
    peak_flops_per_second: float
    capacity_bytes: int | None
    catalogued: catalog.Accelerator | None = None
    measurements: Measurements | None = None

    @property
    def is_cpu(self) -> bool:
        """Whether the processors themselves train."""
        return self.catalogued is None


def resolve_device(recipe: Recipe, machine: Machine | None) -> Device:
    """Return the device that the recipe names, or the machine's own for ``auto``.

    Raises:
        PlanError: it is a CPU that was not measured, a device without a known rate for the precision, or the machine's
            own accelerator, which the catalogue does not know.
        CatalogError: the catalogue does not know the accelerator.
    """
    name: str = recipe.hardware.accelerator
    if name == "auto":
        name = _own_accelerator(machine)
    if name == CPU:
        return _cpu(recipe, machine)
    return _accelerator(recipe, catalog.accelerator(name))


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


def _accelerator(recipe: Recipe, entry: catalog.Accelerator) -> Device:
    precision = recipe.training.precision
    peak = entry.bf16_dense_flops_per_second if precision == "bf16" else entry.fp32_flops_per_second
    if peak is None:
        raise PlanError("plan-rate-unknown", accelerator=entry.id, precision=precision)
    if entry.memory_bytes_per_second is None:
        raise PlanError("plan-bandwidth-unknown", accelerator=entry.id)
    return Device(
        name=entry.id,
        cost=CataloguedDevice.of(entry, precision, peak),
        peak_flops_per_second=peak,
        capacity_bytes=entry.memory_bytes,
        catalogued=entry,
    )


def _cpu(recipe: Recipe, machine: Machine | None) -> Device:
    measurements = machine.measurements if machine is not None else None
    if machine is None or measurements is None or not measurements.operations:
        raise PlanError("plan-cpu-not-measured")
    peak = measurements.matmul.best_flops_per_second(recipe.training.precision) if measurements.matmul else None
    if peak is None:
        raise PlanError("plan-cpu-not-measured")
    memory = machine.inventory.memory
    limits = [value for value in (memory.total_bytes, memory.cgroup_limit_bytes) if value is not None]
    return Device(
        name=CPU,
        cost=MeasuredDevice(measurements.operations),
        peak_flops_per_second=peak,
        capacity_bytes=min(limits, default=None),
        measurements=measurements,
    )
