from collections.abc import Callable
from pathlib import Path

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from headway.machine import take_inventory
from headway.machine.inventory import Inventory

READ = (
    "proc/cpuinfo",
    "proc/meminfo",
    "proc/self/cgroup",
    "proc/self/limits",
    "proc/self/mountinfo",
    "proc/self/status",
    "proc/1/environ",
    "etc/os-release",
    "sys/devices/system/cpu/online",
    "sys/devices/system/cpu/cpu0/cache/index0/level",
    "sys/devices/system/cpu/cpu0/cache/index0/size",
    "sys/devices/system/cpu/cpu0/cache/index0/type",
    "sys/devices/system/cpu/cpu0/topology/core_cpus_list",
    "sys/devices/system/cpu/cpu0/cpufreq/base_frequency",
    "sys/devices/system/node/node0/meminfo",
    "sys/devices/system/node/node0/cpulist",
    "sys/fs/cgroup/cpu.max",
    "sys/fs/cgroup/memory.max",
    "sys/fs/cgroup/memory.stat",
    "sys/class/net/eth0/operstate",
    "sys/class/net/eth0/speed",
    "sys/class/kfd/kfd/topology/nodes/1/properties",
    "sys/kernel/mm/transparent_hugepage/enabled",
)


def test_an_empty_root_is_unknown_throughout(tree: Callable[..., Path]) -> None:
    inventory = take_inventory(Path("/data"), tree({}))
    assert inventory.processor.model_name is None
    assert inventory.memory.total_bytes is None
    assert inventory.processor.usable_cores == 1
    assert inventory.network == inventory.accelerators == ()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from(READ), st.text(max_size=40) | st.sampled_from(["0", "-1", "0::/", "0-1"])))
def test_damaged_files_never_crash(tree: Callable[..., Path], files: dict[str, str]) -> None:
    root = tree({name: files.get(name, "") for name in READ})
    inventory = take_inventory(Path("/"), root)
    assert inventory.processor.usable_cores >= 1
    assert msgspec.json.decode(msgspec.json.encode(inventory), type=Inventory) == inventory


def test_recorded_servers_survive_json(xeon: Path) -> None:
    inventory = take_inventory(Path("/"), xeon)
    assert inventory.processor.num_sockets == 2
    assert msgspec.json.decode(msgspec.json.encode(inventory), type=Inventory) == inventory
