"""What devices report of their own faults: memory errors, Xids, heat and lack of power.

Sources: NVML API reference (``nvmlDeviceGetTotalEccErrors``, ``nvmlEventSetWait``, clocks event reasons); NVIDIA, "XID
Errors", for the numbers; Linux kernel documentation, ``edac`` (``ce_count`` and ``ue_count`` of memory controllers) and
``thermal_throttle`` counters of x86 processors.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, final

Kind = Literal["uncorrectable", "corrected", "xid", "thermal", "power"]

BAD_XIDS = frozenset({48, 64, 74, 79, 92, 94, 95, 119, 120, 140})
"""Xids after which results or the device cannot be trusted: uncorrectable memory errors (48, 94, 95, 140), rows that
could not be remapped (64), NVLink (74), off the bus (79), many memory errors (92), and its own processor (119, 120)."""


@dataclass(frozen=True, kw_only=True)
class DeviceEvent:
    """Something that a device has reported since the reading before."""

    device: str
    kind: Kind
    count: int = 1
    code: int = 0
    """Number of an Xid; 0 elsewhere."""


class DeviceReader(Protocol):
    """Reads the events of some devices."""

    def read(self) -> list[DeviceEvent]:
        """Return what is new since the reading before; nothing at the first one."""


@final
class ProcessorReader:
    """The processors and main memory of this machine.

    Args:
        root: the folder that holds ``sys``.
    """

    def __init__(self, root: Path = Path("/")) -> None:
        self._root = root
        self._before = dict(self._counts())

    def read(self) -> list[DeviceEvent]:
        """Return what is new; see `DeviceReader.read`."""
        now, before = dict(self._counts()), self._before
        self._before = now
        return [
            DeviceEvent(device=device, kind=kind, count=count - before[device, kind])
            for (device, kind), count in now.items()
            if count > before.get((device, kind), count)
        ]

    def _counts(self) -> Iterator[tuple[tuple[str, Kind], int]]:
        devices = self._root / "sys/devices/system"
        for controller in sorted(devices.glob("edac/mc/mc*")):
            for name, kind in (("ce_count", "corrected"), ("ue_count", "uncorrectable")):
                yield from _counted(controller.name, kind, controller / name)  # type: ignore[arg-type]
        for core in sorted(devices.glob("cpu/cpu[0-9]*")):
            yield from _counted(core.name, "thermal", core / "thermal_throttle/core_throttle_count")


@final
class NvidiaReader:
    """One NVIDIA device.

    Args:
        nvml: the module ``pynvml``, initialised.
        uuid: of the device.
    """

    def __init__(self, nvml: Any, uuid: str) -> None:
        self._nvml, self._name = nvml, uuid
        self._handle = nvml.nvmlDeviceGetHandleByUUID(uuid)
        self._before = self._errors()
        self._events: Any = None
        with suppress(nvml.NVMLError):
            # Not every device and not every container has them.
            events = nvml.nvmlEventSetCreate()
            nvml.nvmlDeviceRegisterEvents(self._handle, nvml.nvmlEventTypeXidCriticalError, events)
            self._events = events

    def read(self) -> list[DeviceEvent]:
        """Return what is new; see `DeviceReader.read`."""
        return [*self._new_errors(), *self._xids(), *self._slowdowns()]

    def _errors(self) -> dict[Kind, int]:
        kinds: dict[Kind, int] = {
            "corrected": self._nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED,
            "uncorrectable": self._nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED,
        }
        found: dict[Kind, int] = {}
        for kind, number in kinds.items():
            with suppress(self._nvml.NVMLError):
                # Since the driver was loaded: what an earlier job met is in the reading before.
                volatile = self._nvml.NVML_VOLATILE_ECC
                found[kind] = int(self._nvml.nvmlDeviceGetTotalEccErrors(self._handle, number, volatile))
        return found

    def _new_errors(self) -> Iterator[DeviceEvent]:
        now, before = self._errors(), self._before
        self._before = now
        for kind, count in now.items():
            if count > before.get(kind, count):
                yield DeviceEvent(device=self._name, kind=kind, count=count - before[kind])

    def _xids(self) -> Iterator[DeviceEvent]:
        while self._events is not None:
            try:
                data = self._nvml.nvmlEventSetWait_v2(self._events, 0)
            except self._nvml.NVMLError:
                # None is waiting.
                return
            code = int(data.eventData)
            yield DeviceEvent(device=self._name, kind="uncorrectable" if code in BAD_XIDS else "xid", code=code)

    def _slowdowns(self) -> Iterator[DeviceEvent]:
        nvml = self._nvml
        heat = nvml.nvmlClocksThrottleReasonHwThermalSlowdown | nvml.nvmlClocksThrottleReasonSwThermalSlowdown
        # A cap on power is the usual state of a device at work; a brake from outside is not.
        brake = nvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown
        with suppress(nvml.NVMLError):
            reasons = int(nvml.nvmlDeviceGetCurrentClocksThrottleReasons(self._handle))
            if reasons & heat:
                yield DeviceEvent(device=self._name, kind="thermal")
            if reasons & brake:
                yield DeviceEvent(device=self._name, kind="power")


def nvidia_reader(uuid: str | None) -> NvidiaReader | None:
    """Return the reader of a device, or None where there is none, or no driver that answers."""
    if uuid is None:
        return None
    try:
        import pynvml

        pynvml.nvmlInit()
        return NvidiaReader(pynvml, uuid)
    except Exception:
        return None


def _counted(device: str, kind: Kind, file: Path) -> Iterator[tuple[tuple[str, Kind], int]]:
    with suppress(OSError, ValueError):
        yield (device, kind), int(file.read_text(encoding="ascii"))
