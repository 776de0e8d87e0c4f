"""Whether another start can help."""

from __future__ import annotations

import pytest

from headway.diagnosis.result import UNKNOWN
from headway.diagnosis.signature import signatures
from headway.i18n import Translator
from headway.resilience.supervisor.deciding import (
    LASTING,
    ONCE,
    SAID_BY_LOGS,
    TRANSIENT,
    TRANSIENT_MESSAGES,
    Stop,
    decide,
    is_transient,
)


@pytest.mark.parametrize(
    "cause", ["gpu-lost", "preempted", "network-retries", "collective-timeout", "xid-119", "killed"]
)
def test_what_may_be_gone_is_tried_again(cause: str) -> None:
    assert decide(cause, 5, [], 3).again


@pytest.mark.parametrize("cause", ["disk-full", "device-memory", "bad-row", "collective-mismatch", "driver-too-old"])
def test_what_stays_is_not(cause: str) -> None:
    assert decide(cause, 5, [], 3).reason == "lasting"


def test_an_exception_is_tried_again_while_the_job_gets_further() -> None:
    before = [Stop("uncaught-exception", 5)]
    assert decide("uncaught-exception", 6, before, 9).again
    assert decide("uncaught-exception", 5, before, 9).reason == "repeated"
    assert decide("gpu-lost", 5, [Stop("gpu-lost", 5)], 9).again


def test_starts_are_counted() -> None:
    before = [Stop("gpu-lost", step) for step in range(3)]
    assert decide("gpu-lost", 9, before, 3).reason == "retries"
    assert decide("gpu-lost", 9, before, 4).again


def test_every_named_cause_exists() -> None:
    assert (TRANSIENT | LASTING | ONCE) - {UNKNOWN} <= set(signatures())
    assert not is_transient("no-such-cause")


def test_what_a_worker_names_is_surer_than_its_logs() -> None:
    assert decide("disk-full", 5, [], 3, message_id="training-worker-killed").again
    assert decide("killed", 5, [], 3, message_id="checkpoint-disk-full").reason == "lasting"
    assert decide("killed", 5, [], 3, message_id="training-out-of-memory").reason == "lasting"
    assert decide("gpu-lost", 5, [], 3, message_id="training-unforeseen").again
    assert decide("disk-full", 5, [], 3, message_id="run-unwritable").reason == "lasting"
    before = [Stop("nan-loss", 7)]
    assert decide("nan-loss", 7, before, 3, message_id="training-loss-not-finite").reason == "repeated"


def test_every_named_message_exists() -> None:
    translator = Translator("en")
    for message_id in TRANSIENT_MESSAGES | SAID_BY_LOGS:
        assert translator.has(message_id), message_id
