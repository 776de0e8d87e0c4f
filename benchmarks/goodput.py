"""The plan's goodput beside that of a run with faults at a known rate: ``python -m benchmarks.goodput``.

A small run is killed at the instants of a seeded Poisson process and saved every few seconds; its useful share of the
wall time is what ``headway runs`` accounts for. The plan is made before it, from the rate that will be injected and
from the restarts, the stalls and the detections of a shorter run on the same machine. Aim: within 3 points.

So few faults leave an error of chance, which is printed: the spread of many such runs by the plan's own simulation. The
plan at the rate that chance brought is printed beside, which is free of most of it.
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from benchmarks.machine_line import machine_line
from headway import api, units
from headway.planning.reliability.goodput import Checkpointing, Losses, exact_goodput, losses
from headway.planning.reliability.simulation import Poisson, simulate
from headway.recipe import Recipe, resolve_recipe
from headway.resilience.drills.stage import Stage, is_alive, kill
from headway.runs.goodput import WARM_UP_STEPS, Goodput, measure_goodput

AIM_POINTS = 3.0
MTBF_SECONDS = 120.0
MINUTES = 25.0
CALIBRATION_GAPS_SECONDS = (12.0, 8.0, 10.0, 9.0, 11.0, 7.0)
"""From a restart to the next kill of the shorter run: none of them meets a start."""

SAVE_EVERY_SECONDS = 5.0
MORE_STEPS_THAN_EVER = 10**6
REPLICAS = 2000
SEED = 20261201

_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class Measured:
    """What a run's faults and checkpoints cost, on average. Seconds, but for the bytes.

    Attributes:
        detection_seconds: from a kill until the supervisor starts the worker again, its wait included.
        restart_seconds: from then to the first step, what the first steps are slower included.
        write_seconds: of a checkpoint, for which the steps wait.
        checkpoint_bytes: of one.
    """

    detection_seconds: float
    restart_seconds: float
    write_seconds: float
    checkpoint_bytes: float

    def __str__(self) -> str:
        """Return the seconds, for people."""
        return (
            f"detection {self.detection_seconds:.2f} s, restart {self.restart_seconds:.2f} s, "
            f"checkpoint {self.write_seconds:.3f} s for {self.checkpoint_bytes / units.MIB:.0f} MiB"
        )


def main() -> int:
    """Measure, plan, run with faults, compare; return 1 where the aim is missed."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--minutes", type=float, default=MINUTES)
    parser.add_argument("--mtbf", type=float, default=MTBF_SECONDS, help="seconds of life between two faults")
    parser.add_argument("--folder", type=Path)
    wishes = parser.parse_args()
    folder = (wishes.folder or Path(tempfile.mkdtemp(prefix="headway-goodput-"))).absolute()
    folder.mkdir(parents=True, exist_ok=True)
    print(machine_line(), flush=True)
    shorter = _run(folder, "shorter", {}, iter(CALIBRATION_GAPS_SECONDS), float("inf"))
    before = measured_of(shorter)
    print(f"of the shorter run, which the plan knows: {before}", flush=True)
    facts = stated(before, wishes.mtbf)
    planned = api.plan(recipe_of(folder, facts), runs=folder).reliability
    assert planned is not None and planned.checkpointing is not None and planned.losses is not None
    print(f"planned goodput: {planned.goodput:.2%}", flush=True)
    dice = random.Random(SEED)
    gaps = iter(lambda: dice.expovariate(1 / wishes.mtbf), None)
    longer = _run(folder, "longer", facts, gaps, 60 * wishes.minutes)
    print(machine_line())
    return tell(longer, planned.checkpointing, planned.losses, wishes.mtbf)


def recipe_of(folder: Path, resilience: dict[str, Any]) -> Recipe:
    """Return a run of one process that goes on until it is stopped."""
    return resolve_recipe(
        {
            "name": "goodput",
            "model": {
                "hidden_size": 192,
                "intermediate_size": 512,
                "num_hidden_layers": 4,
                "num_attention_heads": 4,
                "num_key_value_heads": 2,
                "vocab_size": 2048,
                "max_position_embeddings": 128,
                "tie_word_embeddings": True,
            },
            "data": {"source": "python-stdlib", "max_bytes": 2_000_000, "cache": str(folder / "cache")},
            "training": {
                "steps": MORE_STEPS_THAN_EVER, "global_batch_size": 4, "learning_rate": 1e-3, "precision": "fp32",
            },
            "layout": {"micro_batch_size": 4},
            "hardware": {"accelerator": "cpu", "devices": 1, "devices_per_node": 1, "threads": 1},
            "resilience": {"checkpoint_every": SAVE_EVERY_SECONDS, "max_restarts": 100_000, **resilience},
        }
    )  # fmt: skip


def stated(before: Measured, mtbf_seconds: float) -> dict[str, Any]:
    """Return what a recipe says of failures: the rate that is injected, and what another run took."""
    return {
        "failures_per_1000_devices_per_day": 1000 * units.SECONDS_PER_DAY / mtbf_seconds,
        "detection_time": before.detection_seconds,
        "restart_time": before.restart_seconds,
        "repair_time": before.restart_seconds,
        "storage_write_bytes_per_second": before.checkpoint_bytes / before.write_seconds,
    }


@dataclass
class Killed:
    """A run that was killed.

    Attributes:
        stage: the run.
        times: of the kills, in seconds since 1970.
        alive_seconds: for which there was a worker that could be killed.
    """

    stage: Stage
    times: list[float]
    alive_seconds: float


def _run(folder: Path, name: str, facts: dict[str, Any], gaps: Iterator[float], seconds: float) -> Killed:
    """Train, and kill the worker whenever it has lived for the next gap; end after the time, or the last gap."""
    file = folder / f"{name}.toml"
    file.write_text(recipe_of(folder, facts).to_toml())
    killed = Killed(Stage(file, folder, name), [], 0.0)
    stage, calm = killed.stage, seconds == float("inf")
    left, now, end = next(gaps), time.monotonic(), time.monotonic() + seconds
    with stage:
        stage.start()
        while time.monotonic() < end:
            time.sleep(_POLL_SECONDS)
            passed, now = time.monotonic() - now, time.monotonic()
            if stage.has_ended():
                stage.start(resume=True)
            workers = [pid for pid in stage.workers() if is_alive(pid)]
            if not workers or (calm and not _has_stepped_since(stage, killed.times)):
                continue
            killed.alive_seconds += passed
            left -= passed
            if left <= 0:
                killed.times.append(time.time())
                kill(workers[0])
                print(f"{name}: {len(killed.times)} faults", flush=True)
                left = next(gaps, float("inf"))
                if left == float("inf"):
                    end = min(end, time.monotonic() + CALIBRATION_GAPS_SECONDS[0] + 10)
    return killed


def _has_stepped_since(stage: Stage, times: list[float]) -> bool:
    records = stage.records() if stage.run.metrics_path().exists() else []
    return bool(records) and (not times or records[-1]["time"] > times[-1] + 1.0)


def measured_of(run: Killed) -> Measured:
    """Return what the faults of a run cost, those whose restart another fault met left out."""
    events, records = run.stage.run.events(), run.stage.records()
    starts = [event["time"] for event in events if event["event"] == "attempt-started"]
    saved = [event for event in events if event["event"] == "checkpoint-saved"]
    steady = statistics.median(r["step_seconds"] for r in records if r.get("steps_since_start", 0) > WARM_UP_STEPS)
    detections, restarts = [], []
    for at, following in zip(run.times, [*run.times[1:], float("inf")], strict=True):
        begun = next((start for start in starts if start > at), None)
        warm = [record for record in records if begun is not None and begun < record["time"] < following]
        if begun is None or len(warm) <= WARM_UP_STEPS:
            continue
        detections.append(begun - at)
        excess = sum(max(record["step_seconds"] - steady, 0.0) for record in warm[1:WARM_UP_STEPS])
        restarts.append(warm[0]["time"] - begun - steady + excess)
    return Measured(
        detection_seconds=statistics.mean(detections or [math.nan]),
        restart_seconds=statistics.mean(restarts or [math.nan]),
        write_seconds=statistics.mean(event["stall_seconds"] for event in saved),
        checkpoint_bytes=statistics.median(event["bytes"] for event in saved),
    )


def tell(run: Killed, way: Checkpointing, planned: Losses, mtbf_seconds: float) -> int:
    """Print the goodput as planned and as measured, by part; return 1 where they are too far apart."""
    spent = measure_goodput(run.stage.run)
    seen_mtbf = run.alive_seconds / max(len(run.times), 1)
    wall_seconds = spent.seconds_in_all
    chance = simulate(Poisson(mtbf_seconds=mtbf_seconds), way, seconds=wall_seconds, replicas=REPLICAS)
    deviation = statistics.stdev(map(float, chance.goodputs))
    assert spent.share is not None
    print(
        f"{len(run.times)} faults in {wall_seconds:.0f} s, one in {seen_mtbf:.0f} s of life ({mtbf_seconds:.0f} wanted)"
    )
    print(f"of this run: {measured_of(run)}")
    print(f"{'':24}{'planned':>10}{'at the rate seen':>18}{'measured':>10}")
    for name, shares in _rows(planned, losses(seen_mtbf, way), spent):
        print(f"{name:24}" + "".join(f"{share:>{width}.2%}" for share, width in zip(shares, (10, 18, 10), strict=True)))
    points = 100 * (planned.useful - spent.share)
    print(f"planned less measured: {points:+.1f} points; standard error of one such run: {100 * deviation:.1f} points")
    of_itself = replace(way, **_way_of(measured_of(run)))
    print(f"the formula with what this run itself took, at the rate seen: {exact_goodput(seen_mtbf, of_itself):.2%}")
    return int(abs(points) > AIM_POINTS)


def _way_of(measured: Measured) -> dict[str, float]:
    return {
        "detection_seconds": measured.detection_seconds,
        "restart_seconds": measured.restart_seconds,
        "stall_seconds": measured.write_seconds,
    }


def _rows(planned: Losses, seen: Losses, spent: Goodput) -> Iterator[tuple[str, tuple[float, float, float]]]:
    """Yield each part's share of the wall time: planned, planned at the rate seen, and measured."""
    whole = spent.seconds_in_all

    def of(*parts: str) -> float:
        return sum(spent.seconds(part) for part in parts) / whole

    yield "useful (goodput)", (planned.useful, seen.useful, of("step"))
    yield "checkpoint stalls", (planned.stalls, seen.stalls, of("checkpoint_stall"))
    back = [one.detection + one.restart for one in (planned, seen)]
    yield "detection and restart", (back[0], back[1], of("restart", "warm_up"))
    yield "work done again", (planned.lost_work, seen.lost_work, of("lost_work"))
    yield "first start", (0.0, 0.0, of("start"))
    yield "waiting for data", (0.0, 0.0, of("data_stall"))
    yield "between steps", (0.0, 0.0, of("idle", "evaluation"))


if __name__ == "__main__":
    raise SystemExit(main())
