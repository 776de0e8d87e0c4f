"""Reading of files that a recipe names or is, whatever they turn out to be."""

from __future__ import annotations

import errno
import os
import select
import stat
from pathlib import Path

_PIPE_SECONDS = 5.0
"""How long a pipe may be silent before it counts as one that nobody writes to."""


def read_limited(file: Path, limit_bytes: int) -> bytes:
    """Read no more than one byte beyond a limit, which tells a file that is too large.

    The size of a device or a pipe says nothing, so that nobody can ask for it before.

    Args:
        file: of any kind.
        limit_bytes: that a content may have.

    Raises:
        OSError: as the file system reports it, or because nobody writes to a pipe.
    """
    descriptor = os.open(file, os.O_RDONLY | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as opened:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and not select.select([descriptor], [], [], _PIPE_SECONDS)[0]:
            raise OSError(errno.ETIMEDOUT, os.strerror(errno.ETIMEDOUT))
        os.set_blocking(descriptor, True)
        return opened.read(limit_bytes + 1)
