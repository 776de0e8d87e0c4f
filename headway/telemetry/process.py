"""What this process takes from the machine."""

from __future__ import annotations

import os
import platform
import resource
import time
from pathlib import Path

from headway.units import KIB


def resident_bytes(proc: Path = Path("/proc/self")) -> int:
    """Return the resident set of this process; the peak where the system does not tell the present value."""
    return _status_bytes(proc, "VmRSS:") or _peak_by_rusage()


def peak_resident_bytes(proc: Path = Path("/proc/self")) -> int:
    """Return the largest resident set that this process has had.

    ``ru_maxrss`` alone would do, but Linux carries it over an exec from the process that started this one.
    """
    return _status_bytes(proc, "VmHWM:") or _peak_by_rusage()


def anonymous_bytes(proc: Path = Path("/proc/self")) -> int | None:
    """Return what this process holds that is in no file, so that nobody can take it away; None where that is not told.

    Pages of mapped files grow with all that is read, and the system drops them at need.
    """
    anonymous = _status_bytes(proc, "RssAnon:")
    return None if anonymous is None else anonymous + (_status_bytes(proc, "RssShmem:") or 0)


def age_seconds(proc: Path = Path("/proc/self")) -> float | None:
    """Return how long ago this process began, or None where the system does not tell.

    Source: proc_pid_stat(5): field 22 is the start in clock ticks since the machine's own; the name before it may hold
    spaces.
    """
    try:
        fields = (proc / "stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
        began = int(fields[19]) / os.sysconf("SC_CLK_TCK")
        return max(0.0, time.clock_gettime(time.CLOCK_BOOTTIME) - began)
    except (OSError, ValueError, IndexError, AttributeError):
        return None


def _peak_by_rusage() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Bytes on macOS, KiB elsewhere. Source: getrusage(2) of both systems.
    return peak if platform.system() == "Darwin" else peak * KIB


def _status_bytes(proc: Path, field: str) -> int | None:
    try:
        lines = (proc / "status").read_text(encoding="ascii", errors="replace").splitlines()
        return next(int(line.split()[1]) * KIB for line in lines if line.startswith(field))
    except (OSError, StopIteration, ValueError, IndexError):
        return None
