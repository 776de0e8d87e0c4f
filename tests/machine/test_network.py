from collections.abc import Callable
from pathlib import Path

from headway.machine.network import NetworkInterface, read_network


def test_interfaces_and_ports(tree: Callable[..., Path]) -> None:
    root = tree(
        {
            "sys/class/net/lo/operstate": "unknown",
            "sys/class/net/eth0/operstate": "up\n",
            "sys/class/net/eth0/speed": "100000\n",
            "sys/class/net/eth0/device/vendor": "0x15b3",
            "sys/class/net/eth1/operstate": "down\n",
            "sys/class/net/eth1/speed": "-1\n",
            "sys/class/net/docker0/operstate": "lowerlayerdown",
            "sys/class/net/docker0/speed": "4294967295",
            "sys/class/net/tun0/operstate": "unknown",
            "sys/class/net/bonding_masters": "",
            "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
            "sys/class/infiniband/mlx5_0/ports/1/rate": "400 Gb/sec (4X NDR)\n",
            "sys/class/infiniband/mlx5_0/ports/1/link_layer": "InfiniBand\n",
            "sys/class/infiniband/mlx5_1/ports/1/state": "1: DOWN\n",
            "sys/class/infiniband/mlx5_1/ports/1/link_layer": "Ethernet\n",
            "sys/class/infiniband/mlx5_2/ports/1/rate": "10 Gb/sec\n",
        }
    )
    assert read_network(root) == (
        NetworkInterface(name="docker0", kind="virtual", up=False),
        NetworkInterface(name="eth0", kind="ethernet", up=True, line_bytes_per_second=12.5e9),
        NetworkInterface(name="eth1", kind="virtual", up=False),
        NetworkInterface(name="tun0", kind="virtual", up=None),
        NetworkInterface(name="mlx5_0:1", kind="infiniband", up=True, line_bytes_per_second=50e9),
        NetworkInterface(name="mlx5_1:1", kind="roce", up=False),
    )


def test_nothing_there(tree: Callable[..., Path]) -> None:
    assert read_network(tree({})) == ()


def test_this_machine() -> None:
    names = {path.name for path in Path("/sys/class/net").iterdir() if (path / "operstate").exists()}
    assert names - {"lo"} <= {interface.name for interface in read_network()}
