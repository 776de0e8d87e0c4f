from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pynvml
import pytest

from headway.machine import accelerators
from headway.machine.accelerators import Accelerator, pci_bytes_per_second, read_accelerators


def test_no_accelerator(tree: Callable[..., Path]) -> None:
    assert read_accelerators(tree({})) == ()


def test_amd(tree: Callable[..., Path]) -> None:
    nodes = "sys/class/kfd/kfd/topology/nodes"
    root = tree(
        {
            f"{nodes}/0/properties": "cpu_cores_count 96\nsimd_count 0\nvendor_id 0\n",
            f"{nodes}/1/properties": "simd_count 1216\nvendor_id 4098\ngfx_target_version 90402\n",
            f"{nodes}/1/name": "ip discovery\n",
            f"{nodes}/1/mem_banks/0/properties": "heap_type 1\nsize_in_bytes 206141652992\n",
            f"{nodes}/2/properties": "simd_count 1216\nvendor_id 4098\ngfx_target_version 90010\n",
            f"{nodes}/3/properties": "simd_count 4\nvendor_id 4098\ndamaged line here\n",
            "sys/module/amdgpu/version": "6.8.5\n",
        }
    )
    first, second, third = read_accelerators(root)
    assert first == Accelerator(
        index=0, kind="rocm", name="ip discovery", memory_bytes=206141652992, driver_version="6.8.5"
    )
    assert (second.index, second.name, second.memory_bytes) == (1, "gfx90a", None)
    assert third.name is None


def test_tpu_but_not_the_network_card_of_the_same_vendor(tree: Callable[..., Path]) -> None:
    devices = "sys/bus/pci/devices"
    root = tree(
        {
            f"{devices}/0000:00:04.0/vendor": "0x1ae0\n",
            f"{devices}/0000:00:04.0/device": "0x0062\n",
            f"{devices}/0000:00:05.0/vendor": "0x1ae0\n",
            f"{devices}/0000:00:05.0/device": "0x0042\n",
            f"{devices}/0000:00:06.0/vendor": "0x8086\n",
            f"{devices}/0000:00:06.0/device": "0x0062\n",
        }
    )
    assert read_accelerators(root) == (Accelerator(index=0, kind="tpu", name="TPU v5p"),)


def test_tpu_named_by_the_environment_only(tree: Callable[..., Path]) -> None:
    found = read_accelerators(tree({}), {"TPU_ACCELERATOR_TYPE": "v5litepod-8"})
    assert found == (Accelerator(index=0, kind="tpu", name="v5litepod-8"),)


def test_this_machine_answers_as_its_driver_does() -> None:
    try:
        pynvml.nvmlInit()
        count = pynvml.nvmlDeviceGetCount()
    except pynvml.NVMLError:
        count = 0
    assert len([found for found in read_accelerators() if found.kind == "cuda"]) == count


class OneDevice:
    """NVML's answers for an H100 SXM, recorded; the library without a driver cannot give any."""

    NVML_NVLINK_MAX_LINKS = 18
    answers: dict[str, Any] = {
        "nvmlDeviceGetMemoryInfo": SimpleNamespace(total=85520809984),
        "nvmlDeviceGetEnforcedPowerLimit": 700000,
        "nvmlDeviceGetCudaComputeCapability": (9, 0),
        "nvmlDeviceGetMaxPcieLinkGeneration": 5,
        "nvmlDeviceGetMaxPcieLinkWidth": 16,
        "nvmlDeviceGetNvLinkState": 1,
        "nvmlDeviceGetName": "NVIDIA H100 80GB HBM3",
        "nvmlSystemGetDriverVersion": "550.54.15",
    }

    def __init__(self, refused: set[str]) -> None:
        self.refused = refused

    def __getattr__(self, name: str) -> Callable[..., Any]:
        assert hasattr(pynvml, name), f"NVML has no {name}"

        def answer(*arguments: Any) -> Any:
            if name in self.refused:
                raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
            return self.answers[name]

        return answer


def test_nvidia_device() -> None:
    assert accelerators._nvidia_device(OneDevice(set()), 0, object()) == Accelerator(
        index=0,
        kind="cuda",
        name="NVIDIA H100 80GB HBM3",
        memory_bytes=85520809984,
        power_limit_watts=700.0,
        driver_version="550.54.15",
        compute_capability="9.0",
        pci_bytes_per_second=32e9 * 128 / 130 * 16 / 8,
        num_nvlinks=18,
    )


def test_nvidia_device_that_supports_nothing() -> None:
    device = OneDevice(set(OneDevice.answers))
    assert accelerators._nvidia_device(device, 3, object()) == Accelerator(index=3, kind="cuda")


@pytest.mark.parametrize(
    ("generation", "width", "expected"),
    [(3, 16, 15.75e9), (4, 16, 31.5e9), (5, 16, 63.0e9), (6, 16, 121e9), (1, 1, 0.25e9)],
)
def test_pci_rates_are_the_published_ones(generation: int, width: int, expected: float) -> None:
    assert pci_bytes_per_second(generation, width) == pytest.approx(expected, rel=2e-3)


@pytest.mark.parametrize(("generation", "width"), [(None, 16), (9, 16), (4, None), (4, 0)])
def test_unknown_pci_rates(generation: int | None, width: int | None) -> None:
    assert pci_bytes_per_second(generation, width) is None
