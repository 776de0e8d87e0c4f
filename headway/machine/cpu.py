"""The processors: what they are, what they can compute with, and how many this process may use."""

from __future__ import annotations

import math
import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from headway.machine import sources
from headway.machine.caches import Caches, read_caches
from headway.machine.control_groups import ControlGroupLimits

_INSTRUCTION_SETS = {
    "avx2": "avx2",
    "f16c": "f16c",
    "fma": "fma",
    "avx_vnni": "avx_vnni",
    "avx512f": "avx512f",
    "avx512_bf16": "avx512_bf16",
    "avx512_fp16": "avx512_fp16",
    "avx512_vnni": "avx512_vnni",
    "amx_tile": "amx_tile",
    "amx_bf16": "amx_bf16",
    "amx_fp16": "amx_fp16",
    "amx_int8": "amx_int8",
    "asimd": "neon",
    "asimdhp": "fp16",
    "bf16": "bf16",
    "i8mm": "i8mm",
    "sve": "sve",
    "sve2": "sve2",
}
"""The kernel's flag (x86 "flags", ARM "Features") -> our name; only those that matter for training.

Source: Linux, arch/x86/include/asm/cpufeatures.h; Documentation/arch/arm64/elf_hwcaps.rst.
"""

_ARM_IMPLEMENTERS = {
    0x41: "ARM", 0x46: "Fujitsu", 0x48: "HiSilicon", 0x4E: "NVIDIA", 0x61: "Apple", 0x6D: "Microsoft", 0xC0: "Ampere",
}  # fmt: skip
_ARM_PARTS = {
    (0x41, 0xD08): "Cortex-A72", (0x41, 0xD0C): "Neoverse-N1", (0x41, 0xD40): "Neoverse-V1",
    (0x41, 0xD49): "Neoverse-N2", (0x41, 0xD4F): "Neoverse-V2", (0x41, 0xD84): "Neoverse-V3",
    (0x41, 0xD8E): "Neoverse-N3", (0x46, 0x001): "A64FX", (0x48, 0xD01): "TaiShan-v110", (0xC0, 0xAC3): "Ampere-1",
}  # fmt: skip
"""Source: util-linux, sys-utils/lscpu-arm.c: the kernel prints numbers only."""


@dataclass(frozen=True, kw_only=True)
class NumaNode:
    """One memory domain: its processors and the memory next to them."""

    index: int
    logical_cores: tuple[int, ...] = ()
    memory_bytes: int | None = None


@dataclass(frozen=True, kw_only=True)
class Processor:
    """The processors of the machine."""

    model_name: str | None = None
    vendor: str | None = None
    architecture: str | None = None
    num_sockets: int | None = None
    num_physical_cores: int | None = None
    num_logical_cores: int | None = None
    """Processors that are online; two per physical core where simultaneous multithreading is on."""
    num_allowed_logical_cores: int | None = None
    """Processors on which this process may run (its affinity)."""
    usable_cores: int = 1
    """The number of threads to compute with: allowed physical cores, but no more than the CPU quota, at least one."""
    numa_nodes: tuple[NumaNode, ...] = ()
    caches: Caches = field(default_factory=Caches)
    instruction_sets: tuple[str, ...] = ()
    nominal_hertz: float | None = None
    """The base frequency, as the driver or the model's name gives it."""
    maximum_hertz: float | None = None
    virtualised: bool | None = None
    """Whether a hypervisor runs below the kernel."""

    @property
    def threads_per_core(self) -> float | None:
        """Return logical cores per physical core."""
        if not self.num_logical_cores or not self.num_physical_cores:
            return None
        return self.num_logical_cores / self.num_physical_cores


def read_processor(limits: ControlGroupLimits, root: Path = sources.ROOT) -> Processor:
    """Read what the kernel says about the processors.

    Args:
        limits: the control groups' limits; their CPU quota bounds ``usable_cores``.
        root: the folder that holds ``proc`` and ``sys``.
    """
    blocks = _cpuinfo_blocks(root)
    first = blocks[0] if blocks else {}
    online = _online(blocks, root)
    allowed = _allowed(online, root)
    flags = (first.get("flags") or first.get("Features") or "").split()
    core_of = {number: _core(number, root) for number in online}
    return Processor(
        model_name=first.get("model name") or _arm_name(first),
        vendor=first.get("vendor_id") or _arm_vendor(first),
        architecture=_architecture(root),
        num_sockets=_num_sockets(online, blocks, root),
        num_physical_cores=len(set(core_of.values())) or None,
        num_logical_cores=len(online) or None,
        num_allowed_logical_cores=len(allowed) or None,
        usable_cores=_usable_cores(len({core_of[number] for number in allowed}), limits.cpu_quota_cores),
        numa_nodes=_numa_nodes(root),
        caches=read_caches(online, root),
        instruction_sets=tuple(sorted({_INSTRUCTION_SETS[flag] for flag in flags if flag in _INSTRUCTION_SETS})),
        nominal_hertz=_nominal_hertz(first.get("model name"), root),
        maximum_hertz=_kilohertz(root, "cpuinfo_max_freq"),
        virtualised=_virtualised(flags, root),
    )


def _cpuinfo_blocks(root: Path) -> list[dict[str, str]]:
    text = sources.read_text(root / "proc/cpuinfo") or ""
    blocks = [sources.parse_fields(block) for block in re.split(r"\n\s*\n", text)]
    return [block for block in blocks if sources.parse_int(block.get("processor")) is not None]


def _online(blocks: list[dict[str, str]], root: Path) -> tuple[int, ...]:
    listed = sources.parse_cpu_list(sources.read_text(root / "sys/devices/system/cpu/online"))
    return listed or tuple(sorted({int(block["processor"].split()[0]) for block in blocks}))


def _allowed(online: tuple[int, ...], root: Path) -> tuple[int, ...]:
    status = sources.parse_fields(sources.read_text(root / "proc/self/status"))
    allowed = sources.parse_cpu_list(status.get("Cpus_allowed_list"))
    if not allowed and root == sources.ROOT:
        allowed = tuple(os.sched_getaffinity(0))
    return tuple(number for number in online if number in set(allowed)) if allowed else online


def _core(number: int, root: Path) -> tuple[int, ...]:
    """Return the logical processors that share a physical core: the identity of that core."""
    topology = root / f"sys/devices/system/cpu/cpu{number}/topology"
    for name in ("core_cpus_list", "thread_siblings_list"):
        siblings = sources.parse_cpu_list(sources.read_text(topology / name))
        if siblings:
            return siblings
    return (number,)


def _num_sockets(online: tuple[int, ...], blocks: list[dict[str, str]], root: Path) -> int | None:
    packages: set[int | str | None] = {
        sources.read_int(root / f"sys/devices/system/cpu/cpu{number}/topology/physical_package_id") for number in online
    }
    if packages <= {None}:
        packages = {block.get("physical id") for block in blocks}
    return len(packages - {None, -1}) or None


def _usable_cores(num_allowed_cores: int, quota_cores: float | None) -> int:
    bound = math.inf if quota_cores is None else math.floor(quota_cores + 1e-9)
    return int(max(1, min(num_allowed_cores, bound)))


def _numa_nodes(root: Path) -> tuple[NumaNode, ...]:
    nodes = []
    for folder in sources.children(root / "sys/devices/system/node", "node"):
        match = re.search(r"MemTotal:\s+(\d+) kB", sources.read_text(folder / "meminfo") or "")
        nodes.append(
            NumaNode(
                index=int(folder.name.removeprefix("node")),
                logical_cores=sources.parse_cpu_list(sources.read_text(folder / "cpulist")) or (),
                memory_bytes=int(match.group(1)) * 1024 if match else None,
            )
        )
    return tuple(nodes)


def _hexadecimal(text: str | None) -> int | None:
    match = re.fullmatch(r"0x([0-9a-fA-F]{1,8})", (text or "").strip())
    return int(match.group(1), 16) if match else None


def _arm_vendor(fields: dict[str, str]) -> str | None:
    return _ARM_IMPLEMENTERS.get(_hexadecimal(fields.get("CPU implementer")) or -1)


def _arm_name(fields: dict[str, str]) -> str | None:
    implementer, part = _hexadecimal(fields.get("CPU implementer")), _hexadecimal(fields.get("CPU part"))
    return _ARM_PARTS.get((implementer or -1, part if part is not None else -1))


def _architecture(root: Path) -> str | None:
    if root == sources.ROOT:
        return os.uname().machine
    return sources.read_text(root / "proc/sys/kernel/arch")


def _kilohertz(root: Path, name: str) -> float | None:
    value = sources.read_int(root / "sys/devices/system/cpu/cpu0/cpufreq" / name)
    return value * 1e3 if value else None


def _nominal_hertz(model_name: str | None, root: Path) -> float | None:
    base_hertz = _kilohertz(root, "base_frequency")
    if base_hertz is not None:
        return base_hertz
    match = re.search(r"@\s*(\d+(?:\.\d+)?)\s*GHz", model_name or "")
    return float(match.group(1)) * 1e9 if match else None


def _virtualised(flags: list[str], root: Path) -> bool | None:
    if "hypervisor" in flags:
        return True
    product = sources.read_text(root / "sys/class/dmi/id/product_name") or ""
    maker = sources.read_text(root / "sys/class/dmi/id/sys_vendor") or ""
    if re.search(r"KVM|QEMU|Virtual|VMware|Bochs|Google Compute Engine", f"{maker} {product}", re.IGNORECASE):
        return True
    if maker == "Amazon EC2":
        return ".metal" not in product
    # x86 hypervisors set the flag; on ARM nothing does, so that only the firmware's names could tell.
    return False if flags and ("sse2" in flags or maker) else None
