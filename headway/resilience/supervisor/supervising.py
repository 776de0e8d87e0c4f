"""The supervisor's loop: start, watch, end, explain, decide, wait, start again."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from headway.diagnosis import Diagnosis, diagnose
from headway.errors import RunError
from headway.resilience.supervisor.deciding import Stop, decide
from headway.resilience.supervisor.job import Job
from headway.resilience.supervisor.watch import Watch, stacks_of
from headway.runs import RunFolder
from headway.runs.logs import EventLog

LOOK_SECONDS = 0.1
NOTE_CHILDREN_SECONDS = 2.0

STOPPING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
PASSED_ON = (signal.SIGUSR1, signal.SIGUSR2)
"""What Slurm and others announce the end of the time with; the job knows what it means."""

LARGEST_WAIT_SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long and how often.

    Attributes:
        retries: starts beyond the first.
        wait_seconds: before the second start; doubled for each further one.
        grace_seconds: for the job to save and end when it is told to stop.
        hang_steps: usual steps without another one, after which the job hangs; 0 watches for none.
    """

    retries: int = 3
    wait_seconds: float = 1.0
    grace_seconds: float = 30.0
    hang_steps: float = 10.0


@dataclass(frozen=True)
class Outcome:
    """How a supervised job ended.

    Attributes:
        status: exit status of the last attempt, negative for a signal.
        attempts: how often it was started.
        stopped_by: the signal that told the supervisor to stop; None where none did.
        told: why the last attempt failed; None where it did not.
        reason: id of why it was not started again; None where it ended well.
    """

    status: int
    attempts: int
    stopped_by: int | None = None
    told: Diagnosis | None = None
    reason: str | None = None


@dataclass
class _Signals:
    """What the supervisor was told while it worked."""

    stop: int | None = None
    stops: int = 0
    passed_on: list[int] = field(default_factory=list)


def supervise(
    command: Sequence[str],
    folder: Path,
    *,
    limits: Limits = Limits(),
    on_output: Callable[[bytes], None] = lambda data: None,
    on_event: Callable[[Mapping[str, Any]], None] = lambda record: None,
) -> Outcome:
    """Run a command until it ends well, or until another start would not help.

    Args:
        command: program and arguments.
        folder: holds ``events.jsonl`` and ``logs/attempt-N.log``; made where it is missing.
        limits: how long and how often.
        on_output: told of what the job writes.
        on_event: told of what happens, as it is written to ``events.jsonl``.

    Raises:
        RunError: the folder cannot be written, or another supervisor has it.
        TrainingError: the program cannot be started.
    """
    with _alone(folder), EventLog(folder / "events.jsonl") as events, _listening() as signals:
        supervisor = _Supervisor(command, folder, limits, signals, on_output)

        def record(event: str, **details: Any) -> None:
            events.record(event, **details)
            on_event({"event": event, **details})

        return supervisor.run(record)


class _Supervisor:
    def __init__(
        self,
        command: Sequence[str],
        folder: Path,
        limits: Limits,
        signals: _Signals,
        on_output: Callable[[bytes], None],
    ) -> None:
        self._command = list(command)
        self._folder = folder
        self._limits = limits
        self._signals = signals
        self._on_output = on_output
        self._before: list[Stop] = []

    def run(self, record: Callable[..., None]) -> Outcome:
        """Start attempts until one is the last."""
        while True:
            number = len(self._before) + 1
            log = self._folder / "logs" / f"attempt-{number:03}.log"
            record("attempt-started", attempt=number, command=self._command)
            started = time.monotonic()
            status, watch, hung = self._attempt(log, record)
            seconds = time.monotonic() - started
            if self._signals.stop is not None:
                record("attempt-stopped", attempt=number, signal=self._signals.stop, status=status, seconds=seconds)
                return Outcome(status, number, stopped_by=self._signals.stop)
            if status == 0 and not hung:
                record("attempt-finished", attempt=number, seconds=seconds, step=watch.step)
                return Outcome(0, number)
            outcome = self._failed(number, status, watch, log, record)
            if outcome is not None:
                return outcome

    def _attempt(self, log: Path, record: Callable[..., None]) -> tuple[int, Watch, bool]:
        """Run the job once; return its status, what was watched, and whether it hung."""
        watch = Watch(log, self._limits.hang_steps)
        job = Job(self._command, log, {"HEADWAY_ATTEMPT": str(len(self._before) + 1)})
        try:
            noted = 0.0
            while job.poll() is None:
                self._on_output(watch.look())
                if self._signals.stop is not None:
                    return (
                        job.end(self._limits.grace_seconds, self._signals.stop, self._meanwhile(job, watch)),
                        watch,
                        False,
                    )
                while self._signals.passed_on:
                    job.tell(self._signals.passed_on.pop(0))
                silent = watch.hung_seconds()
                if silent is not None:
                    self._hang(job, log, silent, record)
                    return job.end(self._limits.grace_seconds), watch, True
                if time.monotonic() - noted > NOTE_CHILDREN_SECONDS:
                    job.note_children()
                    noted = time.monotonic()
                time.sleep(LOOK_SECONDS)
            return job.poll() or 0, watch, False
        finally:
            job.close()
            while data := watch.look():
                self._on_output(data)

    def _meanwhile(self, job: Job, watch: Watch) -> Callable[[], bool]:
        """Return what is done while the job saves: show, pass signals on, and end the grace when told twice."""

        def look() -> bool:
            self._on_output(watch.look())
            while self._signals.passed_on:
                job.tell(self._signals.passed_on.pop(0))
            return self._signals.stops > 1

        return look

    def _hang(self, job: Job, log: Path, silent: float, record: Callable[..., None]) -> None:
        """Write down where the processes stand, before they are ended."""
        stacks = stacks_of(job.pid)
        path = log.with_name(f"{log.stem}-stacks.txt")
        path.write_text(stacks, encoding="utf-8")
        with log.open("a", encoding="utf-8") as file:
            # The job's own log tells it too, so that a diagnosis of the log alone finds it.
            file.write(f"\nheadway: No progress was made for {silent:.0f} s; stacks are in {path.name}\n")
        record("hang", silent_seconds=silent, stacks=path.name)

    def _failed(self, number: int, status: int, watch: Watch, log: Path, record: Callable[..., None]) -> Outcome | None:
        """Explain a failure; return the outcome where it is the last, None where the job is to be started again."""
        if status < 0:
            with log.open("a", encoding="utf-8") as file:
                file.write(f"\nheadway: the command ended by {signal.Signals(-status).name}, exit code: {status}\n")
        told = diagnose([log])
        record(
            "attempt-failed",
            attempt=number,
            status=status,
            step=watch.step,
            cause=told.cause,
            confidence=told.confidence,
            rank=told.first_failure.rank,
            host=told.first_failure.host,
        )
        decision = decide(told, watch.step, self._before, self._limits.retries)
        if not decision.again:
            record("gave-up", attempt=number, reason=decision.reason, cause=told.cause)
            return Outcome(status, number, told=told, reason=decision.reason)
        wait = min(self._limits.wait_seconds * 2 ** len(self._before), LARGEST_WAIT_SECONDS)
        self._before.append(Stop(told.cause, watch.step))
        record("retrying", attempt=number + 1, wait_seconds=wait, cause=told.cause)
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline and self._signals.stop is None:
            time.sleep(min(LOOK_SECONDS, wait))
        if self._signals.stop is not None:
            return Outcome(status, number, stopped_by=self._signals.stop, told=told)
        return None


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder against a second supervisor.

    Raises:
        RunError: the folder cannot be written, or another supervisor has it.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RunError("run-unwritable", path=str(folder), reason=error.strerror or str(error)) from error
    with RunFolder(folder).lock():
        yield


@contextmanager
def _listening() -> Iterator[_Signals]:
    """Take down what the supervisor is told, in place of ending."""
    signals = _Signals()

    def stop(number: int, _frame: object) -> None:
        signals.stop = signals.stop or number
        signals.stops += 1

    def pass_on(number: int, _frame: object) -> None:
        signals.passed_on.append(number)

    before = {number: signal.signal(number, stop) for number in STOPPING}
    before |= {number: signal.signal(number, pass_on) for number in PASSED_ON}
    try:
        yield signals
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
