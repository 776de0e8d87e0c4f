from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from headway.machine.control_groups import ControlGroupLimits
from headway.machine.memory import Memory, read_memory

NONE = ControlGroupLimits()
KIB = 1024


def test_a_server(xeon: Path) -> None:
    assert read_memory(NONE, xeon) == Memory(
        total_bytes=527951872 * KIB,
        available_bytes=419430400 * KIB,
        usable_bytes=419430400 * KIB,
        swap_total_bytes=8388608 * KIB,
        swap_used_bytes=388608 * KIB,
        num_huge_pages=16,
        num_free_huge_pages=4,
        huge_page_bytes=2048 * KIB,
        transparent_huge_pages="always",
    )


@pytest.mark.parametrize(
    ("limit_bytes", "used_bytes", "expected"),
    [(1000, 300, 700), (1000, None, 1000), (1000, 2000, 0), (1 << 59, 0, None)],
)
def test_the_control_group_bounds_what_is_usable(
    xeon: Path, limit_bytes: int, used_bytes: int | None, expected: int | None
) -> None:
    limits = ControlGroupLimits(memory_limit_bytes=limit_bytes, memory_used_bytes=used_bytes)
    memory = read_memory(limits, xeon)
    assert memory.usable_bytes == (memory.available_bytes if expected is None else expected)
    assert memory.cgroup_limit_bytes == limit_bytes


@pytest.mark.parametrize("text", ["", "MemTotal", "MemTotal: lots\nSwapTotal: -5 kB\n", "\xff"])
def test_damage_is_unknown(tree: Callable[..., Path], text: str) -> None:
    root = tree({"proc/meminfo": text, "sys/kernel/mm/transparent_hugepage/enabled": "always"})
    assert read_memory(NONE, root) == Memory()


def test_this_machine() -> None:
    memory = read_memory(NONE)
    assert memory.total_bytes == psutil.virtual_memory().total
    assert memory.available_bytes is not None and memory.available_bytes <= memory.total_bytes
