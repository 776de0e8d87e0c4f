"""Whether a job that stopped is started again: only where another start can help."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from headway.diagnosis.result import UNKNOWN
from headway.diagnosis.signature import signatures

TRANSIENT_AREAS = frozenset({"collective", "exit", "hardware", "network"})
"""A lost device, a broken connection and a hang may be gone at the next start, on this or another server."""

TRANSIENT = frozenset(
    {
        UNKNOWN,
        "cuda-launch-failure",
        "data-stall",
        "data-worker-killed",
        "evicted",
        "hub-unreachable",
        "illegal-memory-access",
        "input-output-error",
        "nan-gradient",
        "nan-loss",
        "nfs-silent",
        "nfs-stale",
        "node-failed",
        "object-store",
        "port-taken",
        "preempted",
        "probe-failed",
        "rate-limited",
        "segfault",
        "uncaught-exception",
    }
)
"""Causes of other areas that may be gone at the next start."""

LASTING = frozenset(
    {"collective-mismatch", "duplicate-device", "name-resolution", "nccl-version-mix", "network-interface"}
)
"""Causes of those areas that will be there again."""

ONCE = frozenset(
    {UNKNOWN, "uncaught-exception", "illegal-memory-access", "segfault", "nan-loss", "nan-gradient", "killed"}
)
"""Causes that are tried again while the job gets further: at the same step they would only return."""


TRANSIENT_MESSAGES = frozenset(
    {"checkpoint-not-finite", "checkpoint-part-missing", "data-url-unreachable", "run-locked"}
    | {"training-device-error", "training-loss-not-finite", "training-worker-killed"}
)
"""Errors of our own workers that may be gone at the next start: a flipped bit, a kill from outside, a lost device or
process, a store that did not answer, and workers of a killed supervisor that were still saving."""

SAID_BY_LOGS = frozenset(
    {"checkpoint-unwritable", "data-worker-killed", "run-unwritable", "training-preparation-failed"}
    | {"training-unforeseen", "training-worker-failed"}
)
"""Errors of our own workers that leave open why; every other one would be there again."""


@dataclass(frozen=True)
class Stop:
    """How an attempt ended.

    Attributes:
        cause: id of its root cause.
        step: the last step that was seen, where any was.
    """

    cause: str
    step: int | None


@dataclass(frozen=True)
class Decision:
    """What to do after an attempt.

    Attributes:
        again: start the job again.
        reason: id of the reason, for the message ``supervisor-reason-<reason>``.
    """

    again: bool
    reason: str


def decide(
    cause: str, step: int | None, before: Sequence[Stop], retries: int, *, message_id: str | None = None
) -> Decision:
    """Decide whether another start can help.

    Args:
        cause: id of why the attempt ended, as its logs tell.
        step: the last step that it reached.
        before: how the attempts before ended, in order.
        retries: how many more starts are allowed in all.
        message_id: of the error that a worker of ours named, which is surer than what logs tell.
    """
    if message_id in TRANSIENT_MESSAGES:
        lasts = False
    elif message_id is None or message_id in SAID_BY_LOGS:
        lasts = not is_transient(cause)
    else:
        lasts = True
    if lasts:
        return Decision(False, "lasting")
    # That two were killed before their first step says nothing of why.
    is_evidence = step is not None or cause != "killed"
    if cause in ONCE and is_evidence and before and before[-1] == Stop(cause, step):
        return Decision(False, "repeated")
    if len(before) >= retries:
        return Decision(False, "retries")
    return Decision(True, "transient")


def is_transient(cause: str) -> bool:
    """Say whether a cause may be gone at the next start."""
    if cause in TRANSIENT:
        return True
    known = signatures().get(cause)
    return known is not None and known.area in TRANSIENT_AREAS and cause not in LASTING
