"""Events of devices: processors from a folder made by hand, and an NVIDIA device from a mock of NVML."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headway.telemetry.device_events import DeviceEvent, NvidiaReader, ProcessorReader, nvidia_reader


def write(root: Path, name: str, value: Any) -> None:
    file = root / "sys/devices/system" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(f"{value}\n")


def test_only_what_is_new_counts(tmp_path: Path) -> None:
    write(tmp_path, "edac/mc/mc0/ce_count", 7)
    write(tmp_path, "edac/mc/mc0/ue_count", 0)
    write(tmp_path, "edac/mc/mc1/ce_count", "odd")
    write(tmp_path, "cpu/cpu3/thermal_throttle/core_throttle_count", 100)
    write(tmp_path, "cpu/cpufreq/thermal_throttle/core_throttle_count", 1)
    reader = ProcessorReader(tmp_path)
    assert reader.read() == []
    write(tmp_path, "edac/mc/mc0/ce_count", 9)
    write(tmp_path, "edac/mc/mc0/ue_count", 1)
    write(tmp_path, "cpu/cpu3/thermal_throttle/core_throttle_count", 104)
    assert reader.read() == [
        DeviceEvent(device="mc0", kind="corrected", count=2),
        DeviceEvent(device="mc0", kind="uncorrectable", count=1),
        DeviceEvent(device="cpu3", kind="thermal", count=4),
    ]
    assert reader.read() == []


def test_a_machine_that_tells_nothing_has_no_events(tmp_path: Path) -> None:
    assert ProcessorReader(tmp_path).read() == []
    assert ProcessorReader().read() == []


class NVMLError(Exception):
    """As NVML raises it, for instance where no event waits."""


class MockNvml:
    """A mock of the module ``pynvml`` with one device: there is none on a machine that tests run on."""

    NVMLError = NVMLError
    NVML_MEMORY_ERROR_TYPE_CORRECTED, NVML_MEMORY_ERROR_TYPE_UNCORRECTED, NVML_VOLATILE_ECC = 0, 1, 0
    nvmlEventTypeXidCriticalError = 8  # noqa: N815
    nvmlClocksThrottleReasonHwThermalSlowdown = 64  # noqa: N815
    nvmlClocksThrottleReasonSwThermalSlowdown = 32  # noqa: N815
    nvmlClocksThrottleReasonHwPowerBrakeSlowdown = 128  # noqa: N815

    def __init__(self, *, has_events: bool = True) -> None:
        self.errors = {0: 5, 1: 0}
        self.xids: list[int] = []
        self.reasons = 4
        self.has_events = has_events

    def nvmlDeviceGetHandleByUUID(self, uuid: str) -> str:  # noqa: N802
        return uuid

    def nvmlDeviceGetTotalEccErrors(self, _handle: str, kind: int, _counter: int) -> int:  # noqa: N802
        if kind not in self.errors:
            raise NVMLError
        return self.errors[kind]

    def nvmlEventSetCreate(self) -> str:  # noqa: N802
        if not self.has_events:
            raise NVMLError
        return "events"

    def nvmlDeviceRegisterEvents(self, *_: Any) -> None:  # noqa: N802
        pass

    def nvmlEventSetWait_v2(self, _events: str, _milliseconds: int) -> Any:  # noqa: N802
        if not self.xids:
            raise NVMLError
        return type("Data", (), {"eventData": self.xids.pop(0)})

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, _handle: str) -> int:  # noqa: N802
        return self.reasons


def test_an_accelerator_tells_of_errors_xids_heat_and_power() -> None:
    nvml = MockNvml()
    reader = NvidiaReader(nvml, "GPU-1")
    assert reader.read() == [], "a cap on power is the usual state at work"
    nvml.errors, nvml.xids, nvml.reasons = {0: 6, 1: 2}, [31, 79], 64 | 128
    assert reader.read() == [
        DeviceEvent(device="GPU-1", kind="corrected", count=1),
        DeviceEvent(device="GPU-1", kind="uncorrectable", count=2),
        DeviceEvent(device="GPU-1", kind="xid", code=31),
        DeviceEvent(device="GPU-1", kind="uncorrectable", code=79),
        DeviceEvent(device="GPU-1", kind="thermal"),
        DeviceEvent(device="GPU-1", kind="power"),
    ]
    nvml.reasons = 0
    assert reader.read() == []


def test_a_device_without_such_counters_tells_what_it_has() -> None:
    nvml = MockNvml(has_events=False)
    nvml.errors = {}
    nvml.reasons = 32
    assert [event.kind for event in NvidiaReader(nvml, "GPU-1").read()] == ["thermal"]


@pytest.mark.parametrize("uuid", [None, "GPU-not-here"])
def test_no_device_has_no_reader(uuid: str | None) -> None:
    assert nvidia_reader(uuid) is None
