"""What became of the runs that were killed, beside the one that was not."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from headway.resilience.checkpoint.verifying import verify
from headway.resilience.drills.measuring import weights_of
from headway.resilience.drills.stage import Stage

Kill = dict[str, Any]

_LAST_WORDS_SECONDS = 0.5
"""After a kill, a worker that was spared may still write down the step that it was in."""


def tell(clean: Stage, runs: Sequence[Stage], kills: Sequence[Kill], unfinished: Stage | None = None) -> int:
    """Print the figures; return 1 where an aim was missed.

    Args:
        clean: the run that nothing disturbed.
        runs: those that were killed and have come to their end.
        kills: all of them.
        unfinished: a run that has been killed, and has not come to its end.
    """
    every = [*runs, *([] if unfinished is None else [unfinished])]
    of = {stage.run.name: [one for one in kills if one["run"] == stage.run.name] for stage in every}
    events = {stage.run.name: stage.run.events() for stage in every}
    identical = sum(weights_of(stage) == weights_of(clean) is not None for stage in runs)
    lost = sum(lost_checkpoints(found) for found in events.values())
    damaged = sum(event["event"] == "checkpoint-damaged" for found in events.values() for event in found)
    bad = sum(one.error is not None for stage in every for one in verify(stage.store))
    other, steps, repeated = _compare_losses(clean, every)
    print(f"{len(kills)} kills over {len(runs)} runs" + (", and one that has not ended" if unfinished else ""))
    for title, key in (("killed", "target"), ("while the first worker did", "doing")):
        print(f"{title}: " + ", ".join(f"{name} {count}" for name, count in Counter(o[key] for o in kills).items()))
    print(f"last weights and optimizer state byte-identical: {identical} of {len(runs)} runs")
    print(f"checkpoints lost: {lost}; damaged: {damaged}; of those that are left, not good: {bad}")
    print(f"steps with another loss than without kills: {other} of {steps}, the repeated ones included")
    print(f"steps repeated: {repeated} ({repeated / max(len(kills), 1):.1f} a kill)")
    detected = [delay for name in of for delay in _detections(of[name], events[name])]
    recovered = [delay for stage in every for delay in _recoveries(of[stage.run.name], stage.records())]
    for name, values in (("killed worker noticed", detected), ("first new step", recovered)):
        if values:
            print(f"{name} after {statistics.median(values):.2f} s median, {max(values):.2f} s at most ({len(values)})")
    return 0 if identical == len(runs) and not lost and not damaged and not bad and not other else 1


def lost_checkpoints(events: Sequence[dict[str, Any]]) -> int:
    """Return how often a run went on from an earlier checkpoint than the last that it said it had written."""
    saved = lost = 0
    for event in events:
        if event["event"] == "checkpoint-saved":
            saved = event["step"]
        elif event["event"] == "started":
            lost += saved > 0
        elif event["event"] == "resumed":
            lost += event["step"] < saved
            saved = event["step"]
    return lost


def _compare_losses(clean: Stage, runs: Sequence[Stage]) -> tuple[int, int, int]:
    """Return how many steps had another loss than in the clean run, how many there were, and how many repeated.

    The loss of a step, to the last bit, tells that its weights and its samples were the same.
    """
    losses = {record["step"]: record["loss"] for record in clean.records()}
    other = steps = repeated = 0
    for stage in runs:
        records = stage.records()
        other += sum(record["loss"] != losses[record["step"]] for record in records)
        steps += len(records)
        repeated += len(records) - len({record["step"] for record in records})
    return other, steps, repeated


def _ends(kills: Sequence[Kill]) -> Iterator[tuple[Kill, float]]:
    """Yield each kill of a run, and when the next one came."""
    return zip(kills, [*(one["time"] for one in kills[1:]), float("inf")], strict=True)


def _detections(kills: Sequence[Kill], events: Sequence[dict[str, Any]]) -> Iterator[float]:
    times = [event["time"] for event in events if event["event"] == "attempt-failed"]
    for one, end in _ends(kills):
        found = [at for at in times if one["time"] <= at < end]
        if one["target"] in ("worker", "workers") and found:
            yield found[0] - one["time"]


def _recoveries(kills: Sequence[Kill], records: Sequence[dict[str, Any]]) -> Iterator[float]:
    """Yield the time from each kill to the first step that was not done before, where that came before the next."""
    for one, end in _ends(kills):
        known = one["time"] + _LAST_WORDS_SECONDS
        reached = max((record["step"] for record in records if record["time"] <= known), default=0)
        later = (r["time"] for r in records if known < r["time"] < end and r["step"] > reached)
        at = next(later, None)
        if at is not None:
            yield at - one["time"]
