"""Small recorded /proc and /sys trees."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

Tree = Callable[[Mapping[str, str]], Path]

XEON_FLAGS = (
    "fpu sse sse2 avx avx2 fma f16c avx512f avx512_vnni avx512_bf16 avx512_fp16 amx_bf16 amx_tile amx_int8 avx_vnni"
)
EPYC_FLAGS = "fpu sse sse2 hypervisor avx avx2 fma f16c avx512f avx512_bf16 avx512_vnni"
GRAVITON_FEATURES = "fp asimd evtstrm aes fphp asimdhp cpuid asimdrdm jscvt fcma sve i8mm bf16 dgh rng"

MEMINFO = """MemTotal:       527951872 kB
MemFree:         1048576 kB
MemAvailable:   419430400 kB
SwapTotal:       8388608 kB
SwapFree:        8000000 kB
HugePages_Total:      16
HugePages_Free:        4
Hugepagesize:       2048 kB
"""


def _cpu_files(number: int, siblings: str, package: int, caches: Mapping[str, tuple[str, str]]) -> dict[str, str]:
    """Return the topology and cache files of one logical processor; caches: "level kind" -> (size, shared list)."""
    base = f"sys/devices/system/cpu/cpu{number}"
    files = {
        f"{base}/topology/physical_package_id": f"{package}\n",
        f"{base}/topology/core_cpus_list": f"{siblings}\n",
    }
    for index, (name, (size, shared)) in enumerate(caches.items()):
        level, kind = name.split()
        folder = f"{base}/cache/index{index}"
        files |= {f"{folder}/level": level, f"{folder}/type": kind, f"{folder}/size": size}
        files[f"{folder}/shared_cpu_list"] = shared
    return files


def _xeon_files() -> dict[str, str]:
    """Two sockets of two cores with two threads each (a Sapphire Rapids server, cut down)."""
    files = {"sys/devices/system/cpu/online": "0-7\n", "proc/self/status": "Name:\tx\nCpus_allowed_list:\t0-7\n"}
    blocks = []
    for number in range(8):
        core, package = number % 4, number % 4 // 2
        siblings = f"{core},{core + 4}"
        blocks.append(
            f"processor\t: {number}\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6454S @ 2.20GHz\n"
            f"physical id\t: {package}\ncore id\t\t: {core % 2}\nflags\t\t: {XEON_FLAGS}\n"
        )
        shared = "0-1,4-5" if package == 0 else "2-3,6-7"
        caches = {
            "1 Data": ("48K", siblings),
            "1 Instruction": ("32K", siblings),
            "2 Unified": ("2048K", siblings),
            "3 Unified": ("61440K", shared),
        }
        files |= _cpu_files(number, siblings, package, caches)
    for node, cpus in enumerate(("0-1,4-5", "2-3,6-7")):
        base = f"sys/devices/system/node/node{node}"
        files |= {f"{base}/cpulist": cpus, f"{base}/meminfo": f"Node {node} MemTotal:  263975936 kB\n"}
    files |= {
        "proc/cpuinfo": "\n".join(blocks),
        "proc/meminfo": MEMINFO,
        "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "3400000\n",
        "sys/devices/system/cpu/cpu0/cpufreq/base_frequency": "2200000\n",
        "sys/class/dmi/id/sys_vendor": "Dell Inc.\n",
        "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
    }
    return files


def _epyc_files() -> dict[str, str]:
    """One virtual socket of four cores without threads, in two NUMA nodes with a last-level cache each."""
    files = {"sys/devices/system/cpu/online": "0-3\n", "proc/self/status": "Cpus_allowed_list:\t0-3\n"}
    block = "processor\t: {}\nvendor_id\t: AuthenticAMD\nmodel name\t: AMD EPYC 9654 96-Core Processor\nflags\t: {}\n"
    for number in range(4):
        own, shared = str(number), "0-1" if number < 2 else "2-3"
        caches = {"1 Data": ("32K", own), "2 Unified": ("1024K", own), "3 Unified": ("32768K", shared)}
        files |= _cpu_files(number, own, 0, caches)
    for node, cpus in enumerate(("0-1", "2-3")):
        base = f"sys/devices/system/node/node{node}"
        files |= {f"{base}/cpulist": cpus, f"{base}/meminfo": f"Node {node} MemTotal:  8388608 kB\n"}
    files["proc/cpuinfo"] = "\n".join(block.format(number, EPYC_FLAGS) for number in range(4))
    files["proc/meminfo"] = "MemTotal: 16777216 kB\nMemAvailable: 15000000 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n"
    return files


def _graviton_files() -> dict[str, str]:
    """A Graviton3 virtual machine with two processors: the kernel prints numbers instead of names."""
    block = (
        "processor\t: {}\nBogoMIPS\t: 2100.00\nFeatures\t: {}\nCPU implementer\t: 0x41\nCPU architecture: 8\n"
        "CPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: 1\n"
    )
    files = {
        "sys/devices/system/cpu/online": "0-1\n",
        "proc/cpuinfo": "\n".join(block.format(number, GRAVITON_FEATURES) for number in range(2)),
        "proc/sys/kernel/arch": "aarch64\n",
        "sys/class/dmi/id/sys_vendor": "Amazon EC2\n",
        "sys/class/dmi/id/product_name": "c7g.large\n",
    }
    for number in range(2):
        caches = {"1 Data": ("64K", str(number)), "2 Unified": ("1024K", str(number)), "3 Unified": ("32768K", "0-1")}
        files |= _cpu_files(number, str(number), 0, caches)
    return files


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    """Write files below a fresh root, and return the root."""

    def write(files: Mapping[str, str]) -> Path:
        root = tmp_path / "root"
        for name, text in files.items():
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        root.mkdir(exist_ok=True)
        return root

    return write


@pytest.fixture
def cpu_files() -> Callable[..., dict[str, str]]:
    return _cpu_files


@pytest.fixture
def xeon_files() -> dict[str, str]:
    return _xeon_files()


@pytest.fixture
def epyc_files() -> dict[str, str]:
    return _epyc_files()


@pytest.fixture
def xeon(tree: Tree, xeon_files: dict[str, str]) -> Path:
    return tree(xeon_files)


@pytest.fixture
def epyc(tree: Tree, epyc_files: dict[str, str]) -> Path:
    return tree(epyc_files)


@pytest.fixture
def graviton(tree: Tree) -> Path:
    return tree(_graviton_files())
