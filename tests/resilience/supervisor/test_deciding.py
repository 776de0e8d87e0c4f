"""Whether another start can help."""

from __future__ import annotations

import pytest

from headway.diagnosis import Diagnosis
from headway.diagnosis.result import UNKNOWN
from headway.diagnosis.signature import signatures
from headway.resilience.supervisor.deciding import LASTING, ONCE, TRANSIENT, Stop, decide, is_transient


def told(cause: str) -> Diagnosis:
    return Diagnosis(cause, 0.9)


@pytest.mark.parametrize(
    "cause", ["gpu-lost", "preempted", "network-retries", "collective-timeout", "xid-119", "killed"]
)
def test_what_may_be_gone_is_tried_again(cause: str) -> None:
    assert decide(told(cause), 5, [], 3).again


@pytest.mark.parametrize("cause", ["disk-full", "device-memory", "bad-row", "collective-mismatch", "driver-too-old"])
def test_what_stays_is_not(cause: str) -> None:
    assert decide(told(cause), 5, [], 3).reason == "lasting"


def test_an_exception_is_tried_again_while_the_job_gets_further() -> None:
    before = [Stop("uncaught-exception", 5)]
    assert decide(told("uncaught-exception"), 6, before, 9).again
    assert decide(told("uncaught-exception"), 5, before, 9).reason == "repeated"
    assert decide(told("gpu-lost"), 5, [Stop("gpu-lost", 5)], 9).again


def test_starts_are_counted() -> None:
    before = [Stop("gpu-lost", step) for step in range(3)]
    assert decide(told("gpu-lost"), 9, before, 3).reason == "retries"
    assert decide(told("gpu-lost"), 9, before, 4).again


def test_every_named_cause_exists() -> None:
    assert (TRANSIENT | LASTING | ONCE) - {UNKNOWN} <= set(signatures())
    assert not is_transient("no-such-cause")
