"""The demo's plan against its run: ``python -m benchmarks.demo_accuracy``.

Aims: time of a step within 20 %, peak memory within 10 %, checkpoint bytes within 1 %.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.machine_line import machine_line
from headway.runs import RunFolder

AIMS = {"step_seconds": 0.20, "total_seconds": 0.20, "peak_bytes": 0.10, "checkpoint_bytes": 0.01}
STEPS = 60


def main() -> None:
    """Run the demo, and print the rows that have an aim."""
    print(machine_line())
    headway = Path(sys.executable).with_name("headway")
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        command = [headway, "demo", "--runs", folder, "--steps", str(STEPS), "--json"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        rows = (RunFolder.open(Path(folder), "demo").ledger() or {"rows": []})["rows"]
    print(f"{'quantity':20} {'predicted':>16} {'measured':>16} {'error':>8} {'aim':>6}")
    for row in rows:
        if row["quantity"] in AIMS:
            error = f"{row['error']:+.1%}" if "error" in row else "-"
            predicted = f"{row['predicted']:,.3f}" if "predicted" in row else "-"
            aim = AIMS[row["quantity"]]
            print(f"{row['quantity']:20} {predicted:>16} {row['measured']:>16,.3f} {error:>8} {aim:>6.0%}")


if __name__ == "__main__":
    main()
