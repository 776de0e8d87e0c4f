"""The accelerators: NVIDIA through NVML, AMD and Google through what the kernel shows. None is the normal case."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.machine import sources

_GOOGLE_PCI_VENDOR = "0x1ae0"
_TPU_NAMES = {
    "0x0027": "TPU v3", "0x005e": "TPU v4", "0x0062": "TPU v5p", "0x0063": "TPU v5e", "0x006f": "TPU v6e",
    "0x0076": "TPU7x",
}  # fmt: skip
"""PCI device -> name; v2 shares its number with v3. Source: JAX, jax/_src/hardware_utils.py."""

_AMD_VENDOR_NUMBER = "4098"


@dataclass(frozen=True, kw_only=True)
class Accelerator:
    """One accelerator as the operating system shows it."""

    index: int
    kind: str
    """``cuda``, ``rocm`` or ``tpu``."""
    name: str | None = None
    """As the driver names it; the catalogue finds its peak rates by this name."""
    memory_bytes: int | None = None
    power_limit_watts: float | None = None
    driver_version: str | None = None
    compute_capability: str | None = None
    """Of NVIDIA devices, such as ``9.0``."""
    pci_bytes_per_second: float | None = None
    """One way, by the generation and width that the device can have here; before protocol overhead."""
    num_nvlinks: int | None = None
    """Links that are up."""


def read_accelerators(
    root: Path = sources.ROOT, environment: Mapping[str, str] | None = None
) -> tuple[Accelerator, ...]:
    """Read the accelerators of this machine.

    Args:
        root: the folder that holds ``sys``; NVML is asked only where it is ``/``.
        environment: the environment variables; by default the process's own where ``root`` is ``/``, else none.
    """
    real = root == sources.ROOT
    if environment is None:
        environment = os.environ if real else {}
    return (*(_nvidia() if real else ()), *_amd(root), *_google(root, environment))


def _nvidia() -> tuple[Accelerator, ...]:
    try:
        import pynvml

        pynvml.nvmlInit()
    except Exception:
        # No package, no driver, or a driver that does not answer: all mean that nothing can be used.
        return ()
    try:
        count = _ask(pynvml.nvmlDeviceGetCount) or 0
        handles = [_ask(pynvml.nvmlDeviceGetHandleByIndex, index) for index in range(count)]
        return tuple(
            _nvidia_device(pynvml, index, handle) for index, handle in enumerate(handles) if handle is not None
        )
    finally:
        _ask(pynvml.nvmlShutdown)


def _nvidia_device(nvml: Any, index: int, handle: Any) -> Accelerator:
    memory = _ask(nvml.nvmlDeviceGetMemoryInfo, handle)
    power_milliwatts = _ask(nvml.nvmlDeviceGetEnforcedPowerLimit, handle)
    capability = _ask(nvml.nvmlDeviceGetCudaComputeCapability, handle)
    generation = _ask(nvml.nvmlDeviceGetMaxPcieLinkGeneration, handle)
    width = _ask(nvml.nvmlDeviceGetMaxPcieLinkWidth, handle)
    links = [_ask(nvml.nvmlDeviceGetNvLinkState, handle, link) for link in range(nvml.NVML_NVLINK_MAX_LINKS)]
    known_links = [state for state in links if state is not None]
    return Accelerator(
        index=index,
        kind="cuda",
        name=_ask(nvml.nvmlDeviceGetName, handle),
        memory_bytes=int(memory.total) if memory is not None else None,
        power_limit_watts=power_milliwatts / 1e3 if power_milliwatts is not None else None,
        driver_version=_ask(nvml.nvmlSystemGetDriverVersion),
        compute_capability=".".join(map(str, capability)) if capability is not None else None,
        pci_bytes_per_second=pci_bytes_per_second(generation, width),
        num_nvlinks=sum(1 for state in known_links if state) if known_links else None,
    )


def _ask(question: Callable[..., Any], *arguments: Any) -> Any:
    """Return NVML's answer, or None: devices support different subsets of its questions."""
    try:
        return question(*arguments)
    except Exception:
        return None


def pci_bytes_per_second(generation: int | None, width: int | None) -> float | None:
    """Return the rate of a PCI Express link, one way, after line coding and before packet overhead.

    Source: PCI Express Base Specification 6.0, 1.2: 2.5 GT/s and 5 GT/s with 8b/10b, 8 to 32 GT/s with 128b/130b,
    64 GT/s in flits (242 of 256 bytes).
    """
    lanes = {
        1: 2.5e9 * 8 / 10, 2: 5e9 * 8 / 10, 3: 8e9 * 128 / 130, 4: 16e9 * 128 / 130, 5: 32e9 * 128 / 130,
        6: 64e9 * 242 / 256,
    }  # fmt: skip
    if generation not in lanes or not width:
        return None
    return lanes[generation] * width / 8


def _amd(root: Path) -> tuple[Accelerator, ...]:
    driver = sources.read_text(root / "sys/module/amdgpu/version")
    found: list[Accelerator] = []
    for node in sources.children(root / "sys/class/kfd/kfd/topology/nodes"):
        properties = _pairs(sources.read_text(node / "properties"))
        # The driver lists the processors too, as nodes without vector units.
        if properties.get("vendor_id") != _AMD_VENDOR_NUMBER or properties.get("simd_count", "0") == "0":
            continue
        banks = [_pairs(sources.read_text(bank / "properties")) for bank in sources.children(node / "mem_banks")]
        sizes = [sources.parse_int(bank.get("size_in_bytes")) or 0 for bank in banks]
        found.append(
            Accelerator(
                index=len(found),
                kind="rocm",
                name=sources.read_text(node / "name") or _gfx_name(properties.get("gfx_target_version")),
                memory_bytes=sum(sizes) or None,
                driver_version=driver,
            )
        )
    return tuple(found)


def _pairs(text: str | None) -> dict[str, str]:
    return {parts[0]: parts[1] for line in (text or "").splitlines() if len(parts := line.split()) == 2}


def _gfx_name(version: str | None) -> str | None:
    # 90402 is gfx942: major, minor and stepping in decimal pairs, printed with a hexadecimal stepping.
    number = sources.parse_int(version)
    if not number:
        return None
    return f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"


def _google(root: Path, environment: Mapping[str, str]) -> tuple[Accelerator, ...]:
    found: list[Accelerator] = []
    for device in sources.children(root / "sys/bus/pci/devices"):
        number = sources.read_text(device / "device")
        # Google's network cards and disks have the same vendor: only known numbers are accelerators.
        if sources.read_text(device / "vendor") == _GOOGLE_PCI_VENDOR and number in _TPU_NAMES:
            found.append(Accelerator(index=len(found), kind="tpu", name=_TPU_NAMES[number]))
    if not found and environment.get("TPU_ACCELERATOR_TYPE"):
        # Inside some containers the PCI tree is hidden; the variable then is all that tells.
        return (Accelerator(index=0, kind="tpu", name=environment["TPU_ACCELERATOR_TYPE"]),)
    return tuple(found)
