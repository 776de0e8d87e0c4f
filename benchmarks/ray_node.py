"""A node of a Ray cluster that is lost in the middle of a run: ``python -m benchmarks.ray_node``.

Three nodes of one worker each, on this machine, train with two workers. The raylet of one worker's node is killed with
all that it runs; Ray starts both workers again, one of them on the node that was idle. The weights at the end are
compared with those of a run that ``headway train`` trained with two processes, and nothing disturbed.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.machine_line import machine_line
from benchmarks.survive.small_run import recipe_of
from headway.resilience.drills.measuring import weights_of
from headway.resilience.drills.stage import Stage

STEPS = 400
LOST_AFTER_STEPS = 100

PATIENCE_SECONDS = 300.0

_POLL_SECONDS = 0.05

DRIVER = """
import os, sys
from pathlib import Path
from ray.cluster_utils import Cluster
from headway import api
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
for _ in range(3):
    cluster.add_node(num_cpus=1)
os.environ["RAY_ADDRESS"] = cluster.address
api.train(sys.argv[1], runs=sys.argv[2], name=sys.argv[3], launcher="ray")
cluster.shutdown()
"""


def main() -> int:
    """Lose a node, and print what that cost; return 1 where the weights are not the same."""
    print(machine_line(), flush=True)
    with tempfile.TemporaryDirectory(prefix="headway-ray-") as name:
        folder = Path(name)
        file = folder / "ray.toml"
        file.write_text(recipe_of(STEPS, folder).to_toml())
        with Stage(file, folder, "clean", processes=2) as clean:
            clean.start()
            clean.wait_for_end()
        struck = Stage(file, folder, "struck", processes=2)
        with (folder / "driver.log").open("wb") as log:
            driver = subprocess.Popen(
                [sys.executable, "-c", DRIVER, str(file), str(folder), "struck"], stdout=log, stderr=log
            )
            try:
                at = _lose_a_node(struck, driver)
                driver.wait(PATIENCE_SECONDS)
            finally:
                if driver.poll() is None:
                    # So that it ends its cluster.
                    driver.send_signal(signal.SIGINT)
                    driver.wait()
        if driver.returncode:
            print((folder / "driver.log").read_text(errors="replace")[-3000:])
            return 1
        return tell(clean, struck, at)


def _lose_a_node(stage: Stage, driver: subprocess.Popen[bytes]) -> float:
    """Kill the node of the second worker when enough steps are done; return when."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not stage.run.metrics_path().exists() or len(stage.records()) < LOST_AFTER_STEPS:
        if driver.poll() is not None or time.monotonic() > deadline:
            return time.time()
        time.sleep(_POLL_SECONDS)
    # A worker's parent is the raylet of its node.
    raylet = psutil.Process(psutil.Process(stage.workers()[1]).ppid())
    doomed = [raylet, *raylet.children(recursive=True)]
    at = time.time()
    for process in doomed:
        process.kill()
    return at


def tell(clean: Stage, struck: Stage, at: float) -> int:
    """Print what the lost node cost."""
    records = struck.records()
    resumed = [event["time"] for event in struck.run.events() if event["event"] == "resumed" and event["time"] > at]
    done = max(record["step"] for record in records if record["time"] <= at)
    first = next((r["time"] for r in records if resumed and r["time"] > resumed[0] and r["step"] > done), None)
    is_identical = weights_of(clean) == weights_of(struck) is not None
    print(f"node lost after step {done}; started again: {len(resumed)} times")
    if first is not None:
        print(f"first new step after {first - at:.1f} s; steps repeated: {len(records) - STEPS}")
    print(f"last weights and optimizer state byte-identical: {is_identical}")
    return int(not is_identical or not resumed)


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    raise SystemExit(main())
