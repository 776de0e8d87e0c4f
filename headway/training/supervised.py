"""A training under the supervisor: its workers start again from the newest good checkpoint where that can help."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, final

import psutil

from headway.errors import TrainingError
from headway.resilience.supervisor import Attempt, Failure, Limits, Supervisor, Work
from headway.resilience.supervisor.log_parts import LogParts
from headway.resilience.supervisor.pulse import PulseWatch
from headway.runs import EventLog, RunFolder
from headway.runs.heartbeat import this_host
from headway.training.reporting import STACKS_SIGNAL
from headway.training.session import Followers, Launcher, Session

STACKS_SECONDS = 5.0
"""How long the workers may take to write their stacks, before they are killed."""

LAUNCHER_SECONDS = 60.0
"""How long a launcher may take to end a job that has lost a process, before that is a hang.

torchrun itself waits 30 s between SIGTERM and SIGKILL. Source: PyTorch, torch.distributed.elastic.agent.
"""

_STACKS_POLL_SECONDS = 0.05


def train_supervised(
    run: RunFolder,
    followers: Followers | None = None,
    *,
    processes: int = 1,
    retries: int | None = None,
    launcher: Launcher = "local",
) -> None:
    """Train a run to its end in workers of this machine, and keep it alive.

    Args:
        run: the run's folder.
        followers: who is told about metrics and events.
        processes: how many workers.
        retries: starts beyond the first, instead of the recipe's.
        launcher: who starts them.

    Raises:
        HeadwayError: the error that the last attempt ended with.
        RunError: another supervisor or worker has the run.
        KeyboardInterrupt: passed on after the run has saved and stopped.
    """
    settings = run.recipe().resilience
    limits = Limits(
        retries=settings.max_restarts if retries is None else retries,
        grace_seconds=settings.grace_time,
        hang_steps=settings.hang_steps,
    )
    with run.lock(supervising=True), EventLog(run.events_path) as events:
        work = TrainingWork(run, followers or Followers(), processes=processes, launcher=launcher, limits=limits)
        outcome = Supervisor(work, limits).run(events.record)
    if outcome.failure is not None and outcome.failure.error is not None:
        raise outcome.failure.error


@final
class TrainingWork(Work):
    """The workers of a run.

    Args:
        run: the run's folder.
        followers: who is told about metrics and events.
        processes: how many workers.
        launcher: who starts them.
        limits: how long they have to save, and when they hang.
    """

    def __init__(
        self, run: RunFolder, followers: Followers, *, processes: int, launcher: Launcher, limits: Limits
    ) -> None:
        self._run = run
        self._followers = followers
        self._processes = processes
        self._launcher: Launcher = launcher
        self._limits = limits

    def start(self, number: int) -> Attempt:
        """Start them."""
        return _TrainingAttempt(self._run, self._followers, self._processes, self._launcher, self._limits)

    def details(self) -> Mapping[str, Any]:
        """Return how many there are, and who starts them."""
        return {"processes": self._processes, "launcher": self._launcher}


@final
class _TrainingAttempt(Attempt):
    def __init__(
        self, run: RunFolder, followers: Followers, processes: int, launcher: Launcher, limits: Limits
    ) -> None:
        self._run = run
        self._told = followers
        self._step: int | None = None
        self._launcher = launcher
        ranks = range(processes)
        self._watch = PulseWatch([run.heartbeat_path(rank) for rank in ranks], limits.hang_steps)
        logs = [run.log_path(rank) for rank in ranks]
        if launcher == "torchrun":
            logs.append(run.logs_folder / "torchrun.log")
        self._logs, self._parts = logs, LogParts([run.events_path, *logs])
        self._session = Session(
            run,
            Followers(on_metric=self._note, on_event=followers.on_event),
            processes=processes,
            launcher=launcher,
            grace_seconds=limits.grace_seconds,
        )

    def _note(self, record: dict[str, Any]) -> None:
        self._step = record["step"]
        if record.get("step_seconds", 0) > 0:
            self._watch.note_step(record["step_seconds"])
        self._told.on_metric(record)

    @property
    def step(self) -> int | None:
        return self._step

    def poll(self) -> int | None:
        self._watch.look()
        return self._session.poll()

    def hung_seconds(self) -> float | None:
        silent = self._watch.hung_seconds()
        if silent is not None and silent < LAUNCHER_SECONDS and self._has_lost_one():
            return None
        return silent

    def _has_lost_one(self) -> bool:
        """Say whether a process is gone that had not come to its end: then the others wait for their launcher."""
        beats = [beat for beat in self._watch.beats.values() if beat.host == this_host() and beat.doing != "end"]
        return any(_is_gone(beat.pid) for beat in beats)

    def explain_hang(self, silent_seconds: float) -> Mapping[str, Any]:
        beats, behind = self._watch.beats, self._watch.behind()
        pids = {rank: beat.pid for rank, beat in beats.items() if beat.host == this_host()}
        stopped = [rank for rank, pid in pids.items() if _is_stopped(pid)]
        sizes = {rank: _size(self._run.log_path(rank)) for rank in pids}
        self._session.tell(STACKS_SIGNAL)
        # One that was stopped writes nothing before it goes on.
        self._session.tell(signal.SIGCONT)
        deadline = time.monotonic() + STACKS_SECONDS
        while time.monotonic() < deadline and any(_size(self._run.log_path(rank)) == sizes[rank] for rank in pids):
            time.sleep(_STACKS_POLL_SECONDS)
        # One more turn, for those that are in the middle of it.
        time.sleep(_STACKS_POLL_SECONDS)
        ranks = stopped or behind
        for rank in ranks or [0]:
            _append(self._run.log_path(rank), f"No progress was made for {silent_seconds:.0f} s; stacks are above")
        return {
            "ranks": ranks,
            "doing": {str(rank): beat.doing for rank, beat in beats.items()},
            "steps": {str(rank): beat.step for rank, beat in beats.items()},
            "stacks": [self._run.log_path(rank).name for rank in pids],
        }

    def tell(self, number: int) -> None:
        self._session.tell(number)

    def end(self, grace_seconds: float, number: int, is_over: Callable[[], bool]) -> int:
        self._session.stop(grace_seconds)
        return self._session.poll() or 0

    def abandon(self, grace_seconds: float) -> int:
        # There is nothing to save: what hangs cannot, and the last checkpoint is whole.
        self._session.kill()
        return self._session.poll() or 0

    def failure(self, status: int, hung: bool) -> Failure:
        # Of torchrun's processes only their logs know which was the first.
        rank = None if hung or self._launcher == "torchrun" else self._session.first_failed
        if status < 0 and not hung:
            name = signal.Signals(-status).name
            _append(self._logs[-1 if rank is None else rank], f"the process ended by {name}, exit code: {status}")
        told = self._parts.diagnosed()
        if hung:
            return Failure(told, error=TrainingError("training-hung", name=self._run.name, log=str(self._logs[0])))
        error = self._session.failure(status)
        return Failure(told, None if error is None else error.message_id, error, rank)

    def close(self) -> None:
        self._session.leave()


def _is_gone(pid: int) -> bool:
    """Say whether a process has ended, also where nobody has asked yet how."""
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.Error:
        return True


def _is_stopped(pid: int) -> bool:
    try:
        return bool(psutil.Process(pid).status() == psutil.STATUS_STOPPED)
    except psutil.Error:
        return False


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _append(log: Path, text: str) -> None:
    """Write into a rank's log what it cannot say itself, so that a diagnosis of the logs alone finds it."""
    try:
        with log.open("a", encoding="utf-8") as file:
            file.write(f"\nheadway: {text}\n")
    except OSError:
        return
