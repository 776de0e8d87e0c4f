"""Folders that are written complete, or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from headway.errors import RunError
from headway.runs.durable import flush_folder


@contextmanager
def new_folder(output: Path) -> Iterator[Path]:
    """Give a folder to fill, which takes its name when all of it is on the disk.

    Args:
        output: the folder; it must not exist.

    Raises:
        RunError: it exists, or cannot be written.
    """
    if output.exists():
        raise RunError("run-output-exists", path=str(output))
    temporary = output.with_name(f".writing-{output.name}-{uuid4().hex[:8]}")
    try:
        temporary.mkdir(parents=True)
        yield temporary
        for file in temporary.iterdir():
            with file.open("rb") as opened:
                os.fsync(opened.fileno())
        temporary.rename(output)
        flush_folder(output.parent)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise RunError("run-output-unwritable", path=str(output), reason=error.strerror or str(error)) from error
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
