"""Ends a job whose supervisor is gone: ``python reaper.py GROUP``, with a pipe from the supervisor as standard input.

The pipe ends when the supervisor does, however it died. Nothing but the standard library is imported, so that it starts
in some milliseconds and needs little memory.
"""

import contextlib
import os
import signal
import sys
import time

GRACE_SECONDS = 5.0
"""How long a job may take to end by itself when its supervisor is gone, before it is killed."""

POLL_SECONDS = 0.05


def is_alive(group: int) -> bool:
    """Say whether a process group has any process."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def end(group: int) -> None:
    """End a process group: politely, then by force."""
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGTERM)
    deadline = time.monotonic() + GRACE_SECONDS
    while is_alive(group) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    with contextlib.suppress(OSError):
        os.killpg(group, signal.SIGKILL)


def main() -> None:
    """Wait until the supervisor closes the pipe, then end the group where it was told nothing."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    if os.read(0, 1) == b"":
        end(int(sys.argv[1]))


if __name__ == "__main__":
    main()
