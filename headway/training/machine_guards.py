"""The guards of a run that watch what it takes from the machine: speed, memory, disk, devices and data."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, final

from headway.machine.control_groups import read_control_groups
from headway.machine.memory import read_memory
from headway.recipe import Recipe
from headway.resilience.guards import Finding
from headway.resilience.guards.device_events import DeviceEvents
from headway.resilience.guards.disk import Disk
from headway.resilience.guards.memory_creep import MemoryCreep
from headway.resilience.guards.straggler import Straggler
from headway.resilience.guards.throughput import Throughput
from headway.runs import RunFolder
from headway.runs.goodput import WARM_UP_STEPS
from headway.telemetry.device_events import DeviceReader, ProcessorReader, nvidia_reader
from headway.telemetry.process import anonymous_bytes
from headway.training.engines import Engine
from headway.training.engines.base import StepResult
from headway.training.place import place_of
from headway.training.prefetch import Stalls

SAMPLE_SECONDS = 10.0
"""Between two looks at memory, disk and devices."""

_DATA_STALL = "data-stall"


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What is known of a step when it is done."""

    step: int
    """Optimizer steps done, this one included."""
    result: StepResult
    step_seconds: float
    data_seconds: float
    """How long it waited for its data; part of the step."""
    is_same: bool | None = None
    """Whether doing it twice gave the same bits; None where it was done once."""


@final
class MachineGuards:
    """Feeds the guards of one process.

    Args:
        recipe: the resolved recipe.
        run: the run's folder.
        engine: knows the device and the other processes.
        stalls: counts how long steps waited for their data.
        clock: that does not jump.
    """

    def __init__(
        self,
        *,
        recipe: Recipe,
        run: RunFolder,
        engine: Engine,
        stalls: Stalls,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        settings = self._settings = recipe.resilience.guards
        plan = run.plan()
        self._recipe, self._run, self._engine, self._clock = recipe, run, engine, clock
        self._stalls = stalls
        self._done = 0
        self._throughput = Throughput(
            settings.throughput,
            share=settings.throughput_share,
            planned_seconds=plan.get("time", {}).get("step_seconds_high"),
        )
        self._straggler = Straggler(
            settings.straggler, ratio=settings.straggler_ratio, windows=settings.straggler_windows
        )
        self._memory = MemoryCreep(settings.memory_creep)
        self._disk = Disk(settings.disk)
        self._device_events = DeviceEvents(settings.device_events)
        self._devices = _device_readers(engine) if settings.device_events != "off" else []
        self._last_sample = clock()
        self._waited_seconds = 0.0
        self.checkpoint_bytes: int | None = plan.get("storage", {}).get("checkpoint_bytes")
        """Of the next checkpoint, as far as is known."""
        self.save_seconds = 0.0
        """That the last checkpoint took."""

    def note_save(self, size_bytes: int, seconds: float) -> None:
        """Take in what the last checkpoint took: bytes, and seconds until it was safe."""
        self.checkpoint_bytes, self.save_seconds = size_bytes, seconds

    def take(self, seen: Seen) -> Iterable[Finding]:
        """Yield what the guards find after a step; all processes must ask."""
        stalls = self._stalls.add(seen.data_seconds, seen.step_seconds) and self._settings.data_stall != "off"
        if stalls:
            yield Finding(guard=_DATA_STALL, action="warn", arguments={"share": self._stalls.share})
        self._done += 1
        if self._done <= WARM_UP_STEPS:
            return
        found = [self._compared(seen), self._throughput.take(seen.step_seconds) if self._engine.is_first else None]
        if self._clock() - self._last_sample >= SAMPLE_SECONDS:
            self._last_sample = self._clock()
            found += self._samples(seen)
        yield from (one for one in found if one is not None)

    def _compared(self, seen: Seen) -> Finding | None:
        """Compare the processes, every so many steps."""
        self._waited_seconds += seen.data_seconds
        every = self._settings.straggler_every_steps
        if self._settings.straggler == "off" or seen.step % every:
            return None
        mean_wait, self._waited_seconds = self._waited_seconds / every, 0.0
        own = self._engine.probe_seconds()
        if own is None:
            return None
        return self._straggler.take(self._engine.gather(own + mean_wait))

    def _samples(self, seen: Seen) -> list[Finding | None]:
        now = self._clock()
        remaining_seconds = (self._recipe.num_steps - seen.step) * seen.step_seconds
        found: list[Finding | None] = [
            self._memory.take(
                now,
                **self._memory_now(),
                remaining_seconds=remaining_seconds,
                save_seconds=self.save_seconds + 2 * SAMPLE_SECONDS,
            )
        ]
        if self._engine.is_first:
            found.append(
                self._disk.take(
                    now,
                    free_bytes=self.free_bytes(),
                    checkpoint_bytes=self.checkpoint_bytes,
                    remaining_seconds=remaining_seconds,
                    sample_seconds=SAMPLE_SECONDS,
                )
            )
        events = [event for reader in self._devices for event in reader.read()]
        return [*found, *self._device_events.take(seen.step, events)]

    def free_bytes(self) -> int:
        """Return what is free on the disk that checkpoints go to."""
        return shutil.disk_usage(self._run.checkpoints_folder).free

    def _memory_now(self) -> dict[str, Any]:
        device = self._engine.device_memory_bytes()
        if device is not None:
            used_bytes, free_bytes = device
            return {"used_bytes": used_bytes, "room_bytes": free_bytes}
        limits = read_control_groups()
        return {"used_bytes": anonymous_bytes() or 0, "room_bytes": read_memory(limits).usable_bytes}


def _device_readers(engine: Engine) -> list[DeviceReader]:
    """Return the readers of what this process watches: its accelerator; in the first of a machine, its processors."""
    readers: list[DeviceReader] = [ProcessorReader()] if place_of(os.environ).local_rank == 0 else []
    accelerator = nvidia_reader(engine.device_uuid)
    return readers if accelerator is None else [*readers, accelerator]
