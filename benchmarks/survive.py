"""What a run survives: ``python -m benchmarks.survive [--kills N] [--minutes M] [--folder FOLDER]``.

A run of two processes with FSDP over gloo is trained by ``headway train``, as a user would. At random instants (starts,
steps and writes alike) SIGKILL takes a random worker, both, the supervisor, or everything; where the supervisor is gone
or has given up, the command is started again with ``--resume``. At the end the weights and the optimizer state are
compared, byte for byte, with those of a run that nothing disturbed. Aims: identical, and no checkpoint lost.

It is restartable: what was killed is in FOLDER, and a second start goes on. After ``--minutes`` it stops killing.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.drills.measuring import weights_of
from headway.resilience.drills.stage import Stage, is_alive, kill

KILLS = 200
STEPS_FOR_EACH_KILL = 30
MOST_SECONDS_AFTER_STEP = 2.0
MOST_SECONDS_AFTER_START = 8.0
SHARE_AT_START = 0.3
"""Of the kills are counted from a start and not from its first step, so that starts are hit too."""

TARGETS = ("worker", "worker", "worker", "workers", "supervisor", "everything")


def recipe_of(kills: int, folder: Path) -> Recipe:
    """Return a small run that is long enough for so many kills."""
    return resolve_recipe(
        {
            "name": "survive",
            "model": {
                "hidden_size": 64,
                "intermediate_size": 160,
                "num_hidden_layers": 2,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 512,
                "max_position_embeddings": 64,
                "tie_word_embeddings": True,
            },
            "data": {"source": "python-stdlib", "max_bytes": 500_000, "cache": str(folder / "cache")},
            "training": {
                "steps": kills * STEPS_FOR_EACH_KILL,
                "global_batch_size": 8,
                "learning_rate": 1e-3,
                "precision": "fp32",
            },
            "layout": {"data_parallel_degree": 2, "shard": "parameters", "micro_batch_size": 4},
            "hardware": {"accelerator": "cpu", "devices": 2, "devices_per_node": 2, "threads": 1},
            "resilience": {"checkpoint_every_steps": 10, "keep_last": 3, "max_restarts": 100_000},
        }
    )


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
        recipe_file.write_text(recipe_of(wishes.kills, folder).to_toml())
    clean = _finish(Stage(recipe_file, folder, "clean", processes=2))
    kills = _kill_often(Stage(recipe_file, folder, "killed", processes=2), folder, wishes.kills, 60 * wishes.minutes)
    killed = _finish(Stage(recipe_file, folder, "killed", processes=2))
    print(machine_line())
    return _tell(clean, killed, kills)


def _finish(stage: Stage) -> Stage:
    """Let a run come to its end, started as often as it takes."""
    while not stage.is_finished():
        stage.start(resume=stage.run.path.exists())
        stage.wait_for_end()
    return stage


def _kill_often(stage: Stage, folder: Path, count: int, seconds: float) -> list[dict[str, Any]]:
    """Kill until there were enough, the time is over, or the run has ended; return all kills so far."""
    log = folder / "kills.jsonl"
    kills = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    deadline = time.monotonic() + seconds
    with stage:
        while len(kills) < count and time.monotonic() < deadline and not stage.is_finished():
            # Each kill has its own numbers, so that a second start goes on with those that follow.
            dice = random.Random(len(kills))
            if stage.has_ended():
                stage.start(resume=stage.run.path.exists())
            _wait(stage, dice)
            if stage.has_ended() or not stage.run.events_path.exists():
                continue
            kills.append(_strike(stage, dice))
            with log.open("a") as file:
                file.write(json.dumps(kills[-1]) + "\n")
            print(f"\r{len(kills)} kills, step {kills[-1]['step']}", end="", flush=True)
    print()
    return kills


def _wait(stage: Stage, dice: random.Random) -> None:
    """Let some time pass, from now or from the first step that is done from now on."""
    if dice.random() < SHARE_AT_START:
        time.sleep(dice.uniform(0, MOST_SECONDS_AFTER_START))
        return
    steps, deadline = len(stage.records()), time.monotonic() + 60
    while len(stage.records()) <= steps and not stage.has_ended() and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(dice.uniform(0, MOST_SECONDS_AFTER_STEP))


def _strike(stage: Stage, dice: random.Random) -> dict[str, Any]:
    target = dice.choice(TARGETS)
    workers = [pid for pid in stage.workers() if is_alive(pid)]
    doomed = {
        "worker": [dice.choice(workers)] if workers else [],
        "workers": workers,
        "supervisor": [stage.supervisor],
        "everything": [stage.supervisor, *workers],
    }[target]
    records = stage.records()
    struck = {"time": time.time(), "target": target, "step": records[-1]["step"] if records else 0}
    struck["killed"] = len(doomed)
    for pid in doomed:
        kill(pid)
    if stage.supervisor in doomed:
        while not stage.has_ended() or any(map(is_alive, workers)):
            time.sleep(0.02)
    return struck


def _tell(clean: Stage, killed: Stage, kills: list[dict[str, Any]]) -> int:
    events, records = killed.run.events(), killed.records()
    hit = [one for one in kills if one["killed"]]
    detected = list(_delays(hit, [e["time"] for e in events if e["event"] == "attempt-failed"], ("worker", "workers")))
    recovered = list(_recoveries(hit, records))
    lost = _lost(events)
    damaged = sum(event["event"] == "checkpoint-damaged" for event in events)
    is_identical = weights_of(clean) == weights_of(killed) is not None
    repeated = len(records) - len({record["step"] for record in records})
    targets = {target: sum(one["target"] == target for one in hit) for target in dict.fromkeys(TARGETS)}
    print(f"{len(hit)} kills {targets} over {max(record['step'] for record in records)} steps")
    print(f"last weights and optimizer state byte-identical: {is_identical}")
    print(
        f"checkpoints lost: {lost}; damaged: {damaged}; steps repeated: {repeated} ({repeated / len(hit):.1f} a kill)"
    )
    for name, values in (("detected", detected), ("first new step", recovered)):
        if values:
            print(f"{name} after {statistics.median(values):.2f} s median, {max(values):.2f} s at most ({len(values)})")
    return 0 if is_identical and not lost and not damaged else 1


def _delays(kills: list[dict[str, Any]], times: list[float], targets: tuple[str, ...]) -> Any:
    """Yield the time from each kill to the next of some times, where that came before the next kill."""
    ends = [one["time"] for one in kills[1:]] + [float("inf")]
    for one, end in zip(kills, ends, strict=True):
        found = [at for at in times if one["time"] <= at < end]
        if one["target"] in targets and found:
            yield found[0] - one["time"]


def _recoveries(kills: list[dict[str, Any]], records: list[dict[str, Any]]) -> Any:
    """Yield the time from each kill to the first step that was not done before, where that came before the next."""
    ends = [one["time"] for one in kills[1:]] + [float("inf")]
    for one, end in zip(kills, ends, strict=True):
        reached = max((record["step"] for record in records if record["time"] <= one["time"] + 0.5), default=0)
        later = (r["time"] for r in records if one["time"] + 0.5 < r["time"] < end and r["step"] > reached)
        at = next(later, None)
        if at is not None:
            yield at - one["time"]


def _lost(events: list[dict[str, Any]]) -> int:
    """Return how often a run went on from an earlier checkpoint than the last that it said it had written."""
    saved = lost = 0
    for event in events:
        if event["event"] == "checkpoint-saved":
            saved = event["step"]
        elif event["event"] == "started":
            lost += saved > 0
        elif event["event"] == "resumed":
            lost += event["step"] < saved
            saved = event["step"]
    return lost


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    raise SystemExit(main())
