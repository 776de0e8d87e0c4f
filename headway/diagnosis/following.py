"""Diagnoses a job while it writes its logs."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from headway.diagnosis.result import Diagnosis

LOOK_EVERY_SECONDS = 2.0
"""How often the sizes of the logs are looked at."""


def follow(
    paths: Sequence[Path], wait: Callable[[], None] = lambda: time.sleep(LOOK_EVERY_SECONDS)
) -> Iterator[Diagnosis]:
    """Yield a diagnosis at first, and again whenever it has changed, until the reader stops.

    Args:
        paths: files, folders and globs; a folder may still get new files.
        wait: passes the time between two looks.
    """
    from headway.diagnosis import diagnose
    from headway.diagnosis.opening import find_files, size_of

    seen: dict[Path, int] = {}
    last: tuple[object, ...] | None = None
    while True:
        sizes = {file: size_of(file) for file in find_files(paths)}
        if sizes != seen:
            seen = sizes
            told = diagnose(paths)
            shown = (told.cause, told.first_failure, told.chain)
            if shown != last:
                last = shown
                yield told
        wait()
