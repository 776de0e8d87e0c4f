"""Ends a job whose supervisor is gone, with a pipe from the supervisor as standard input:

    python reaper.py GRACE_SECONDS SIGNAL GROUP...

The groups are told with the signal, unless that is 0, since the kernel has told them, and killed after the grace.

The pipe ends when the supervisor does, however it died. Nothing but the standard library is imported, so that it starts
in some milliseconds and needs little memory.
"""

import contextlib
import os
import signal
import sys
import time

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


def end(groups: list[int], grace_seconds: float, number: int) -> None:
    """End process groups: politely, then by force."""
    if number:
        tell(groups, number)
    deadline = time.monotonic() + grace_seconds
    while any(map(is_alive, groups)) and time.monotonic() < deadline:
        time.sleep(POLL_SECONDS)
    tell(groups, signal.SIGKILL)


def tell(groups: list[int], number: int) -> None:
    """Send a signal to process groups, as far as they are there."""
    for group in groups:
        with contextlib.suppress(OSError):
            os.killpg(group, number)


def main() -> None:
    """Wait until the pipe closes, then end the groups, and those that came through it, unless it said a dot."""
    for one in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(one, signal.SIG_IGN)
    said = b""
    while part := os.read(0, 4096):
        said += part
    if not said.endswith(b"."):
        end([*map(int, sys.argv[3:]), *map(int, said.split())], float(sys.argv[1]), int(sys.argv[2]))


if __name__ == "__main__":
    main()
