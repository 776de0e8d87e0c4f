"""How often training breaks: published counts and rates, by run and by component."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway import units
from headway.catalog.quantities import Quantity
from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "failures.toml"
RECOVERY_FILE = FACTS_FOLDER / "recovery.toml"
TRACES_FILE = FACTS_FOLDER / "failure_traces.toml"


@dataclass(frozen=True, kw_only=True)
class Failure(Entry):
    """One published count or rate.

    Attributes:
        run: the training or cluster that it was observed on; entries of one run share it.
        component: what failed, or "all".
        category: the source's own grouping.
        accelerator: the device that the run used, in the catalogue's id where it has one.
        accelerator_family: the first word of such ids, for the entries that stand for a kind of hardware.
        interruptions: how often it happened.
        devices: accelerators that ran.
        jobs: jobs that were watched.
        duration_seconds: how long was watched.
        mean_time_between_failures_seconds: of all `devices` together, where the source states it.
        failures_per_device_hour: where the source states a rate; see `rate_per_device_hour`.
        failures_per_part_hour: the same for each part named by `component` (a machine, a cable).
        devices_per_part: accelerators that stop with one such part; None where that is not known.
        is_fleet: whether this is the one figure that stands for a whole fleet, of at least 2,000 accelerators and
            from a source that does not contradict itself; the spread between fleets is taken over these.
        provenance: how near the reading is to the source: "paper", "quoted", "second-hand", "repository", "derived".
    """

    run: str
    component: str
    category: str | None = None
    accelerator: str | None = None
    accelerator_family: str | None = None
    interruptions: int | None = None
    devices: int | None = None
    jobs: int | None = None
    duration_seconds: float | None = None
    mean_time_between_failures_seconds: float | None = None
    failures_per_device_hour: float | None = None
    failures_per_part_hour: float | None = None
    devices_per_part: int | None = None
    is_fleet: bool = False
    provenance: str

    @property
    def rate_per_device_hour(self) -> float | None:
        """Failures for each device and hour: as stated, of its part, or from the counts; None where none is known."""
        if self.failures_per_device_hour is not None:
            return self.failures_per_device_hour
        if self.failures_per_part_hour is not None and self.devices_per_part:
            return self.failures_per_part_hour / self.devices_per_part
        if not self.devices:
            return None
        if self.mean_time_between_failures_seconds:
            return units.SECONDS_PER_HOUR / (self.mean_time_between_failures_seconds * self.devices)
        if self.interruptions is None or not self.duration_seconds:
            return None
        return self.interruptions / (self.devices * self.duration_seconds / units.SECONDS_PER_HOUR)


@cache
def entries() -> Mapping[str, Failure]:
    """Return all failure facts by id."""
    return read_facts(FILE, Failure)


def failures(run: str | None = None) -> tuple[Failure, ...]:
    """Return the failure facts, of one run where it is named (empty where it is not known)."""
    return tuple(entry for entry in entries().values() if run is None or entry.run == run)


@cache
def recovery() -> Mapping[str, Quantity]:
    """Return by id how jobs notice failures, save themselves and come back, and how much failure counts vary."""
    return read_facts(RECOVERY_FILE, Quantity)


@dataclass(frozen=True, kw_only=True)
class FailureTrace(Entry):
    """A public record of when servers failed and how long they were away.

    Attributes:
        file: of the events, beside this one, as CSV.
        nodes: servers that were watched, those without a fault included.
        devices_per_node: accelerators of one.
        duration_seconds: how long was watched.
    """

    file: str
    nodes: int
    devices_per_node: int
    duration_seconds: float

    @property
    def events(self) -> tuple[Fault, ...]:
        """The faults in the order of their begin."""
        return _faults(self.file)


@dataclass(frozen=True)
class Fault:
    """One fault of a trace.

    Attributes:
        node: number of the server.
        start_seconds: since the trace began.
        repair_seconds: until the server was back.
        component: what failed.
    """

    node: int
    start_seconds: float
    repair_seconds: float
    component: str


@cache
def traces() -> Mapping[str, FailureTrace]:
    """Return the public failure traces by id."""
    return read_facts(TRACES_FILE, FailureTrace)


def failure_trace(name: str) -> FailureTrace:
    """Return a trace.

    Raises:
        CatalogError: there is no such trace.
    """
    return find("failure-trace", name, traces())


@cache
def _faults(file: str) -> tuple[Fault, ...]:
    with (FACTS_FOLDER / file).open(encoding="utf-8", newline="") as lines:
        return tuple(
            Fault(
                node=int(row["node"]),
                start_seconds=float(row["start_day"]) * units.SECONDS_PER_DAY,
                repair_seconds=float(row["repair_days"]) * units.SECONDS_PER_DAY,
                component=row["class"],
            )
            for row in csv.DictReader(lines)
        )
