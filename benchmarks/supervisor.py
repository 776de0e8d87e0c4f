"""What the supervisor costs, and how long a restart takes: ``python -m benchmarks.supervisor``.

Trains the demo's model in one worker, and prints the processor time of the supervisor as a share of the time of the
steps; trains it again, kills it with SIGKILL in the middle, and prints the seconds from the kill to the first new step.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line
from headway.cli.demo import demo_recipe
from headway.runs import RunFolder, read_lines
from headway.runs.heartbeat import read_beat
from headway.training.session import Followers, open_run
from headway.training.supervised import train_supervised

STEPS = 60
KILL_STEP = 30

MOST_SHARE = 0.005
MOST_RESTART_SECONDS = 10.0


def main() -> int:
    """Run the benchmark; return 1 where a promise is not kept."""
    print(machine_line(), flush=True)
    with tempfile.TemporaryDirectory(prefix="headway-") as folder:
        share = _watched(open_run(demo_recipe(STEPS), {}, root=Path(folder)))
        restart = _killed(open_run(demo_recipe(STEPS), {}, root=Path(folder)))
    print(machine_line())
    print(f"restart to first new step: {restart:.1f} s (wait of 1 s included)")
    return int(share > MOST_SHARE or restart > MOST_RESTART_SECONDS)


def _watched(run: RunFolder) -> float:
    """Train without a fault; return the supervisor's processor time over the time of the steps."""
    before = time.process_time()
    train_supervised(run)
    spent = time.process_time() - before
    steps = sum(record["step_seconds"] for record in read_lines(run.metrics_path()))
    print(f"supervisor: {spent:.2f} s of processor time beside {steps:.1f} s of steps, {spent / steps:.2%}", flush=True)
    return spent / steps


def _killed(run: RunFolder) -> float:
    """Kill the worker once; return the seconds to the first step after that."""
    killed: list[float] = []

    def kill(record: dict[str, Any]) -> None:
        beat = read_beat(run.heartbeat_path())
        if record["step"] >= KILL_STEP and not killed and beat is not None:
            os.kill(beat.pid, signal.SIGKILL)
            killed.append(time.time())

    before = time.process_time()
    train_supervised(run, Followers(on_metric=kill))
    print(f"with one failure to explain: {time.process_time() - before:.2f} s of processor time")
    resumed = max(event["time"] for event in run.events() if event["event"] == "resumed")
    return min(record["time"] for record in read_lines(run.metrics_path()) if record["time"] > resumed) - killed[0]


if __name__ == "__main__":
    sys.exit(main())
