from collections.abc import Callable
from pathlib import Path

import pytest

from headway.machine.control_groups import ControlGroupLimits, read_control_groups

MIB = 1 << 20


def test_version_2_takes_the_least_along_the_path(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "proc/self/cgroup": "0::/kubepods/pod1/main\n",
            "sys/fs/cgroup/kubepods/pod1/main/cpu.max": "400000 100000\n",
            "sys/fs/cgroup/kubepods/pod1/cpu.max": "150000 100000\n",
            "sys/fs/cgroup/kubepods/cpu.max": "max 100000\n",
            "sys/fs/cgroup/kubepods/pod1/main/memory.max": "max\n",
            "sys/fs/cgroup/kubepods/pod1/memory.max": str(512 * MIB),
            "sys/fs/cgroup/kubepods/pod1/memory.current": str(300 * MIB),
            "sys/fs/cgroup/kubepods/pod1/memory.stat": f"anon 1\ninactive_file {100 * MIB}\n",
        }
    )
    assert read_control_groups(root) == ControlGroupLimits(
        cpu_quota_cores=1.5, memory_limit_bytes=512 * MIB, memory_used_bytes=200 * MIB
    )


def test_version_1(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "proc/self/cgroup": "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n1:name=systemd:/x\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "200000\n",
            "sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/memory/memory.limit_in_bytes": str(1024 * MIB),
            "sys/fs/cgroup/memory/memory.usage_in_bytes": str(100 * MIB),
            "sys/fs/cgroup/memory/memory.stat": f"inactive_file 1\ntotal_inactive_file {40 * MIB}\n",
        }
    )
    assert read_control_groups(root) == ControlGroupLimits(
        cpu_quota_cores=2.0, memory_limit_bytes=1024 * MIB, memory_used_bytes=60 * MIB
    )


def test_both_versions_at_once(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "proc/self/cgroup": "1:cpu:/\n0::/\n",
            "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
            "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
            "sys/fs/cgroup/unified/cpu.max": "50000 100000\n",
        }
    )
    assert read_control_groups(root) == ControlGroupLimits(cpu_quota_cores=0.5)


def test_usage_that_cannot_be_read_is_unknown(tree: Callable[..., Path]) -> None:
    root = tree({"proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "1000000\n"})
    assert read_control_groups(root) == ControlGroupLimits(memory_limit_bytes=1000000)


@pytest.mark.parametrize("text", ["", "garbage", "0::/../../../etc\n", "1:cpu:/\n"])
@pytest.mark.parametrize("quota", ["max 100000", "0 0", "x y", "100000 0", ""])
def test_no_limit_is_none(tree: Callable[..., Path], text: str, quota: str) -> None:
    root = tree(
        {
            "proc/self/cgroup": text,
            "sys/fs/cgroup/cpu.max": quota,
            "sys/fs/cgroup/cpu/cpu.max": quota,
            "sys/fs/cgroup/memory.max": "9223372036854771712",
        }
    )
    assert read_control_groups(root) == ControlGroupLimits()
