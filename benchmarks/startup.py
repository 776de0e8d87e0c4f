"""How long the command line takes to answer: ``python -m benchmarks.startup``.

Aims: ``headway --help`` below 0.3 s and ``headway plan`` on a preset below 0.7 s, both without a framework.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.machine_line import machine_line

RUNS = 11
COMMANDS = {
    "headway --help": ["--help"],
    "headway plan llama-3.1-8b (one H100)": ["plan", "llama-3.1-8b", "--set", "hardware.accelerator=h100-sxm-80gb"],
    "headway plan headway-tiny-11m (this machine, probe cached)": ["plan", "headway-tiny-11m"],
}
FRAMEWORKS = ("torch", "jax", "tensorflow", "transformers")


def seconds_of(arguments: list[str]) -> list[float]:
    """Return the wall times of a command, sorted; the first, cold run is left out."""
    headway = Path(sys.executable).with_name("headway")
    times = []
    for _ in range(RUNS + 1):
        started = time.perf_counter()
        subprocess.run([headway, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    return sorted(times[1:])


def frameworks_imported(arguments: list[str]) -> list[str]:
    """Return which frameworks a command imports."""
    code = (
        "import sys; from headway.cli.main import cli; cli.main(sys.argv[1:], standalone_mode=False);"
        f"print('IMPORTED', [name for name in {FRAMEWORKS!r} if name in sys.modules])"
    )
    output = subprocess.run([sys.executable, "-c", code, *arguments], check=True, capture_output=True, text=True).stdout
    return output.rsplit("IMPORTED", 1)[1].strip() if "IMPORTED" in output else "[]"  # type: ignore[return-value]


def main() -> None:
    """Print the table."""
    print(machine_line())
    print(f"{'command':62} {'median':>8} {'best':>8} {'worst':>8}  frameworks imported")
    for name, arguments in COMMANDS.items():
        times = seconds_of(arguments)
        imported = frameworks_imported(arguments) if "--help" not in arguments else "[]"
        print(f"{name:62} {statistics.median(times):7.3f}s {times[0]:7.3f}s {times[-1]:7.3f}s  {imported}")


if __name__ == "__main__":
    main()
