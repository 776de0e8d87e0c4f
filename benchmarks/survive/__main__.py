"""What a run survives: ``python -m benchmarks.survive [--kills N] [--minutes M] [--folder FOLDER]``.

Runs of two processes with FSDP over gloo are trained by ``headway train``, as a user would. At random instants of their
starts, steps, saves and ends SIGKILL takes a random worker, both, the supervisor, or everything; where the supervisor
is gone or has given up, the command is started again with ``--resume``. At the end of each run the weights and the
optimizer state are compared, byte for byte, with those of a run that nothing disturbed, and the loss of each step with
its own. Aims: identical, and no checkpoint lost.

It is restartable: runs and kills are in FOLDER, and a second start goes on. After ``--minutes`` it stops killing, lets
the last run come to its end and prints the figures; at Ctrl-C or SIGTERM it prints at once what there is.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import time
from pathlib import Path

from benchmarks.machine_line import machine_line
from benchmarks.survive.figures import tell
from benchmarks.survive.killing import Killer
from benchmarks.survive.small_run import recipe_of
from headway.resilience.drills.stage import Stage

KILLS = 200
STEPS = 400
"""Of each run: many kills come before its end, and many runs come to theirs."""


def main() -> int:
    """Kill, compare, print; return 1 where an aim is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--kills", type=int, default=KILLS)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--folder", type=Path)
    wishes = parser.parse_args()
    folder = (wishes.folder or Path(tempfile.mkdtemp(prefix="headway-survive-"))).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    recipe_file = folder / "survive.toml"
    if not recipe_file.exists():
        recipe_file.write_text(recipe_of(STEPS, folder).to_toml())
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    print(machine_line(), folder, flush=True)
    clean = _finish(Stage(recipe_file, folder, "clean", processes=2))
    killer, deadline = Killer(folder, STEPS), time.monotonic() + 60 * wishes.minutes
    runs: list[Stage] = []
    stage: Stage | None = None
    try:
        while len(killer.kills) < wishes.kills and time.monotonic() < deadline:
            stage = Stage(recipe_file, folder, f"killed-{len(runs) + 1:03}", processes=2)
            killer.kill_until(stage, lambda: len(killer.kills) >= wishes.kills or time.monotonic() > deadline)
            runs.append(_finish(stage))
            stage = None
    except KeyboardInterrupt:
        print(f"interrupted; `--folder {folder}` goes on")
    print(machine_line())
    return tell(clean, runs, killer.kills, stage)


def _finish(stage: Stage) -> Stage:
    """Let a run come to its end, started as often as it takes."""
    with stage:
        while not stage.is_finished():
            if stage.has_ended():
                stage.start(resume=stage.run.path.exists())
            stage.wait_for_end()
    return stage


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    raise SystemExit(main())
