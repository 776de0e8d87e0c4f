"""What a run with a fault did, beside what it should have done."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from headway.resilience.checkpoint.damage import MANIFEST
from headway.resilience.drills.fault import Fault
from headway.resilience.drills.result import Reason, Result
from headway.resilience.drills.stage import Stage

CLEAN = "clean"
"""The name of the run without a fault."""


@dataclass(frozen=True, kw_only=True)
class Seen:
    """What was seen of a run from outside.

    Attributes:
        at: when the fault came, in seconds since 1970.
        done: steps that were in the log then.
        is_missed: the run ended before the fault could come.
        is_overdue: it took longer than any run should.
        is_by_hand_in_vain: a person had to start it again, where it should have started by itself.
    """

    at: float = 0.0
    done: int = 0
    is_missed: bool = False
    is_overdue: bool = False
    is_by_hand_in_vain: bool = False


def judged(fault: Fault, stage: Stage, clean: Stage, seen: Seen) -> Result:
    """Compare a run with what is promised of it, and with the clean run."""
    if seen.is_missed or seen.is_overdue:
        reason = "drill-reason-missed" if seen.is_missed else "drill-reason-overdue"
        broken = Reason(message_id=reason, arguments={"log": str(stage.log)})
        return Result(fault=fault.name, status="failed", reasons=(broken,))
    events, records = stage.run.events(), stage.records()
    detected = _detected_at(fault, events, seen.at)
    is_identical = weights_of(stage) == weights_of(clean)
    broken_promises = tuple(_broken(fault, stage, seen, is_detected=detected is not None, is_identical=is_identical))
    explained = () if is_identical or broken_promises else tuple(_passed_over(events))
    return Result(
        fault=fault.name,
        status="failed" if broken_promises else "passed",
        detected_seconds=None if detected is None else max(0.0, detected - seen.at),
        recovered_seconds=_recovered_after(events, records, seen.at, detected),
        repeated_steps=_repeated(records),
        is_identical=is_identical,
        reasons=broken_promises + explained,
    )


def _recovered_after(
    events: list[dict[str, Any]], records: list[dict[str, Any]], at: float, detected: float | None
) -> float | None:
    """Return the seconds from a fault to the first step beyond those before the run started again, or went back."""
    turns = [event["time"] for event in events if event["event"] in ("started", "resumed") and event["time"] >= at]
    turned = max([*turns, *([] if detected is None else [detected])], default=None)
    if turned is None:
        return None
    reached = max((record["step"] for record in records if record["time"] <= turned), default=0)
    later = (record["time"] - at for record in records if record["time"] > turned and record["step"] > reached)
    return next(later, None)


def weights_of(stage: Stage) -> dict[str, Any] | None:
    """Return size and SHA-256 of each file of arrays of the last checkpoint; None where there is none."""
    steps = stage.store.steps()
    if not steps:
        return None
    path = stage.store.path_of(steps[-1])
    try:
        listed = json.loads((path / MANIFEST).read_bytes())["files"]
    except (OSError, ValueError, KeyError):
        return None
    return {"step": steps[-1], **{name: told for name, told in listed.items() if name.endswith(".safetensors")}}


def _broken(fault: Fault, stage: Stage, seen: Seen, *, is_detected: bool, is_identical: bool) -> Iterator[Reason]:
    log = {"log": str(stage.log)}
    if not stage.is_finished():
        yield Reason(message_id="drill-reason-not-finished", arguments=log)
        return
    if fault.signs and not is_detected:
        yield Reason(message_id="drill-reason-not-detected", arguments=log)
    if seen.is_by_hand_in_vain:
        yield Reason(message_id="drill-reason-by-hand", arguments=log)
    if fault.keeps_weights and not is_identical:
        yield Reason(message_id="drill-reason-weights", arguments=log)
    if fault.repeats_nothing and (repeated := _repeated(stage.records())):
        yield Reason(message_id="drill-reason-repeated", arguments={"steps": repeated})
    if stage.orphans:
        pids = ", ".join(map(str, sorted(stage.orphans)))
        yield Reason(message_id="drill-reason-orphans", arguments={"pids": pids})


def _detected_at(fault: Fault, events: list[dict[str, Any]], at: float) -> float | None:
    found = (event["time"] for event in events if fault.is_told_by(event) and event["time"] >= at)
    return next(found, None)


def _passed_over(events: list[dict[str, Any]]) -> Iterator[Reason]:
    batches = sum(
        entry["batches"]
        for event in events
        if event.get("event") == "guard" and event.get("action") == "roll-back"
        for entry in event.get("skipped", [])[-1:]
    )
    yield Reason(message_id="drill-reason-passed-over", arguments={"batches": batches})


def _repeated(records: list[dict[str, Any]]) -> int:
    """Return how many steps were done again."""
    return len(records) - len({record["step"] for record in records})
