"""Run every benchmark, one after the other: ``python -m benchmarks [NAME ...]``."""

from __future__ import annotations

import subprocess
import sys

ALL = (
    "startup",
    "train_speed",
    "scaling",
    "checkpoint_overhead",
    "checkpoint_stall",
    "guard_overhead",
    "survive",
    "hang",
    "goodput",
    "supervisor",
    "drills",
    "demo_accuracy",
    "plan_accuracy_cpu",
    "train_memory",
    "plan_reliability",
    "diagnose_accuracy",
    "diagnose_speed",
    "serve",
)


def main(names: list[str]) -> int:
    """Run the named benchmarks, or all; return the number that failed."""
    unknown = [name for name in names if name not in ALL]
    if unknown:
        print(f"unknown: {', '.join(unknown)}; there are: {', '.join(ALL)}", file=sys.stderr)
        return 2
    failed = 0
    for name in names or ALL:
        print(f"\n== {name}", flush=True)
        failed += subprocess.run([sys.executable, "-m", f"benchmarks.{name}"], check=False).returncode != 0
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
