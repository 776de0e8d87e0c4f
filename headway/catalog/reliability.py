"""How often training breaks: published counts and rates, by run and by component."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway import units
from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, read_facts

FILE = FACTS_FOLDER / "failures.toml"


@dataclass(frozen=True, kw_only=True)
class Failure(Entry):
    """One published count or rate.

    Attributes:
        run: the training or cluster that it was observed on; entries of one run share it.
        component: what failed, or "all".
        category: the source's own grouping.
        accelerator: the device that the run used, in the catalogue's id where it has one.
        interruptions: how often it happened.
        devices: accelerators that ran.
        jobs: jobs that were watched.
        duration_seconds: how long was watched.
        mean_time_between_failures_seconds: of all `devices` together, where the source states it.
        failures_per_device_hour: where the source states a rate; see `rate_per_device_hour`.
        failures_per_part_hour: the same for each part named by `component` (a machine, a cable).
        provenance: how near the reading is to the source: "paper", "quoted", "second-hand", "repository", "derived".
    """

    run: str
    component: str
    category: str | None = None
    accelerator: str | None = None
    interruptions: int | None = None
    devices: int | None = None
    jobs: int | None = None
    duration_seconds: float | None = None
    mean_time_between_failures_seconds: float | None = None
    failures_per_device_hour: float | None = None
    failures_per_part_hour: float | None = None
    provenance: str

    @property
    def rate_per_device_hour(self) -> float | None:
        """Failures for each device and hour: as stated, or from the counts, or None where neither is known."""
        if self.failures_per_device_hour is not None:
            return self.failures_per_device_hour
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
