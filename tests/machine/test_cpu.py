import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from headway.machine.control_groups import ControlGroupLimits
from headway.machine.cpu import NumaNode, Processor, read_processor

NONE = ControlGroupLimits()
KIB = 1024


def test_two_socket_xeon(xeon: Path) -> None:
    processor = read_processor(NONE, xeon)
    assert processor.model_name == "Intel(R) Xeon(R) Gold 6454S @ 2.20GHz"
    assert processor.vendor == "GenuineIntel"
    assert (processor.num_sockets, processor.num_physical_cores, processor.num_logical_cores) == (2, 4, 8)
    assert processor.threads_per_core == 2.0
    assert processor.usable_cores == 4
    assert processor.numa_nodes == (
        NumaNode(index=0, logical_cores=(0, 1, 4, 5), memory_bytes=263975936 * KIB),
        NumaNode(index=1, logical_cores=(2, 3, 6, 7), memory_bytes=263975936 * KIB),
    )
    assert {"amx_bf16", "amx_int8", "amx_tile", "avx512_bf16", "avx512f", "f16c", "fma"} <= set(
        processor.instruction_sets
    )
    assert (processor.nominal_hertz, processor.maximum_hertz) == (2.2e9, 3.4e9)
    assert processor.virtualised is False


def test_epyc_with_two_numa_nodes(epyc: Path) -> None:
    processor = read_processor(NONE, epyc)
    assert (processor.num_sockets, processor.num_physical_cores, processor.threads_per_core) == (1, 4, 1.0)
    assert [node.logical_cores for node in processor.numa_nodes] == [(0, 1), (2, 3)]
    assert processor.virtualised is True
    assert processor.nominal_hertz is None
    assert "amx_bf16" not in processor.instruction_sets


def test_graviton(graviton: Path) -> None:
    processor = read_processor(NONE, graviton)
    assert (processor.model_name, processor.vendor, processor.architecture) == ("Neoverse-V1", "ARM", "aarch64")
    assert processor.instruction_sets == ("bf16", "fp16", "i8mm", "neon", "sve")
    assert processor.virtualised is True
    assert (processor.num_logical_cores, processor.numa_nodes) == (2, ())


def test_bare_metal_graviton(tree: Callable[..., Path]) -> None:
    files = {"sys/class/dmi/id/sys_vendor": "Amazon EC2", "sys/class/dmi/id/product_name": "c7g.metal"}
    assert read_processor(NONE, tree(files | {"proc/cpuinfo": "processor : 0\nFeatures : asimd"})).virtualised is False


@pytest.mark.parametrize(
    ("maker", "product", "expected"), [("QEMU", "", True), ("Google", "Google Compute Engine", True), ("", "", None)]
)
def test_virtualisation_by_the_firmware(
    tree: Callable[..., Path], maker: str, product: str, expected: bool | None
) -> None:
    files = {"sys/class/dmi/id/sys_vendor": maker, "sys/class/dmi/id/product_name": product}
    files["proc/cpuinfo"] = "processor : 0\nFeatures : asimd"
    assert read_processor(NONE, tree(files)).virtualised is expected


@pytest.mark.parametrize(
    ("allowed", "quota_cores", "expected"),
    [
        ("0-7", None, 4),
        ("0-3", None, 4),
        ("0,4", None, 1),
        ("0-1", None, 2),
        ("0-7", 2.9, 2),
        ("0-7", 0.5, 1),
        ("0-7", 64.0, 4),
        ("8-9", None, 1),
    ],
)
def test_usable_cores(
    tree: Callable[..., Path], xeon_files: dict[str, str], allowed: str, quota_cores: float | None, expected: int
) -> None:
    root = tree(xeon_files | {"proc/self/status": f"Cpus_allowed_list:\t{allowed}\n"})
    assert read_processor(replace(NONE, cpu_quota_cores=quota_cores), root).usable_cores == expected


def test_offline_processors_are_left_out(tree: Callable[..., Path], epyc_files: dict[str, str]) -> None:
    processor = read_processor(NONE, tree(epyc_files | {"sys/devices/system/cpu/online": "0-2"}))
    assert (processor.num_logical_cores, processor.num_allowed_logical_cores) == (3, 3)


def test_without_sysfs_cpuinfo_alone_serves(tree: Callable[..., Path], xeon_files: dict[str, str]) -> None:
    root = tree({"proc/cpuinfo": xeon_files["proc/cpuinfo"]})
    processor = read_processor(NONE, root)
    assert (processor.num_sockets, processor.num_logical_cores, processor.nominal_hertz) == (2, 8, 2.2e9)


def test_an_unknown_arm_part_stays_unknown(tree: Callable[..., Path]) -> None:
    root = tree({"proc/cpuinfo": "processor : 0\nCPU implementer : 0x41\nCPU part : 0xfff\n"})
    processor = read_processor(NONE, root)
    assert (processor.model_name, processor.vendor) == (None, "ARM")
    root = tree({"proc/cpuinfo": "processor : 0\nCPU implementer : what\nCPU part : 0x\n"})
    assert read_processor(NONE, root).vendor is None


@pytest.mark.parametrize("text", ["", "\x00\xff", "processor", "processor : many\nflags : avx2", ": : :\n\n::"])
def test_damage_is_unknown(tree: Callable[..., Path], text: str) -> None:
    assert read_processor(NONE, tree({"proc/cpuinfo": text})) == Processor()


def test_this_machine() -> None:
    processor = read_processor(NONE)
    assert processor.num_logical_cores == os.cpu_count()
    assert processor.num_allowed_logical_cores == len(os.sched_getaffinity(0))
    assert 1 <= processor.usable_cores <= len(os.sched_getaffinity(0))
    assert processor.architecture == os.uname().machine
    assert processor.instruction_sets
