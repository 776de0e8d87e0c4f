"""What the supervisor costs, and how long a restart takes: ``python -m benchmarks.supervisor``.

Trains the demo's model in one worker, kills it with SIGKILL in the middle, and prints the processor time of the
supervisor as a share of the time of the steps, and the seconds from the kill to the first new step.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from headway.cli.demo import demo_recipe
from headway.runs import read_lines
from headway.runs.heartbeat import read_beat
from headway.training.session import Followers, open_run
from headway.training.supervised import train_supervised

STEPS = 120
KILL_STEP = 55


def main() -> int:
    """Run the benchmark; return 1 where a promise is not kept."""
    recipe = demo_recipe(STEPS)
    with tempfile.TemporaryDirectory(prefix="headway-") as folder:
        run = open_run(recipe, {}, root=Path(folder))
        killed: list[float] = []

        def kill(record: dict[str, Any]) -> None:
            beat = read_beat(run.heartbeat_path())
            if record["step"] >= KILL_STEP and not killed and beat is not None:
                os.kill(beat.pid, signal.SIGKILL)
                killed.append(time.time())

        before = time.process_time()
        train_supervised(run, Followers(on_metric=kill))
        spent = time.process_time() - before
        records = read_lines(run.metrics_path())
        steps = sum(record["step_seconds"] for record in records)
        first = min(record["time"] for record in records if record["time"] > killed[0] + 0.5)
        restart = first - killed[0]
    print(f"supervisor: {spent:.2f} s of processor time beside {steps:.1f} s of steps, {spent / steps:.2%}")
    print(f"restart to first new step: {restart:.1f} s (wait of 1 s included)")
    return int(spent / steps > 0.005 or restart > 10)


if __name__ == "__main__":
    sys.exit(main())
