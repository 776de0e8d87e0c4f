"""Watches what a job writes: its progress, and whether it stands still."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections import deque
from collections.abc import Callable, Iterable
from pathlib import Path
from statistics import median

from headway.diagnosis.line import cleaned
from headway.diagnosis.progress import step_of

FEWEST_INTERVALS = 4
"""Steps whose pace must be known before a silence means anything: the first ones compile and warm up."""

LEAST_HANG_SECONDS = 4.5
"""Added to the multiple of a usual step, for what stands between two steps.

Five seconds are promised: half of one is for the supervisor's next look and for the stacks, which the event has.
"""

KEPT_INTERVALS = 64
LARGEST_READ_BYTES = 1 << 20

PY_SPY_SECONDS = 10.0
"""How long taking the stacks of one process may take."""


class Watch:
    """Follows the log of one attempt.

    Args:
        log: the file that the job writes.
        hang_steps: usual steps without another one, after which the job hangs; 0 watches for no hang.
        clock: seconds, for tests.
    """

    def __init__(self, log: Path, hang_steps: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._log = log
        self._hang_steps = hang_steps
        self._clock = clock
        self._offset = log.stat().st_size if log.exists() else 0
        self._rest = b""
        self._intervals: deque[float] = deque(maxlen=KEPT_INTERVALS)
        self._last_step_at: float | None = None
        self.first_step_at: float | None = None
        self.step: int | None = None

    def look(self) -> bytes:
        """Read what was written since, and return it."""
        try:
            with self._log.open("rb") as file:
                file.seek(self._offset)
                new = file.read(LARGEST_READ_BYTES)
        except OSError:
            return b""
        self._offset += len(new)
        *lines, self._rest = (self._rest + new).replace(b"\r", b"\n").split(b"\n")
        self._rest = self._rest[-LARGEST_READ_BYTES:]
        self._take(step for line in lines if (step := step_of(cleaned(line))) is not None)
        return new

    def _take(self, steps: Iterable[int]) -> None:
        """Take in the steps that one look has found: a program may write many of them at once, from a buffer."""
        count = 0
        for step in steps:
            if step < 0 or step != self.step:
                count += 1
                self.step = step if step >= 0 else self.step
        if not count:
            return
        now = self._clock()
        if self._last_step_at is None:
            self.first_step_at = now
        else:
            self._intervals.extend([(now - self._last_step_at) / count] * count)
        self._last_step_at = now

    def hung_seconds(self) -> float | None:
        """Return for how long nothing followed the last step, where that is too long; None where it is not."""
        if not self._hang_steps or self._last_step_at is None or len(self._intervals) < FEWEST_INTERVALS:
            return None
        silent = self._clock() - self._last_step_at
        return silent if silent > self._hang_steps * median(self._intervals) + LEAST_HANG_SECONDS else None


def stacks_of(pid: int) -> str:
    """Return where the processes of a job stand, as far as the kernel says without more rights.

    Args:
        pid: the first of them.
    """
    import psutil

    lines = []
    try:
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    except psutil.Error:
        return ""
    for process in family:
        try:
            waiting = Path(f"/proc/{process.pid}/wchan").read_text() or "-"
            call = Path(f"/proc/{process.pid}/syscall").read_text().split()[0]
        except (OSError, IndexError):
            waiting = call = "-"
        try:
            state, command = process.status(), " ".join(process.cmdline()[:6])
        except psutil.Error:
            # One that has ended and was not asked how: it may be why the others wait.
            state, command = psutil.STATUS_DEAD, ""
        lines.append(f"pid={process.pid} state={state} wchan={waiting} syscall={call} {command}")
        lines.append(_python_stacks(process.pid))
    return "\n".join(line for line in lines if line) + "\n"


def _python_stacks(pid: int) -> str:
    """Return the Python stacks of a process, where py-spy is installed and allowed to look."""
    if shutil.which("py-spy") is None:
        return ""
    try:
        done = subprocess.run(
            ["py-spy", "dump", "--pid", str(pid)], capture_output=True, text=True, timeout=PY_SPY_SECONDS, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout
