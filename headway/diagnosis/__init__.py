"""From logs to the root cause, for any framework: ``headway.diagnose(paths)``.

Reading (`survey`) makes a report of each log: which signatures (`signatures/*.toml`) show where, on which rank and
when, and how far the training came. Reasoning looks for the finding that explains the others and that nothing else
explains. Nothing leaves the machine.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from headway.diagnosis.opening import STDIN, find_files
from headway.diagnosis.planned import memory_beside, plan_beside
from headway.diagnosis.reasoning import Reasoning
from headway.diagnosis.result import Diagnosis, Evidence, FirstFailure
from headway.diagnosis.survey import Done
from headway.diagnosis.survey import survey as read_all

OUT_OF_MEMORY = ("device-memory", "host-memory")
"""How the ids of causes begin for which the plan's memory is of use."""

__all__ = ["Diagnosis", "Evidence", "FirstFailure", "diagnose"]


def diagnose(
    paths: Iterable[str | Path],
    *,
    recipe: str | None = None,
    done: Done = lambda count: None,
    processes: int | None = None,
) -> Diagnosis:
    """Say why a job failed, from the logs that it left.

    Args:
        paths: files, folders, globs and archives; ``-`` is the standard input.
        recipe: a recipe that describes the job, or the name of a model preset, for what its plan says of memory; a run
            folder of Headway holds its own.
        done: told of the bytes that were read.
        processes: how many processes read; None takes one for each core where there is much to read.

    Raises:
        DiagnosisError: a path does not exist.
        HeadwayError: the recipe cannot be planned.
    """
    given = [str(path) for path in paths]
    files = [Path(STDIN)] if given == [STDIN] else find_files(given)
    reports = read_all(files, done, processes)
    told = Reasoning(reports).diagnose()
    logs = tuple(one.name for one in reports)
    if told.cause.startswith(OUT_OF_MEMORY):
        told = _beside_plan(told, logs, recipe)
    return replace(
        told,
        troubles=tuple(trouble for one in reports for trouble in one.troubles),
        logs=logs,
        read_bytes=sum(one.size_bytes for one in reports),
    )


def _beside_plan(told: Diagnosis, logs: tuple[str, ...], recipe: str | None) -> Diagnosis:
    """Set the plan's memory beside what the logs say."""
    plan = plan_beside(logs, recipe)
    if plan is None:
        return told
    asked = [told.numbers.get(name) for name in ("device_allocated_bytes", "device_tried_bytes")]
    needed = sum(float(value) for value in asked if value is not None) or None
    return replace(told, numbers={**told.numbers, **memory_beside(plan, needed)})
