import pytest

from headway.catalog import cpu, names


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("epyc-9654", "cores", 96),
        ("epyc-9654", "memory_bytes_per_second", 460.8e9),
        ("AMD EPYC 9654 96-Core Processor", "memory_channels", 12),
        ("epyc-7763", "base_hertz", 2.45e9),
        ("Intel(R) Xeon(R) Platinum 8480+", "bf16_flops_per_second", 114.7e12),
        ("8480+", "power_watts", 350.0),
        ("xeon-6980p-mrdimm", "memory_bytes_per_second", 844.8e9),
        ("grace", "memory_capacity_bytes", 480 * 10**9),
    ],
)
def test_a_known_number(name, field, value):
    assert getattr(cpu(name), field) == value


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("8480+", "memory_channels"),
        ("8480+", "memory_bytes_per_second"),
        ("8480+", "fp32_flops_per_second"),
        ("epyc-9654", "bf16_flops_per_second"),
        ("epyc-9654", "memory_capacity_bytes"),
        ("grace", "base_hertz"),
        ("graviton4", "max_sockets"),
    ],
)
def test_what_nobody_verified_is_unknown(name, field):
    assert getattr(cpu(name), field) is None


def test_a_processor_known_only_from_memory_is_left_out():
    assert not [name for name in names("cpu") if name.startswith("ampereone")]
