"""Trainings under the supervisor: real workers, killed and stopped by real signals."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from headway.diagnosis import diagnose
from headway.errors import HeadwayError, RunError, TrainingError
from headway.recipe import Recipe
from headway.resilience.supervisor.watch import LEAST_HANG_SECONDS
from headway.runs import RunFolder
from headway.training.session import Followers, open_run
from headway.training.supervised import train_supervised

Make = Callable[..., Recipe]

STEPS = 30
LAYOUT = {
    "data_parallel_degree": 2,
    "tensor_parallel_degree": 1,
    "pipeline_parallel_degree": 1,
    "shard": "parameters",
    "micro_batch_size": 2,
}


def start(make: Make, root: Path, *, processes: int = 1, steps: int = STEPS, **resilience: Any) -> RunFolder:
    recipe = make(
        training={"steps": steps, "precision": "fp32"},
        layout={"micro_batch_size": "auto" if processes > 1 else 4},
        hardware={"devices": processes, "devices_per_node": processes, "threads": 1},
        resilience={"checkpoint_every_steps": 5, "keep_last": 10, **resilience},
    )
    return open_run(recipe, {"layout": LAYOUT} if processes > 1 else {}, root=root)


def pids(run: RunFolder, processes: int = 1) -> list[int]:
    from headway.runs.heartbeat import read_beat

    beats = [read_beat(run.heartbeat_path(rank)) for rank in range(processes)]
    return [beat.pid for beat in beats if beat is not None]


class At:
    """Does something once, when a step is done for the first time."""

    def __init__(self, step: int, act: Callable[[], None]) -> None:
        self._step, self._act, self._is_done = step, act, False

    def __call__(self, record: dict[str, Any]) -> None:
        if record["step"] >= self._step and not self._is_done:
            self._is_done = True
            self._act()


def kill_at(step: int, run: RunFolder, rank: int, number: int, processes: int) -> Followers:
    return Followers(on_metric=At(step, lambda: os.kill(pids(run, processes)[rank], number)))


def kinds(run: RunFolder) -> list[str]:
    return [event["event"] for event in run.events()]


def the(run: RunFolder, kind: str) -> dict[str, Any]:
    (event,) = [event for event in run.events() if event["event"] == kind]
    return event


def losses(run: RunFolder) -> list[float]:
    return [record["loss"] for record in run.metrics()]


@pytest.fixture(scope="module")
def straight(make_small_recipe: Make, tmp_path_factory: pytest.TempPathFactory) -> RunFolder:
    """A run of two processes that nothing disturbs, under torchrun."""
    run = start(make_small_recipe, tmp_path_factory.mktemp("straight"), processes=2)
    train_supervised(run, processes=2, launcher="torchrun")
    assert [kind for kind in kinds(run) if "attempt" in kind] == ["attempt-started", "attempt-finished"]
    assert run.log_path(1).exists()
    return run


@pytest.mark.parametrize("launcher", ["local", "torchrun"])
def test_a_killed_worker_is_started_again(
    launcher: Any, make_small_recipe: Make, straight: RunFolder, tmp_path: Path
) -> None:
    run = start(make_small_recipe, tmp_path, processes=2)
    followers = kill_at(12, run, 1, signal.SIGKILL, 2)
    train_supervised(run, followers, processes=2, launcher=launcher)
    failed = the(run, "attempt-failed")
    assert failed["cause"] == "killed"
    assert failed["step"] >= 12
    if launcher == "local":
        assert (failed["rank"], failed["status"], failed["id"]) == (1, -9, "training-worker-killed")
    assert the(run, "resumed")["step"] >= 5
    assert run.status() == "finished"
    assert losses(run) == losses(straight)
    assert "SIGKILL" in run.log_path(1).read_text() or launcher == "torchrun"


def test_a_stopped_rank_is_a_hang_whose_stacks_are_kept(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe, tmp_path, processes=2, steps=60, hang_steps=3, checkpoint_every_steps=100)
    train_supervised(run, kill_at(12, run, 1, signal.SIGSTOP, 2), processes=2)
    hang = the(run, "hang")
    assert hang["ranks"] == [1]
    assert hang["silent_seconds"] > LEAST_HANG_SECONDS
    assert set(hang["doing"]) == {"0", "1"}
    for rank in (0, 1):
        assert "loop.py" in run.log_path(rank).read_text(), "the Python stacks of each rank"
    assert the(run, "attempt-failed")["cause"] == "hang"
    assert run.status() == "finished"


def test_what_would_be_there_again_ends_at_once(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe, tmp_path)
    (run.path / "recipe.toml").write_text(run.recipe().to_toml().replace("paths = [", 'paths = ["/nowhere",'))
    with pytest.raises(HeadwayError) as raised:
        train_supervised(run)
    assert raised.value.message_id == "data-path-missing"
    assert kinds(run)[-1] == "gave-up"
    assert the(run, "gave-up")["reason"] == "lasting"


def test_restarts_are_counted_and_the_command_line_counts_more(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe, tmp_path, steps=3000, max_restarts=5)
    with pytest.raises(TrainingError, match="training-worker-killed"):
        train_supervised(run, kill_at(3, run, 0, signal.SIGKILL, 1), retries=0)
    assert the(run, "gave-up")["reason"] == "retries"
    assert diagnose([run.path]).cause == "killed"
    assert run.status() == "interrupted"


SUPERVISOR = """
import sys
from pathlib import Path
from headway.runs import RunFolder
from headway.training.supervised import train_supervised
train_supervised(RunFolder(Path(sys.argv[1])), processes=2, launcher=sys.argv[2])
"""


@pytest.mark.parametrize("launcher", ["local", "torchrun"])
def test_a_killed_supervisor_leaves_no_orphan_and_a_second_is_refused(
    launcher: str, make_small_recipe: Make, tmp_path: Path
) -> None:
    run = start(make_small_recipe, tmp_path, processes=2, steps=100_000, grace_time=3)
    supervisor = subprocess.Popen([sys.executable, "-c", SUPERVISOR, str(run.path), launcher])
    wait_until(lambda: len(run.metrics()) > 2)
    with pytest.raises(RunError, match="run-locked"):
        train_supervised(run)
    family = [*psutil.Process(supervisor.pid).children(recursive=True)]
    assert len(family) >= 3, "the workers and the reaper"
    # One that cannot heed any request is killed all the same.
    os.kill(pids(run, 2)[1], signal.SIGSTOP)
    supervisor.kill()
    supervisor.wait()
    wait_until(lambda: not any(one.is_running() and one.status() != psutil.STATUS_ZOMBIE for one in family))
    wait_until(lambda: run.status() == "interrupted")


def test_an_interrupt_saves_and_starts_nothing_again(make_small_recipe: Make, tmp_path: Path) -> None:
    run = start(make_small_recipe, tmp_path, steps=100_000)
    main = threading.main_thread().ident
    assert main is not None
    interrupt = At(3, lambda: signal.pthread_kill(main, signal.SIGINT))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            train_supervised(run, Followers(on_metric=interrupt))
    finally:
        signal.signal(signal.SIGINT, before)
    assert kinds(run)[-1] == "attempt-stopped"
    saved = [event["step"] for event in run.events() if event["event"] == "checkpoint-saved"]
    assert saved[-1] == run.metrics()[-1]["step"]
    assert "retrying" not in kinds(run)


def wait_until(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.05)
