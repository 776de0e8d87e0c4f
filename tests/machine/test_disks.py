import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from headway.machine.disks import read_disk

MOUNTS = """22 27 254:0 / / rw - ext4 /dev/vda rw
23 27 259:1 / /data rw - xfs /dev/nvme0n1p1 rw
24 27 8:1 / /slow rw - ext4 /dev/sda1 rw
25 27 8:16 / /fast rw - ext4 /dev/sdb rw
26 27 0:40 / /shared rw - nfs4 server:/export rw
27 27 0:41 / /data/tmp rw - tmpfs tmpfs rw
28 27 253:0 / /lvm rw - ext4 /dev/mapper/vg rw
29 27 253:1 / /mixed rw - ext4 /dev/mapper/mix rw
30 27 0:60 / /pool rw - btrfs /dev/sdb rw
31 27 0:61 / /layers rw - overlay overlay rw
32 27 8:32 / /strange rw - ext4 /dev/sdc rw
33 27 8:16 / /twice rw - ext4 /dev/sdb rw
34 27 0:41 / /twice rw - tmpfs tmpfs rw
"""

QUEUES = {
    "sys/dev/block/254:0/queue/rotational": "1",
    "sys/devices/nvme0n1/queue/rotational": "0",
    "sys/devices/nvme0n1/nvme0n1p1/partition": "1",
    "sys/devices/sda/queue/rotational": "1",
    "sys/devices/sda/sda1/partition": "1",
    "sys/devices/sdb/queue/rotational": "0",
    "sys/devices/sdc/queue/rotational": "damaged",
    "sys/devices/dm-0/queue/rotational": "0",
    "sys/devices/dm-1/queue/rotational": "0",
}
LINKS = {
    "sys/dev/block/259:1": "sys/devices/nvme0n1/nvme0n1p1",
    "sys/dev/block/8:1": "sys/devices/sda/sda1",
    "sys/dev/block/8:16": "sys/devices/sdb",
    "sys/dev/block/8:32": "sys/devices/sdc",
    "sys/dev/block/253:0": "sys/devices/dm-0",
    "sys/dev/block/253:1": "sys/devices/dm-1",
    "sys/devices/dm-0/slaves/sdb": "sys/devices/sdb",
    "sys/devices/dm-1/slaves/sdb": "sys/devices/sdb",
    "sys/devices/dm-1/slaves/sda": "sys/devices/sda",
    "sys/class/block/sdb": "sys/devices/sdb",
}


@pytest.fixture
def server(tree: Callable[..., Path]) -> Path:
    root = tree(QUEUES | {"proc/self/mountinfo": MOUNTS, "data/runs/x": ""})
    for link, target in LINKS.items():
        path = root / link
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(root / target)
    return root


@pytest.mark.parametrize(
    ("folder", "mount_point", "filesystem", "device"),
    [
        ("/home/me", "/", "ext4", "unknown"),
        ("/data/runs", "/data", "xfs", "nvme"),
        ("/database", "/", "ext4", "unknown"),
        ("/slow", "/slow", "ext4", "hdd"),
        ("/fast/a/b", "/fast", "ext4", "ssd"),
        ("/shared/x", "/shared", "nfs4", "network"),
        ("/data/tmp/x", "/data/tmp", "tmpfs", "tmpfs"),
        ("/lvm", "/lvm", "ext4", "ssd"),
        ("/mixed", "/mixed", "ext4", "unknown"),
        ("/pool", "/pool", "btrfs", "ssd"),
        ("/layers", "/layers", "overlay", "unknown"),
        ("/strange", "/strange", "ext4", "unknown"),
        ("/twice", "/twice", "tmpfs", "tmpfs"),
    ],
)
def test_the_device_below_a_folder(server: Path, folder: str, mount_point: str, filesystem: str, device: str) -> None:
    disk = read_disk(Path(folder), server)
    assert (disk.mount_point, disk.filesystem, disk.device) == (mount_point, filesystem, device)


def test_space_is_of_the_folder(server: Path) -> None:
    disk = read_disk(Path("/data/runs"), server)
    assert disk.total_bytes == shutil.disk_usage(server).total
    assert read_disk(Path("/absent"), server).free_bytes is None


def test_a_loop_of_links_is_unknown(tree: Callable[..., Path]) -> None:
    root = tree({"proc/self/mountinfo": "22 27 8:1 / / rw - ext4 /dev/sda rw\n", "sys/dev/block/x": ""})
    (root / "sys/dev/block/8:1").symlink_to(root / "sys/dev/block/8:1")
    assert read_disk(Path("/"), root).device == "unknown"


def test_without_mounts_all_is_unknown(tree: Callable[..., Path]) -> None:
    disk = read_disk(Path("/data"), tree({}))
    assert (disk.mount_point, disk.filesystem, disk.device) == (None, None, "unknown")


def test_this_machine(tmp_path: Path) -> None:
    disk = read_disk(tmp_path)
    assert disk.mount_point is not None and tmp_path.is_relative_to(disk.mount_point)
    assert disk.total_bytes == shutil.disk_usage(tmp_path).total
    assert read_disk(Path("/dev/shm")).device == "tmpfs"
