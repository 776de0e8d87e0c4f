"""Ray Train on this machine: a real cluster of one node, and a worker killed by a real SIGKILL."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from headway.recipe import Recipe
from tests.training.test_supervised import pids, start, wait_until

Make = Callable[..., Recipe]

DRIVER = """
import sys
from pathlib import Path
from headway.runs import RunFolder
from headway.training.placed_by_ray import train_by_ray
train_by_ray(RunFolder(Path(sys.argv[1])), processes=2)
"""


def test_a_killed_worker_is_started_again_by_ray(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe, tmp_path / "ray", processes=2)
    # In a process of its own, since Ray warns of itself.
    driver = subprocess.Popen([sys.executable, "-c", DRIVER, str(run.path)], stderr=subprocess.PIPE, text=True)
    wait_until(lambda: len(run.metrics()) > 12 or driver.poll() is not None)
    if driver.poll() is None:
        os.kill(pids(run, 2)[1], signal.SIGKILL)
    _, said = driver.communicate(timeout=200)
    assert driver.returncode == 0, said[-3000:]
    kinds = [event["event"] for event in run.events()]
    assert kinds.count("started") + kinds.count("resumed") >= 2
    assert run.status() == "finished"
    assert [record["step"] for record in run.metrics()] == list(range(1, 31))
