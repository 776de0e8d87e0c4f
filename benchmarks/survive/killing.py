"""SIGKILL at random instants of a run's starts, steps, saves and end."""

from __future__ import annotations

import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, final

from headway.resilience.drills.stage import Stage, is_alive, kill
from headway.runs.heartbeat import read_beat
from headway.runs.logs import JsonLines, read_lines

TARGETS = ("worker", "worker", "worker", "workers", "supervisor", "everything")

MOST_SECONDS_AFTER_STEP = 1.5
MOST_SECONDS_IN_SAVE = 0.05
MOST_SECONDS_AFTER_LAST_STEP = 0.8
START_SECONDS = 6.0
"""Of the first start, before any was measured."""

SHARE_AT_START, SHARE_IN_SAVE, SHARE_AT_END = 0.3, 0.2, 0.7
"""Of the kills that are aimed; at the end, of those of a run that comes to it. The others come at any time."""

END_STEPS = 40
"""So near to its end a run may be killed at its end."""

MOST_ENDS_IN_VAIN = 10
"""So often in a row a run may end unkilled and unfinished, as where its supervisor gives up, before it has failed."""

_POLL_SECONDS = 0.01
_PATIENCE_SECONDS = 120.0
"""For what is aimed at to come: then the kill comes at any rate."""


@final
class Killer:
    """Kills runs, one after the other, and takes down each kill, so that a second start goes on.

    Args:
        folder: of the runs; ``kills.jsonl`` there holds the kills.
        steps: of each run.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        self._path, self._steps = folder / "kills.jsonl", steps
        self.kills: list[dict[str, Any]] = read_lines(self._path) if self._path.exists() else []
        self._starts: list[float] = []

    def kill_until(self, stage: Stage, is_over: Callable[[], bool]) -> None:
        """Kill a run again and again, and start it again where nobody else does, until it has ended or it is over.

        Raises:
            RuntimeError: it ends by itself again and again without coming to its end.
        """
        in_vain = 0
        with stage, JsonLines(self._path) as log:
            while not is_over() and not stage.is_finished():
                # Each kill has its own numbers, so that a second start goes on with those that follow.
                dice = random.Random(f"{stage.run.name}-{len(self.kills)}")
                if stage.has_ended():
                    stage.start(resume=stage.run.path.exists())
                aim = self._aim(stage, dice)
                self._wait(stage, aim, dice)
                if stage.has_ended() or not stage.run.events_path.exists():
                    in_vain += stage.has_ended()
                    if in_vain > MOST_ENDS_IN_VAIN:
                        raise RuntimeError(f"the run ends by itself: {stage.log}")
                    continue
                in_vain = 0
                self.kills.append({"run": stage.run.name, "aim": aim, **_strike(stage, dice)})
                log.append(self.kills[-1])
                print(f"{len(self.kills)} kills, {stage.run.name} at step {self.kills[-1]['step']}", flush=True)

    def _aim(self, stage: Stage, dice: random.Random) -> str:
        shot = dice.random()
        if _step(stage) >= self._steps - END_STEPS and dice.random() < SHARE_AT_END:
            return "end"
        if shot < SHARE_AT_START:
            return "start"
        return "save" if shot < SHARE_AT_START + SHARE_IN_SAVE else "step"

    def _wait(self, stage: Stage, aim: str, dice: random.Random) -> None:
        began, deadline = time.monotonic(), time.monotonic() + _PATIENCE_SECONDS

        def wait(condition: Callable[[], bool], then_seconds: float) -> None:
            while not condition() and not stage.has_ended() and time.monotonic() < deadline:
                time.sleep(_POLL_SECONDS)
            time.sleep(dice.uniform(0, then_seconds))

        if aim == "start":
            usual = statistics.median(self._starts[-9:]) if self._starts else START_SECONDS
            time.sleep(dice.uniform(0, usual))
            return
        records = len(stage.records())
        wait(lambda: len(stage.records()) > records, 0)
        if not stage.has_ended():
            self._starts.append(time.monotonic() - began)
        if aim == "step":
            time.sleep(dice.uniform(0, MOST_SECONDS_AFTER_STEP))
        elif aim == "save":
            wait(lambda: _doing(stage) == "checkpoint", MOST_SECONDS_IN_SAVE)
        else:
            wait(lambda: _step(stage) >= self._steps, MOST_SECONDS_AFTER_LAST_STEP)


def _strike(stage: Stage, dice: random.Random) -> dict[str, Any]:
    """Kill something that is there; return what, and what the first worker was doing."""
    target = dice.choice(TARGETS)
    workers = [pid for pid in stage.workers() if is_alive(pid)]
    if not workers:
        # They are dead already: the supervisor waits before it starts them again, or has not started any.
        target = "supervisor"
    doomed = {
        "worker": [dice.choice(workers)] if workers else [],
        "workers": workers,
        "supervisor": [stage.supervisor],
        "everything": [stage.supervisor, *workers],
    }[target]
    struck = {"time": time.time(), "target": target, "step": _step(stage)}
    struck["doing"] = _doing(stage) if workers else "wait"
    for pid in doomed:
        kill(pid)
    if stage.supervisor in doomed:
        while not stage.has_ended() or any(map(is_alive, workers)):
            time.sleep(_POLL_SECONDS)
    return struck


def _step(stage: Stage) -> int:
    """Return the last step that the run has written down; 0 where there is none."""
    records = stage.records() if stage.run.metrics_path().exists() else []
    return int(records[-1]["step"]) if records else 0


def _doing(stage: Stage) -> str:
    beat = read_beat(stage.run.heartbeat_path(0))
    return "wait" if beat is None else beat.doing
