import pytest

from headway import catalog
from headway.errors import PlanError
from headway.i18n import Translator
from headway.planning.analytic.hardware import hardware


def test_a_server_and_its_network() -> None:
    found = hardware("h100", devices=64, network="infiniband-ndr400")
    assert (found.devices_per_node, found.domain_devices) == (8, 8)
    assert found.up_bytes_per_second == 450e9
    assert found.out_bytes_per_second == 50e9
    assert hardware("h100", devices=64, out_bytes_per_second=1e9).out_bytes_per_second == 1e9


def test_a_network_that_nobody_names_is_assumed_as_usual_and_never_faster() -> None:
    usual = hardware("h100", devices=64)
    assert (usual.out_bytes_per_second, usual.assumes_network) == (50e9, True)
    assert hardware("h100", devices=64, network="roce-400gbe").assumes_network is False
    # Nobody states the usual network of these: a server of eight has 100 Gb/s.
    assert hardware("l40s", devices=64).out_bytes_per_second == 12.5e9 / 8
    assert hardware("rtx-4090", devices=4, devices_per_node=1).out_bytes_per_second == 12.5e9 / 8
    fastest = max(network.port_bytes_per_second or 0.0 for network in catalog.networks.entries().values())
    for entry in catalog.accelerators.entries().values():
        assert (entry.usual_out_bytes_per_second or 0.0) <= fastest


@pytest.mark.parametrize("name", ["nvlink-4", "pcie-5-x16", "nvlink-c2c", "tpu-v5p-ici"])
def test_a_link_inside_servers_is_no_network_between_them(name: str) -> None:
    with pytest.raises(PlanError) as caught:
        hardware("h100", devices=64, network=name)
    assert caught.value.message_id == "plan-network-inside-server"
    assert "infiniband-ndr400" in caught.value.arguments["possible"]
    assert name not in caught.value.arguments["possible"]


def test_a_rack_is_one_domain_of_small_servers() -> None:
    found = hardware("gb200", devices=256)
    # 256 devices take 64 of each of four racks of 72; 576 take whole racks.
    assert (found.devices_per_node, found.domain_devices) == (4, 64)
    assert hardware("gb200", devices=576).domain_devices == 72
    assert hardware("gb200", devices=8).domain_devices == 8
    # No number of servers divides 17 evenly.
    assert hardware("h100", devices=17, devices_per_node=8).domain_devices == 8


def test_devices_without_a_link_meet_over_the_bus() -> None:
    found = hardware("rtx-4090", devices=8)
    assert (found.devices_per_node, found.domain_devices) == (8, 8)
    assert found.up_bytes_per_second == 31e9


def test_rates_by_format() -> None:
    found = hardware("h100", devices=1)
    share = catalog.efficiency_of("h100-sxm-80gb")
    assert share is not None
    assert found.product_flops_per_second("bf16") == share.matmul_16bit_efficiency * 989e12
    assert share is not None
    assert share.matmul_8bit_efficiency is not None
    assert found.product_flops_per_second("mxfp8") == share.matmul_8bit_efficiency * 1979e12
    # TF32 is another format, whatever the device could do: what the data sheet states as FP32 is 67 TFLOP/s.
    assert found.peak_flops_per_second("fp32") == 67e12
    assert found.peak_flops_per_second("tf32") == 494.5e12
    assert found.product_flops_per_second("fp32") == share.matmul_16bit_efficiency * 67e12
    assert found.memory_bytes_per_second == share.memory_efficiency * 3350e9
    for precision in ("nvfp4",):
        with pytest.raises(PlanError) as caught:
            found.product_flops_per_second(precision)
        assert caught.value.message_id == "plan-rate-unknown"
    for accelerator, precision in (("a100", "fp8"), ("v100", "tf32"), ("tpu-v5p", "fp32")):
        with pytest.raises(PlanError):
            hardware(accelerator, devices=1).product_flops_per_second(precision)


def test_what_nobody_knows_is_an_error() -> None:
    unknown = next(
        entry.id for entry in catalog.accelerators.entries().values() if entry.memory_bytes_per_second is None
    )
    with pytest.raises(PlanError) as caught:
        hardware(unknown, devices=1)
    assert caught.value.message_id == "plan-bandwidth-unknown"
    # Nobody published trainings on it, so that its shares are not known.
    with pytest.raises(PlanError) as caught:
        hardware("gaudi2", devices=1)
    assert caught.value.message_id == "plan-efficiency-unknown"
    assert "h100-sxm-80gb" in str(caught.value.arguments["known"])


def test_a_format_without_a_rate_names_those_that_have_one() -> None:
    with pytest.raises(PlanError) as refused:
        hardware("v100", devices=8).peak_flops_per_second("bf16")
    assert str(refused.value.arguments["known"]).split(", ")[0] == "fp16"
    assert "fp16" in Translator("en").next_step("plan-rate-unknown", **refused.value.arguments)
