import os
import resource
from collections.abc import Callable
from pathlib import Path

import pytest

from headway.machine.control_groups import ControlGroupLimits
from headway.machine.limits import Limits, read_limits

NONE = ControlGroupLimits()
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max locked memory         65536                unlimited            bytes
Max open files            1024                 524288               files
"""


def test_a_container(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "proc/self/limits": LIMITS,
            "proc/self/mountinfo": "25 24 0:23 / /dev/shm rw - tmpfs shm rw,size=65536k\n",
            "proc/self/cgroup": "0::/system.slice/docker-abc.scope\n",
            "sys/class/powercap/intel-rapl:0/energy_uj": "123456\n",
        }
    )
    assert read_limits(ControlGroupLimits(cpu_quota_cores=1.5), root) == Limits(
        cpu_quota_cores=1.5,
        open_files=1024,
        open_files_hard=524288,
        locked_memory_bytes=65536,
        shared_memory_bytes=64 << 20,
        container="docker",
        rapl_readable=True,
    )


def test_unlimited_is_none(tree: Callable[..., Path]) -> None:
    text = "Max locked memory         unlimited            unlimited            bytes\n"
    assert read_limits(NONE, tree({"proc/self/limits": text})).locked_memory_bytes is None


@pytest.mark.parametrize(
    ("files", "environment", "expected"),
    [
        ({}, {}, None),
        ({}, {"KUBERNETES_SERVICE_HOST": "10.0.0.1"}, "kubernetes"),
        ({"proc/self/cgroup": "0::/kubepods/besteffort/pod1"}, {}, "kubernetes"),
        ({"proc/self/cgroup": "0::/machine.slice/libpod-1.scope"}, {}, "podman"),
        ({"proc/self/cgroup": "4:memory:/lxc/box"}, {}, "lxc"),
        ({"proc/self/cgroup": "0::/user.slice/session-1.scope"}, {}, None),
        ({".dockerenv": ""}, {}, "docker"),
        ({"run/.containerenv": ""}, {}, "podman"),
        ({"proc/1/environ": "PATH=/bin\0container=lxc\0"}, {}, "lxc"),
        ({"proc/1/environ": "container=systemd-nspawn\0"}, {}, "other"),
        ({"proc/1/environ": "mycontainer=docker\0"}, {}, None),
    ],
)
def test_containers(
    tree: Callable[..., Path], files: dict[str, str], environment: dict[str, str], expected: str | None
) -> None:
    assert read_limits(NONE, tree(files), environment).container == expected


def test_shared_memory_without_a_size_option_is_asked_of_the_file_system(tree: Callable[..., Path]) -> None:
    files = {"proc/self/mountinfo": "25 24 0:23 / /dev/shm rw - tmpfs shm rw\n"}
    root = tree(files)
    assert read_limits(NONE, root).shared_memory_bytes is None
    (root / "dev/shm").mkdir(parents=True)
    figures = os.statvfs(root)
    assert read_limits(NONE, root).shared_memory_bytes == figures.f_blocks * figures.f_frsize


def test_energy_counters_that_hold_nothing_are_not_readable(tree: Callable[..., Path]) -> None:
    assert read_limits(NONE, tree({"sys/class/powercap/intel-rapl:0/energy_uj": ""})).rapl_readable is False


def test_this_machine() -> None:
    limits = read_limits(NONE)
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    assert limits.open_files == (None if soft == resource.RLIM_INFINITY else soft)
    figures = os.statvfs("/dev/shm")
    assert limits.shared_memory_bytes in (None, figures.f_blocks * figures.f_frsize)
