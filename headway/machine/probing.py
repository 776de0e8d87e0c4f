"""Probing a machine: the inventory, and the measurements or their cache."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self, cast

import msgspec

from headway.errors import MachineError
from headway.machine import cache
from headway.machine.inventory import Inventory, take_inventory
from headway.machine.measure_compute import ComputeResults, measure_compute
from headway.machine.measure_disk import measure_disk
from headway.machine.measure_memory import measure_memory
from headway.machine.measurements import BUSY, UNEVEN, Measurements, MemoryBandwidth, Note, was_busy
from headway.machine.rounds import NOISY_SPREAD, best_bandwidth, best_results, spread

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
    "again": 0.9,
    "disk": 0.95,
    "done": 1.0,
}
"""Stage -> the share of the time that has passed when it begins, on the machine where this was written."""

_MAX_ROUNDS = 2
_MAX_ROUNDS_SECONDS = 100.0
"""No round begins after this time: a machine that stays busy must not be measured for ever."""

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
        measure: whether to measure, where the cache does not hold the figures yet: about a minute, and up to three
            where other work disturbs it.
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


def known_machine(folder: Path) -> Machine:
    """Return this server as far as it is known without measuring anything now: what it is, and the figures kept of it.

    Args:
        folder: whose disk is described.
    """
    inventory = take_inventory(folder)
    kept = next(filter(None, map(cache.load, _cache_files(inventory))), None)
    return Machine(inventory=inventory, measurements=kept)


def _folders() -> list[Path]:
    return [folder for folder in (cache.cache_folder(), cache.spare_folder()) if folder is not None]


def _cache_files(inventory: Inventory) -> list[Path]:
    return [cache.cache_file(folder, inventory) for folder in _folders()]


def _measurements(inventory: Inventory, refresh: bool, progress: Progress | None) -> Measurements:
    paths = _cache_files(inventory)
    found = None if refresh else _usable(paths, inventory)
    if found is not None:
        return found
    others = [file for folder in _folders() for file in cache.files_of_other_disks(folder, inventory)]
    found = None if refresh else _usable(others, inventory)
    if found is not None:
        found = _with_disk(found, inventory, progress)
    else:
        found = measure_machine(inventory, build_folder=cache.cache_folder(), progress=progress)
    # What failed once may work the next time, so that only a whole set is kept.
    if not any(note.message_id in _FAILURES for note in found.notes):
        _keep(found, paths)
    return found


def _usable(paths: list[Path], inventory: Inventory) -> Measurements | None:
    """Return the first figures that these files hold; those that other work spoilt serve only while it goes on."""
    is_busy = bool(_busy(inventory.processor.usable_cores))
    held = filter(None, map(cache.load, paths))
    return next((found for found in held if is_busy or not was_busy(found)), None)


def _with_disk(known: Measurements, inventory: Inventory, progress: Progress | None) -> Measurements:
    """Return figures of this machine with another disk, which is all that is measured."""
    _tell(progress, "disk")
    disk, disk_notes = measure_disk(inventory.disk)
    kept = tuple(note for note in known.notes if note.message_id not in DISK_FAILURES)
    return replace(known, disk=disk, notes=(*kept, *disk_notes))


def _keep(found: Measurements, paths: list[Path]) -> None:
    """Store the figures in the first place that takes them: without any, each plan would measure for a minute."""
    for path in paths:
        if cache.store(path, found):
            return


DISK_FAILURES = frozenset({"machine-note-disk-failed", "machine-note-disk-full"})
_FAILURES = DISK_FAILURES | {"machine-note-failed", "machine-note-killed", "machine-note-timeout"}


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
    taken = [_round(inventory, build_folder, progress)]
    while _is_doubtful(notes, taken) and len(taken) < _MAX_ROUNDS and time.monotonic() - begin < _MAX_ROUNDS_SECONDS:
        _tell(progress, "again")
        taken.append(_round(inventory, build_folder, None))
    memory, compute = best_bandwidth(one.memory for one in taken), best_results([one.compute for one in taken])
    calmest = min((one.spread for one in taken if one.spread is not None), default=None)
    if calmest is not None and calmest > NOISY_SPREAD:
        notes.append(Note(message_id=UNEVEN, arguments={"spread": round(calmest, 3), "rounds": len(taken)}))
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
        rounds=len(taken),
        spread=calmest,
        notes=(*notes, *taken[-1].memory_notes, *compute.notes, *disk_notes),
    )


@dataclass(frozen=True, kw_only=True)
class _Round:
    """One measurement of all but the disk."""

    memory: MemoryBandwidth | None
    memory_notes: list[Note]
    compute: ComputeResults

    @property
    def spread(self) -> float | None:
        return spread(self.compute.matmul)


def _round(inventory: Inventory, build_folder: Path | None, progress: Progress | None) -> _Round:
    _tell(progress, "memory")
    memory, memory_notes = measure_memory(inventory, build_folder)
    compute = measure_compute(
        torch_installed="torch" in inventory.software.frameworks,
        threads=inventory.processor.usable_cores,
        on_begin=lambda stage: _tell(progress, stage),
    )
    return _Round(memory=memory, memory_notes=memory_notes, compute=compute)


def _is_doubtful(notes: list[Note], taken: list[_Round]) -> bool:
    """Say whether to measure once more: the load before the first round, or the last round's spread, is high.

    Of the load after a round, the round itself is the greater part.
    """
    last = taken[-1].spread
    return (bool(notes) and len(taken) == 1) or (last is not None and last > NOISY_SPREAD)


def _busy(threads: int) -> list[Note]:
    load = os.getloadavg()[0]
    if load <= _BUSY_SHARE * threads:
        return []
    return [Note(message_id=BUSY, arguments={"load": round(load, 2), "cores": threads})]


def _tell(progress: Progress | None, stage: str) -> None:
    if progress is not None and stage in _FRACTIONS:
        progress(f"machine-stage-{stage.replace('_', '-')}", _FRACTIONS[stage])
