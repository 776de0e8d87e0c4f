"""The devices: enough of them, all alike, right and equally fast; and whether they add up together."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from headway.machine import children
from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

SELF_TEST_MODULE = "headway.training.engines.torch.self_test"
SELF_TEST_SECONDS = 120.0
"""How long the self-test may take, importing the framework included."""

SLOW_RATIO = 1.3
"""A device this much slower than the middle one holds all others up; less is noise on shared servers.

Source: Llama Team 2024 (arXiv:2407.21783), section 3.3.4: one slow device slows thousands; the threshold is ours.
"""


def devices(subject: Subject) -> Iterator[Finding]:
    """Count the accelerators, and compare them."""
    found = subject.inventory.accelerators
    if not subject.uses_accelerators:
        processor = subject.inventory.processor
        arguments: dict[str, str | int | float] = {
            "name": processor.model_name or "?",
            "cores": processor.usable_cores,
        }
        yield Finding(status="passed", message_id="preflight-devices-cpu", arguments=arguments)
        return
    wanted = min(subject.recipe.hardware.devices, subject.recipe.hardware.devices_per_node or 2**31)
    if len(found) < wanted and subject.recipe.hardware.devices_per_node is not None:
        yield Finding(
            status="failed", message_id="preflight-devices-few", arguments={"found": len(found), "wanted": wanted}
        )
    for what in ("name", "memory_bytes", "pci_bytes_per_second", "num_nvlinks", "power_limit_watts"):
        yield from _odd_ones(what, [getattr(device, what) for device in found])
    yield Finding(
        status="passed",
        message_id="preflight-devices",
        arguments={"count": len(found), "name": found[0].name or found[0].kind},
    )


def _odd_ones(what: str, values: list[Any]) -> Iterator[Finding]:
    """Name the devices that differ from most of the others."""
    if len(set(values)) < 2:
        return
    usual = Counter(values).most_common(1)[0][0]
    for index, value in enumerate(values):
        if value != usual:
            yield Finding(
                status="warning",
                message_id="preflight-device-odd",
                arguments={"what": what, "device": index, "value": str(value), "usual": str(usual)},
            )


def self_test(subject: Subject) -> Iterator[Finding]:
    """Multiply on every device and check the product; then add up over processes and check the sum."""
    ranks = max(2, min(subject.processes_here, 8))
    kind = "cuda" if subject.uses_accelerators else "cpu"
    outcome = children.run_module(
        SELF_TEST_MODULE,
        [kind, str(ranks), "multiply", "all_reduce"],
        threads=1,
        timeout_seconds=SELF_TEST_SECONDS,
    )
    for note in outcome.notes:
        yield Finding(status="failed", message_id=note.message_id, arguments=dict(note.arguments))
    multiplied = outcome.results.get("multiply")
    if multiplied is not None:
        yield from judge_products(multiplied)
    added = outcome.results.get("all_reduce")
    if added is not None:
        yield judge_sum(added)
    if multiplied is None and added is None and not outcome.notes:
        yield Finding(status="unknown", message_id="preflight-self-test-silent")


def judge_products(results: list[Mapping[str, Any]]) -> Iterator[Finding]:
    """Judge the products of each device.

    Args:
        results: ``device`` (name), ``wrong`` (how many of ``products`` were), ``flops_per_second`` (the best).
    """
    middle = statistics.median(result["flops_per_second"] for result in results)
    for result in results:
        name, rate = str(result["device"]), float(result["flops_per_second"])
        if result["wrong"]:
            yield Finding(
                status="failed",
                message_id="preflight-device-wrong",
                arguments={"device": name, "wrong": int(result["wrong"]), "products": int(result["products"])},
            )
        elif rate * SLOW_RATIO < middle:
            yield Finding(
                status="warning",
                message_id="preflight-device-slow",
                arguments={"device": name, "ratio": middle / rate, "flops_per_second": rate},
            )
    wrong = sum(bool(result["wrong"]) for result in results)
    if not wrong:
        yield Finding(
            status="passed",
            message_id="preflight-products",
            arguments={"count": len(results), "flops_per_second": middle},
        )


def judge_sum(result: Mapping[str, Any]) -> Finding:
    """Judge a sum over processes: ``right``, ``ranks``, ``bus_bytes_per_second``, ``backend``."""
    arguments: dict[str, str | int | float] = {
        "ranks": int(result["ranks"]),
        "backend": str(result["backend"]),
        "bytes_per_second": float(result["bus_bytes_per_second"]),
    }
    right = bool(result["right"])
    return Finding(
        status="passed" if right else "failed",
        message_id="preflight-sum" if right else "preflight-sum-wrong",
        arguments=arguments,
    )
