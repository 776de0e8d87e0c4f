"""Numbers typed by hand from the vendors' figures, and the cells that nobody could verify."""

import pytest

from headway.catalog import accelerator
from headway.errors import CatalogError

GIB = 2**30


@pytest.mark.parametrize(
    ("name", "field", "value"),
    [
        ("h100", "bf16_dense_flops_per_second", 989e12),
        ("h100", "fp8_dense_flops_per_second", 1979e12),
        ("h100", "memory_bytes", 80 * GIB),
        ("h100", "memory_label", "80 GB"),
        ("h100", "memory_bytes_per_second", 3.35e12),
        ("h100", "scale_up_bytes_per_second", 450e9),
        ("h100", "scale_up_domain_devices", 8),
        ("h100", "power_watts", 700.0),
        ("h100", "measured_bf16_flops_per_second", 794.5e12),
        ("a100", "bf16_dense_flops_per_second", 312e12),
        ("a100", "memory_bytes_per_second", 2.039e12),
        ("a100-sxm-40gb", "memory_bytes", 40 * GIB),
        ("h200", "memory_bytes_per_second", 4.8e12),
        ("b200", "bf16_dense_flops_per_second", 2250e12),
        ("gb200", "scale_up_domain_devices", 72),
        ("gb200", "memory_bytes", 189471 * 2**20),
        ("gb200", "memory_basis", "visible"),
        ("l40s", "memory_bytes_per_second", 864e9),
        ("v100", "fp16_dense_flops_per_second", 125e12),
        ("mi300x", "bf16_dense_flops_per_second", 1307e12),
        ("mi300x", "memory_bytes", 192 * GIB),
        ("mi250x", "bf16_dense_flops_per_second", 383e12),
        ("gaudi3", "bf16_dense_flops_per_second", 1677e12),
        ("tpu-v5p", "bf16_dense_flops_per_second", 459e12),
        ("tpu-v5p", "scale_up_domain_devices", 8960),
        ("tpu-v4", "memory_bytes", 32 * GIB),
        ("trn2", "bf16_dense_flops_per_second", 667e12),
        ("rubin", "announced", True),
    ],
)
def test_a_known_number(name, field, value):
    assert getattr(accelerator(name), field) == value


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("a100-pcie-80gb", "launch_year"),
        ("h100-nvl", "int8_dense_operations_per_second"),
        ("h100-nvl", "scale_up_bytes_per_second"),
        ("h20", "fp8_dense_flops_per_second"),
        ("h20", "power_watts"),
        ("l4", "tf32_dense_flops_per_second"),
        ("a10g", "bf16_dense_flops_per_second"),
        ("a10g", "memory_bytes_per_second"),
        ("v100-pcie", "power_watts"),
        ("rtx-3090", "bf16_dense_flops_per_second"),
        ("rtx-5090", "bf16_dense_flops_per_second"),
        ("rtx-5090", "fp8_dense_flops_per_second"),
        ("gaudi3", "scale_up_bytes_per_second"),
        ("tpu-v4", "power_watts"),
        ("tpu-v7x", "memory_type"),
        ("ascend-910b", "memory_bytes_per_second"),
        ("ascend-910c", "memory_bytes"),
        ("ascend-910c", "scale_up_domain_devices"),
    ],
)
def test_what_nobody_verified_is_unknown(name, field):
    assert getattr(accelerator(name), field) is None


def test_a_device_without_a_public_source_is_left_out():
    with pytest.raises(CatalogError) as caught:
        accelerator("b100-sxm-192gb")
    assert caught.value.arguments["closest"] == "v100-sxm2-32gb"


def test_a_device_without_bfloat16_says_so():
    assert accelerator("v100").bf16_dense_flops_per_second is None


@pytest.mark.parametrize(
    "name", ["H100", " h100 ", "NVIDIA H100 80GB HBM3", "h100_sxm_80gb", "H100 SXM 80GB", "h100-sxm"]
)
def test_a_name_as_people_write_it(name):
    assert accelerator(name).id == "h100-sxm-80gb"
