"""One line that says which machine the figures come from."""

from __future__ import annotations

import os
from pathlib import Path


def machine_line() -> str:
    """Return processor, cores, memory, and the load at the moment: a busy machine spoils timings."""
    cpuinfo = Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    model = next((line.split(":")[1].strip() for line in cpuinfo.splitlines() if line.startswith("model name")), "?")
    memory_gib = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return f"machine: {model}, {os.cpu_count()} cores, {memory_gib:.0f} GiB, load {os.getloadavg()[0]:.2f}"
