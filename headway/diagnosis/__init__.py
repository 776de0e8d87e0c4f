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
from headway.diagnosis.reasoning import Reasoning
from headway.diagnosis.result import Diagnosis, Evidence, FirstFailure
from headway.diagnosis.survey import Done
from headway.diagnosis.survey import survey as read_all

__all__ = ["Diagnosis", "Evidence", "FirstFailure", "diagnose"]


def diagnose(
    paths: Iterable[str | Path], *, done: Done = lambda count: None, processes: int | None = None
) -> Diagnosis:
    """Say why a job failed, from the logs that it left.

    Args:
        paths: files, folders, globs and archives; ``-`` is the standard input.
        done: told of the bytes that were read.
        processes: how many processes read; None takes one for each core where there is much to read.

    Raises:
        DiagnosisError: a path does not exist.
    """
    given = [str(path) for path in paths]
    files = [Path(STDIN)] if given == [STDIN] else find_files(given)
    reports = read_all(files, done, processes)
    told = Reasoning(reports).diagnose()
    return replace(
        told,
        troubles=tuple(trouble for one in reports for trouble in one.troubles),
        logs=tuple(one.name for one in reports),
        read_bytes=sum(one.size_bytes for one in reports),
    )
