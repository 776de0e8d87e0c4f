"""One run from the outside: make its folder, start its workers, follow them, and pass on how they ended."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, Self, final

from headway.errors import HeadwayError, RunError, TrainingError, rebuild_error
from headway.recipe import Recipe
from headway.resilience.launchers.local import held_interrupt, start_worker, stop_workers
from headway.resilience.launchers.reaping import Reaper
from headway.resilience.launchers.torchrun import torchrun_command
from headway.runs import EventLog, RunFolder
from headway.runs.heartbeat import read_beat, this_host
from headway.runs.tail import Tail
from headway.training.place import RENDEZVOUS, Place
from headway.training.reporting import OWN_LOG
from headway.training.resuming import find_run, require_resumable, resume_notices

LOCKED = 3
"""Exit code of a worker where another process is training the run."""

RESUME_NOTICE = "resume-notice"
"""The event of what a reader must know before a run goes on."""

POLL_SECONDS = 0.1
GRACE_SECONDS = 120.0
"""How long a worker may take to save and end when it is asked to stop."""

Launcher = Literal["local", "torchrun"]
"""Who starts the workers of this machine: this process each of them, or torchrun all."""

Follower = Callable[[dict[str, Any]], None]
"""Called with each record of the metric log or the event log as it appears."""


@dataclass(frozen=True, kw_only=True)
class Followers:
    """Who is told what happens."""

    on_metric: Follower = lambda _record: None
    on_event: Follower = lambda _record: None


def open_run(
    recipe: Recipe,
    plan: Mapping[str, Any],
    *,
    root: Path,
    name: str | None = None,
    resume: bool = False,
    before: Mapping[str, Any] | None = None,
) -> RunFolder:
    """Create the folder of a new run, or find the one to resume.

    Args:
        recipe: the resolved recipe.
        plan: the plan as plain data.
        root: the folder of all runs.
        name: the run's name; the recipe's by default.
        resume: go on with the newest run of that name.
        before: what was looked at before, for the run's event log; None where nothing was.

    Raises:
        RunError: the name is taken or unknown, the recipe changed since the run began, or more steps are done.
    """
    if not resume:
        run = RunFolder.create(root, recipe, plan, name)
        _record_before(run, before)
        return run
    run = find_run(root, recipe, name)
    require_resumable(run, recipe)
    notices = resume_notices(run, recipe)
    if run.has_trained():
        # The first plan stays: it is what the run is measured against.
        run.add_plan(plan)
    else:
        run.write_plan(plan)
    run.write_recipe(recipe)
    _record_before(run, before)
    with EventLog(run.events_path) as events:
        for notice in notices:
            events.record(RESUME_NOTICE, id=notice.message_id, arguments=notice.arguments)
    return run


def _record_before(run: RunFolder, before: Mapping[str, Any] | None) -> None:
    if before is not None:
        with EventLog(run.events_path) as events:
            events.record("preflight", **before)


@final
class Session:
    """The workers that are training a run, all on this machine.

    Args:
        run: the run's folder.
        followers: who is told about metrics and events.
        processes: how many workers; each has a rank.
        launcher: who starts them.
        grace_seconds: how long they may take to save and end when they are asked to stop.
    """

    def __init__(
        self,
        run: RunFolder,
        followers: Followers | None = None,
        *,
        processes: int = 1,
        launcher: Launcher = "local",
        grace_seconds: float = GRACE_SECONDS,
    ) -> None:
        self.run = run
        self._followers = followers or Followers()
        self._metrics = Tail(run.metrics_path(), from_end=True)
        self._events = Tail(run.events_path, from_end=True)
        self._untold = _resume_events(run)
        self._failure: dict[str, Any] | None = None
        self.workers: list[subprocess.Popen[bytes]] = []
        self._code: int | None = None
        self._meeting: Path | None = None
        self._processes = processes
        self._is_torchrun = launcher == "torchrun"
        self._grace_seconds = grace_seconds
        self._reaper: Reaper | None = None
        self._said: list[int] = []
        self.first_failed: int | None = None
        with held_interrupt() as interrupted:
            self._start(launcher)
        if interrupted:
            self.stop()
            raise KeyboardInterrupt

    @property
    def process(self) -> subprocess.Popen[bytes]:
        """The first worker, which writes for all."""
        return self.workers[0]

    def _start(self, launcher: Launcher) -> None:
        for rank in range(self._processes):
            # What an earlier worker said last is not what this one does.
            self.run.heartbeat_path(rank).unlink(missing_ok=True)
        command = [sys.executable, "-m", "headway.training.worker", str(self.run.path)]
        try:
            if launcher == "torchrun":
                log = self.run.logs_folder / "torchrun.log"
                together = torchrun_command(self._processes, command[1:])
                self.workers.append(start_worker(together, log, {OWN_LOG: "1"}, is_parent=False))
            elif self._processes == 1:
                self.workers.append(start_worker(command, self.run.log_path()))
            else:
                self._start_each(command)
        except BaseException:
            self.kill()
            raise
        # The kernel tells the workers when this process dies; the reaper kills those that do not heed it.
        number = signal.SIGTERM if self._is_torchrun else 0
        self._reaper = Reaper([worker.pid for worker in self.workers], self._grace_seconds, number)

    def _start_each(self, command: list[str]) -> None:
        # A file to meet at needs no port, which another program could take meanwhile.
        self._meeting = Path(tempfile.mkdtemp(prefix="headway-"))
        for rank in range(self._processes):
            place = Place(rank=rank, size=self._processes, local_rank=rank, local_size=self._processes)
            environment = {**place.to_environment(), RENDEZVOUS: f"file://{self._meeting / 'rendezvous'}"}
            self.workers.append(start_worker(command, self.run.log_path(rank), environment))

    def poll(self) -> int | None:
        """Pass on what is new; return the workers' exit code, or None while they run.

        Where one has failed, the others wait for it in vain: they are ended, and its code is returned.
        """
        code = self._exit_code()
        pids = self._pids()
        untold, self._untold = self._untold, []
        for event in [*untold, *self._events.read()]:
            if event.get("event") == "failed" and event.get("pid") in pids:
                self._failure = self._failure or event
            self._followers.on_event(event)
        for record in self._metrics.read():
            self._followers.on_metric(record)
        return code

    def _pids(self) -> list[int]:
        """Return the processes that may say that they have failed, and hand those that are new to the reaper."""
        started = [worker.pid for worker in self.workers]
        if not self._is_torchrun:
            return started
        new = [pid for pid in self.worker_pids() if pid not in self._said]
        if new and self._reaper is not None:
            self._reaper.add(new)
        self._said += new
        return [*started, *self._said]

    def _exit_code(self) -> int | None:
        """Return the code of the run, once it is known: of a worker that was killed, else of one that failed."""
        if self._code is not None:
            return self._code
        codes = [worker.poll() for worker in self.workers]
        failed = [code for code in codes if code]
        if failed:
            # One that was killed is the cause of what the others complain about.
            self._code = min(failed)
            self.first_failed = codes.index(self._code)
            self.kill()
        elif None not in codes:
            self._code = 0
            self._tidy()
        return self._code

    def _tidy(self) -> None:
        """Remove what is of use only while workers run, once none does."""
        if self._meeting is not None:
            shutil.rmtree(self._meeting, ignore_errors=True)
        if self._reaper is not None:
            self._reaper.dismiss()
            self._reaper = None

    def wait(self, until: Callable[[], bool] = lambda: False) -> int | None:
        """Follow the worker to its end, or until a condition holds.

        Returns:
            The worker's exit code, or None where the condition came first.

        Raises:
            HeadwayError: the error that the worker ended with.
            TrainingError: the worker was killed, or ended without a word.
        """
        while True:
            code = self.poll()
            if code is not None:
                self._raise_failure(code)
                return code
            if until():
                return None
            time.sleep(POLL_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Leave no worker behind: one that still runs saves and stops; a failure to do so is raised."""
        if any(worker.poll() is None for worker in self.workers):
            self.stop()
            # One that was asked before it could listen died of the request: it had not begun, and lost nothing.
            codes = [worker.returncode for worker in self.workers if worker.returncode != -signal.SIGTERM]
            self._raise_failure(min((code for code in codes if code), default=0))

    def stop(self, grace_seconds: float | None = None) -> None:
        """Ask the workers to save and end, and wait for them."""
        if self._is_torchrun:
            # Asked itself, it would give them half a minute, whatever the grace is.
            self.tell(signal.SIGTERM)
        stop_workers(self.workers, self._grace_seconds if grace_seconds is None else grace_seconds)
        self.poll()

    def kill(self) -> None:
        """Kill the workers and all that they started at once, as a fault would."""
        pids = [*(worker.pid for worker in self.workers), *(self.worker_pids() if self._is_torchrun else ())]
        for pid in pids:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, signal.SIGKILL)
        for worker in self.workers:
            worker.wait()
        self._tidy()

    def worker_pids(self) -> list[int]:
        """Return the processes of this machine that train, by rank: as they say themselves."""
        beats = [read_beat(self.run.heartbeat_path(rank)) for rank in range(self._processes)]
        return [beat.pid for beat in beats if beat is not None and beat.host == this_host()]

    def tell(self, number: int) -> None:
        """Send a signal to each worker of this machine."""
        for pid in self.worker_pids():
            with suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)

    def _raise_failure(self, code: int) -> None:
        error = self.failure(code)
        if error is not None:
            raise error

    def failure(self, code: int) -> HeadwayError | None:
        """Return the error that an exit code stands for, the one that a worker named where one did; None for 0."""
        if code == LOCKED:
            return RunError("run-locked", name=self.run.name)
        if code > 0 and self._failure is not None:
            return _rebuild(self._failure)
        if code < 0:
            return TrainingError(
                "training-worker-killed", signal=-code, name=self.run.name, log=str(self.run.log_path())
            )
        return TrainingError("training-worker-failed", code=code, log=str(self.run.log_path())) if code > 0 else None


def _resume_events(run: RunFolder) -> list[dict[str, Any]]:
    """Return the notices that `open_run` wrote, which followers have not seen: the last events before a start."""
    found: list[dict[str, Any]] = []
    for event in reversed(run.events()):
        if event.get("event") != RESUME_NOTICE:
            break
        found.insert(0, event)
    return found


def _rebuild(event: Mapping[str, Any]) -> HeadwayError:
    return rebuild_error(str(event.get("kind")), str(event.get("id")), dict(event.get("arguments", {})))
