"""Probing a machine: the inventory, and the measurements or their cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, cast

import msgspec

from headway.errors import MachineError
from headway.machine import cache
from headway.machine.inventory import Inventory, take_inventory
from headway.machine.measure_compute import measure_compute
from headway.machine.measure_disk import measure_disk
from headway.machine.measure_memory import measure_memory
from headway.machine.measurements import BUSY, Measurements, Note, was_busy

Progress = Callable[[str, float], None]
"""Called with the message id of the stage that begins and the fraction done, 0 to 1."""

_FRACTIONS = {
    "inventory": 0.0,
    "memory": 0.01,
    "framework": 0.12,
    "matmul": 0.3,
    "attention": 0.42,
    "operations": 0.45,
    "all_reduce": 0.85,
    "disk": 0.95,
    "done": 1.0,
}
"""Stage -> the share of the time that has passed when it begins, on the machine where this was written."""

_BUSY_SHARE = 0.5
"""A load average above this share of the usable cores makes the figures doubtful."""


@dataclass(frozen=True, kw_only=True)
class Machine:
    """What a server is and, where it was measured, what it can do."""

    inventory: Inventory
    measurements: Measurements | None = None
    probe_version: int = cache.PROBE_VERSION

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values; names end with their units, and unknown figures are null."""
        return cast(dict[str, Any], msgspec.json.decode(msgspec.json.encode(self)))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Return the machine that ``to_dict`` described.

        Raises:
            MachineError: the values are not such a description.
        """
        try:
            return msgspec.convert(values, cls)
        except msgspec.ValidationError as error:
            raise MachineError("machine-description-invalid", reason=str(error)) from error


def probe(
    folder: Path | str = ".", *, measure: bool = True, refresh: bool = False, progress: Progress | None = None
) -> Machine:
    """Say what this server is and what it can do.

    Args:
        folder: where runs will be stored; its disk is described and measured.
        measure: whether to measure, where the cache does not hold the figures yet (about 40 s).
        refresh: whether to measure even where it does.
        progress: told of each stage when it begins.

    Raises:
        MachineError: the folder does not exist.
    """
    folder = Path(folder)
    if not folder.is_dir():
        raise MachineError("machine-folder-missing", folder=str(folder))
    _tell(progress, "inventory")
    inventory = take_inventory(folder)
    measurements = _measurements(inventory, refresh, progress) if measure else None
    _tell(progress, "done")
    return Machine(inventory=inventory, measurements=measurements)


def _measurements(inventory: Inventory, refresh: bool, progress: Progress | None) -> Measurements:
    folder = cache.cache_folder()
    path = cache.cache_file(folder, inventory) if folder is not None else None
    found = cache.load(path) if path is not None and not refresh else None
    if found is not None and was_busy(found) and not _busy(inventory.processor.usable_cores):
        # Figures that other work spoilt serve only until the machine is idle.
        found = None
    if found is None:
        found = measure_machine(inventory, build_folder=folder, progress=progress)
        # What failed once may work the next time, so that only a whole set is kept.
        if path is not None and not any(note.message_id in _FAILURES for note in found.notes):
            cache.store(path, found)
    return found


_FAILURES = frozenset(
    {
        "machine-note-failed",
        "machine-note-killed",
        "machine-note-timeout",
        "machine-note-disk-failed",
        "machine-note-disk-full",
    }
)


def measure_machine(
    inventory: Inventory, *, build_folder: Path | None = None, progress: Progress | None = None
) -> Measurements:
    """Measure a machine now, without the cache.

    Args:
        inventory: what the machine is.
        build_folder: where compiled programs are kept; None keeps none.
        progress: told of each stage when it begins.
    """
    begin = time.monotonic()
    measured_at = datetime.now(UTC).isoformat(timespec="seconds")
    threads = inventory.processor.usable_cores
    notes = _busy(threads)
    _tell(progress, "memory")
    memory, memory_notes = measure_memory(inventory, build_folder)
    compute = measure_compute(
        torch_installed="torch" in inventory.software.frameworks,
        threads=threads,
        on_begin=lambda stage: _tell(progress, stage),
    )
    _tell(progress, "disk")
    disk, disk_notes = measure_disk(inventory.disk)
    return Measurements(
        measured_at=measured_at,
        elapsed_seconds=time.monotonic() - begin,
        memory=memory,
        matmul=compute.matmul,
        framework=compute.framework,
        attention=compute.attention,
        operations=compute.operations,
        all_reduce=compute.all_reduce,
        disk=disk,
        notes=(*notes, *memory_notes, *compute.notes, *disk_notes),
    )


def _busy(threads: int) -> list[Note]:
    load = os.getloadavg()[0]
    if load <= _BUSY_SHARE * threads:
        return []
    return [Note(message_id=BUSY, arguments={"load": round(load, 2), "cores": threads})]


def _tell(progress: Progress | None, stage: str) -> None:
    if progress is not None and stage in _FRACTIONS:
        progress(f"machine-stage-{stage.replace('_', '-')}", _FRACTIONS[stage])
