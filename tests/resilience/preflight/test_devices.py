from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from headway.machine.accelerators import Accelerator
from headway.resilience.preflight import devices
from headway.resilience.preflight.subject import Subject

Make = Callable[..., Subject]


def gpu(index: int, **fields: Any) -> Accelerator:
    return Accelerator(
        index=index,
        kind="cuda",
        **{"name": "NVIDIA H100 80GB HBM3", "memory_bytes": 80 * 10**9, "num_nvlinks": 18, **fields},
    )


def test_equal_devices_pass(subject: Make) -> None:
    hardware = {"accelerator": "auto", "devices": 4, "devices_per_node": 4}
    found = subject({"hardware": hardware}, inventory={"accelerators": tuple(map(gpu, range(4)))})
    (finding,) = devices.devices(found)
    assert (finding.status, finding.arguments["count"]) == ("passed", 4)


def test_a_lost_device_and_an_odd_one_are_named(subject: Make) -> None:
    accelerators = (gpu(0), gpu(1, num_nvlinks=17), gpu(2))
    hardware = {"accelerator": "auto", "devices": 4, "devices_per_node": 4}
    found = list(devices.devices(subject({"hardware": hardware}, inventory={"accelerators": accelerators})))
    assert [finding.message_id for finding in found][:2] == ["preflight-devices-few", "preflight-device-odd"]
    assert found[1].arguments == {"what": "num_nvlinks", "device": 1, "value": "17", "usual": "18"}


def result(device: str, rate: float, wrong: int = 0) -> dict[str, Any]:
    return {"device": device, "wrong": wrong, "products": 5, "flops_per_second": rate}


def test_a_device_that_computes_wrong_fails() -> None:
    found = list(devices.judge_products([result("cuda:0", 1e12), result("cuda:1", 1e12, wrong=2)]))
    assert [(finding.status, finding.arguments["device"]) for finding in found] == [("failed", "cuda:1")]


@pytest.mark.parametrize(("rate", "slow"), [(0.8e12, False), (0.7e12, True)])
def test_a_device_that_is_slower_than_the_middle_one(rate: float, slow: bool) -> None:
    rates = [1e12, 1e12, rate]
    found = list(devices.judge_products([result(str(index), one) for index, one in enumerate(rates)]))
    assert ("preflight-device-slow" in [finding.message_id for finding in found]) == slow
    assert found[-1].message_id == "preflight-products"


@pytest.mark.parametrize(("right", "status"), [(True, "passed"), (False, "failed")])
def test_a_wrong_sum_fails(right: bool, status: str) -> None:
    judged = devices.judge_sum({"right": right, "ranks": 2, "backend": "gloo", "bus_bytes_per_second": 1e9})
    assert judged.status == status


def test_this_server_computes_right(subject: Make) -> None:
    found = list(devices.self_test(subject()))
    assert {finding.status for finding in found} <= {"passed", "warning"}
    assert {"preflight-products", "preflight-sum"} <= {finding.message_id for finding in found}


def test_a_self_test_that_dies_is_a_failure(subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "SELF_TEST_MODULE", "headway.no_such_module")
    (finding,) = devices.self_test(subject())
    assert (finding.status, finding.message_id) == ("failed", "machine-note-failed")
