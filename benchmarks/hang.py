"""How long a hang goes unnoticed: ``python -m benchmarks.hang [--stops N]``.

Two processes with FSDP over gloo train small steps. At random instants a random one is stopped (SIGSTOP), so that the
other waits in a collective operation for ever; and in runs of its own one stands still in Python at a random step, as
in a deadlock. Each time runs from the fault to the supervisor's event ``hang``, which it writes with the stacks of all
ranks. Aim: within three median steps and five seconds, with ``hang_steps = 3``.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line
from benchmarks.survive.small_run import recipe_of
from headway.resilience.drills.seam import Order
from headway.resilience.drills.shortening import with_settings
from headway.resilience.drills.stage import Stage, is_alive

HANG_STEPS = 3
AIM_SECONDS = 5.0
STOPS, DEADLOCKS = 8, 3
STEPS = 100_000
WARM_STEPS = 20
"""Done before a fault comes, so that the usual step is known."""

MOST_SECONDS_AFTER = 2.0
KNOWN_STEPS = 64
PATIENCE_SECONDS = 180.0
SEED = 20261201

_POLL_SECONDS = 0.01


@dataclass(frozen=True)
class Hang:
    """One hang: how it came, after how long it was told, and by when it should have been. Seconds."""

    kind: str
    doing: str
    seconds: float
    limit_seconds: float


def main() -> int:
    """Let runs hang, and print when that was noticed; return 1 where one took too long."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--stops", type=int, default=STOPS)
    parser.add_argument("--deadlocks", type=int, default=DEADLOCKS)
    wishes = parser.parse_args()
    print(machine_line(), flush=True)
    dice = random.Random(SEED)
    with tempfile.TemporaryDirectory(prefix="headway-hang-") as name:
        folder = Path(name)
        recipe = with_settings(
            recipe_of(STEPS, folder), {"resilience": {"hang_steps": HANG_STEPS, "checkpoint_every_steps": 50}}
        )
        file = folder / "hang.toml"
        file.write_text(recipe.to_toml())
        hangs = _stops(Stage(file, folder, "stopped", processes=2), wishes.stops, dice)
        for number in range(wishes.deadlocks):
            order = Order(deed="gate", step=dice.randint(WARM_STEPS, 200), rank=dice.randrange(2))
            hangs.append(_deadlock(Stage(file, folder, f"deadlock-{number}", order, processes=2)))
    print(machine_line())
    return tell(hangs)


def _stops(stage: Stage, count: int, dice: random.Random) -> list[Hang]:
    """Stop a random process at a random instant, again and again: the supervisor starts both anew each time."""
    hangs: list[Hang] = []
    with stage:
        stage.start()
        while len(hangs) < count:
            _wait(stage, lambda: _steps_since_start(stage) >= WARM_STEPS)
            time.sleep(dice.uniform(0, MOST_SECONDS_AFTER))
            workers = [pid for pid in stage.workers() if is_alive(pid)]
            at = time.time()
            os.kill(dice.choice(workers), signal.SIGSTOP)
            hangs.append(_told(stage, "stop", at))
    return hangs


def _deadlock(stage: Stage) -> Hang:
    with stage:
        stage.start()
        at = stage.wait_for_fault()
        assert at is not None, f"the run ended before its fault: {stage.log}"
        found = _told(stage, "deadlock", at)
        # What is started again would train for ever.
        os.kill(stage.supervisor, signal.SIGTERM)
        stage.wait_for_end()
    return found


def _told(stage: Stage, kind: str, at: float) -> Hang:
    """Wait until the supervisor tells of a hang."""
    found: list[dict[str, Any]] = []

    def is_told() -> bool:
        found.extend(event for event in stage.run.events() if event["event"] == "hang" and event["time"] > at)
        return bool(found)

    _wait(stage, is_told)
    usual = [record["step_seconds"] for record in stage.records() if record["time"] < at][-KNOWN_STEPS:]
    limit = HANG_STEPS * statistics.median(usual) + AIM_SECONDS
    doing = "/".join(found[0]["doing"].values())
    print(f"{kind}: told after {found[0]['time'] - at:.2f} s, limit {limit:.2f} s, while doing {doing}", flush=True)
    return Hang(kind, doing, found[0]["time"] - at, limit)


def _steps_since_start(stage: Stage) -> int:
    """Return the steps that the process which runs now has done; 0 where there is none."""
    if not stage.run.events_path.exists() or not stage.run.metrics_path().exists():
        return 0
    turns = [event for event in stage.run.events() if event["event"] in ("started", "resumed", "hang")]
    if not turns or turns[-1]["event"] == "hang":
        return 0
    return sum(record["time"] > turns[-1]["time"] for record in stage.records())


def _wait(stage: Stage, condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        if stage.has_ended() or time.monotonic() > deadline:
            raise RuntimeError(f"the run did not get there: {stage.log}")
        time.sleep(_POLL_SECONDS)


def tell(hangs: Sequence[Hang]) -> int:
    """Print median and most; return 1 where a hang between steps was told too late."""
    for kind in dict.fromkeys(one.kind for one in hangs):
        found = [one for one in hangs if one.kind == kind]
        seconds, limits = [one.seconds for one in found], [one.limit_seconds for one in found]
        print(
            f"{kind}: {len(found)} told after {statistics.median(seconds):.2f} s median, {max(seconds):.2f} s at most; "
            f"limit {min(limits):.2f} s to {max(limits):.2f} s"
        )
    saving = [one for one in hangs if "checkpoint" in one.doing]
    if saving:
        print(f"{len(saving)} of them while saving, which has a limit of its own")
    return int(any(one.seconds > one.limit_seconds for one in hangs if one not in saving))


if __name__ == "__main__":
    raise SystemExit(main())
