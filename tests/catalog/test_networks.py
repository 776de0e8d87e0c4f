import pytest

from headway.catalog import network


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("nvlink-4", "bytes_per_second", 450e9),
        ("nvlink-5", "domain_devices", (8, 72)),
        ("nvlink-6", "announced", True),
        ("pcie5", "bytes_per_second", 63e9),
        ("ndr", "bytes_per_second", 50e9),
        ("infiniband-ndr400", "node_bytes_per_second", 400e9),
        ("edr", "latency_seconds", 0.5e-6),
        ("efa-v2", "ports_per_node", 32),
        ("efa-v2", "bytes_per_second", 12.5e9),
        ("tpu-v5p-ici", "domain_devices", (8960,)),
        ("gaudi2-roce", "role", "scale-up-and-out"),
        ("infiniband-ndr400", "domain_devices", ()),
    ],
)
def test_a_known_number(name, field, value):
    assert getattr(network(name), field) == value


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("infiniband-hdr200", "ports_per_node"),
        ("infiniband-hdr200", "node_bytes_per_second"),
        ("roce-400gbe", "ports_per_node"),
        ("roce-400gbe", "node_bytes_per_second"),
        ("gaudi3-roce", "bytes_per_second"),
    ],
)
def test_what_nobody_verified_is_unknown(name, field):
    assert getattr(network(name), field) is None
