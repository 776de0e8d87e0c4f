"""What a diagnosis says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from headway.diagnosis.opening import Trouble
from headway.diagnosis.sighting import Sighting

UNKNOWN = "unknown"
HEALTHY = "healthy"

LONGEST_EVIDENCE = 1600
"""Letters of a line that are told; messages of accelerators without memory have up to a thousand."""


@dataclass(frozen=True)
class Evidence:
    """A line of a log that shows something.

    Attributes:
        signature: id of what it shows.
        file: name of the log.
        line: number of the line.
        rank: the rank that it happened on, where known.
        host: the machine, where known.
        time: seconds since 1970, where known.
        text: the line.
        count: how often the same was seen on this rank.
    """

    signature: str
    file: str
    line: int
    rank: int | None
    host: str | None
    time: float | None
    text: str
    count: int = 1

    @staticmethod
    def of(one: Sighting) -> Evidence:
        """Return the evidence that a sighting is."""
        half = LONGEST_EVIDENCE // 2
        text = one.text if len(one.text) <= LONGEST_EVIDENCE else f"{one.text[:half]} ... {one.text[-half:]}"
        return Evidence(one.signature, one.source, one.line, one.rank, one.host, one.time, text, one.count)


@dataclass(frozen=True)
class FirstFailure:
    """Where it began.

    Attributes:
        rank: the global rank, where known.
        host: the machine, where known.
        time: seconds since 1970, where known.
    """

    rank: int | None = None
    host: str | None = None
    time: float | None = None


@dataclass(frozen=True)
class Diagnosis:
    """The root cause of a failure, as logs show it.

    Attributes:
        cause: stable id of the root cause; ``unknown`` where nothing explains the failure, ``healthy`` where nothing
            failed. Its text is the message ``diagnosis-cause-<cause>``.
        confidence: the share of diagnoses of this kind that are right, 0 to 1.
        evidence: the lines that show it, the first one first.
        first_failure: the rank and machine that failed first.
        remedies: ids of what to do; their texts are ``diagnosis-remedy-<id>``.
        also_seen: ids of what else was seen, in order of time, each a consequence or a lesser finding.
        chain: ids from the root cause to what ended the run.
        numbers: figures read from the logs or worked out from them, by name, with their unit in the name.
        survived: ids of failures that the training went on after.
        troubles: what could not be read.
        logs: names of the logs that were read.
        read_bytes: bytes of them, expanded.
    """

    cause: str
    confidence: float
    evidence: tuple[Evidence, ...] = ()
    first_failure: FirstFailure = FirstFailure()
    remedies: tuple[str, ...] = ()
    also_seen: tuple[str, ...] = ()
    chain: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)
    survived: tuple[str, ...] = ()
    troubles: tuple[Trouble, ...] = ()
    logs: tuple[str, ...] = ()
    read_bytes: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return the diagnosis as plain data, as ``headway diagnose --json`` and the HTTP API give it."""
        return {
            "cause": self.cause,
            "confidence": round(self.confidence, 3),
            "first_failure": vars(self.first_failure).copy(),
            "evidence": [vars(one).copy() for one in self.evidence],
            "remedies": list(self.remedies),
            "also_seen": list(self.also_seen),
            "chain": list(self.chain),
            "numbers": dict(self.numbers),
            "survived": list(self.survived),
            "troubles": [{"id": one.message_id, "arguments": one.arguments} for one in self.troubles],
            "logs": list(self.logs),
            "read_bytes": self.read_bytes,
        }
