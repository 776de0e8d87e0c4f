from collections.abc import Callable
from pathlib import Path

from headway.machine.caches import Caches, read_caches

KIB = 1024


def test_the_last_level_is_summed_over_sockets(xeon: Path) -> None:
    assert read_caches(tuple(range(8)), xeon) == Caches(
        l1_data_bytes=48 * KIB,
        l1_instruction_bytes=32 * KIB,
        l2_bytes=2048 * KIB,
        l3_bytes=61440 * KIB,
        last_level_total_bytes=2 * 61440 * KIB,
    )


def test_the_last_level_is_summed_over_core_complexes(epyc: Path) -> None:
    assert read_caches((0, 1, 2, 3), epyc).last_level_total_bytes == 2 * 32768 * KIB


def test_the_second_level_can_be_the_last(tree: Callable[..., Path], cpu_files: Callable[..., dict[str, str]]) -> None:
    root = tree(cpu_files(0, "0", 0, {"1 Data": ("32K", "0"), "2 Unified": ("512K", "0")}))
    caches = read_caches((0,), root)
    assert (caches.l3_bytes, caches.last_level_total_bytes) == (None, 512 * KIB)


def test_damage_is_unknown(tree: Callable[..., Path], cpu_files: Callable[..., dict[str, str]]) -> None:
    root = tree(cpu_files(0, "0", 0, {"1 Data": ("many", "0"), "x Unified": ("512K", "0")}))
    assert read_caches((0,), root) == Caches()
    assert read_caches((), root) == Caches()
