"""A command of any program under the supervisor: what ``headway run`` keeps alive."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, final

from headway.errors import RunError
from headway.resilience.supervisor.attempt import Attempt, Failure, Work
from headway.resilience.supervisor.job import Job
from headway.resilience.supervisor.listening import listening
from headway.resilience.supervisor.log_parts import LogParts
from headway.resilience.supervisor.supervising import Limits, Outcome, Supervisor
from headway.resilience.supervisor.watch import Watch, stacks_of
from headway.runs import RunFolder
from headway.runs.logs import EventLog

NOTE_CHILDREN_SECONDS = 2.0

OnOutput = Callable[[bytes], None]

USUAL = Limits()


def supervise(
    command: Sequence[str],
    folder: Path,
    *,
    limits: Limits = USUAL,
    on_output: OnOutput = lambda data: None,
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
    with _alone(folder), EventLog(folder / "events.jsonl") as events, listening() as signals:

        def record(event: str, **details: Any) -> None:
            # Only what a job of our own names has an id.
            told = {name: value for name, value in details.items() if name != "id" or value is not None}
            events.record(event, **told)
            on_event({"event": event, **told})

        return Supervisor(CommandWork(command, folder, limits, on_output), limits, signals).run(record)


@final
class CommandWork(Work):
    """A command whose output goes to a log for each start.

    Args:
        command: program and arguments.
        folder: of the run.
        limits: how long and how often.
        on_output: told of what the job writes.
    """

    def __init__(self, command: Sequence[str], folder: Path, limits: Limits, on_output: OnOutput) -> None:
        self._command = list(command)
        self._folder = folder
        self._limits = limits
        self._on_output = on_output

    def start(self, number: int) -> Attempt:
        """Start it; its environment says which start it is."""
        log = self._folder / "logs" / f"attempt-{number:03}.log"
        watch, parts = Watch(log, self._limits.hang_steps), LogParts([log])
        job = Job(self._command, log, {"HEADWAY_ATTEMPT": str(number)})
        return _CommandAttempt(job, log, watch, parts, self._on_output)

    def details(self) -> Mapping[str, Any]:
        """Return the command."""
        return {"command": self._command}


@final
class _CommandAttempt(Attempt):
    def __init__(self, job: Job, log: Path, watch: Watch, parts: LogParts, on_output: OnOutput) -> None:
        self._job = job
        self._log = log
        self._watch = watch
        # A later job of the same name writes to the same file, and has nothing to do with what failed before it.
        self._parts = parts
        self._on_output = on_output
        self._noted = 0.0

    @property
    def step(self) -> int | None:
        return self._watch.step

    def poll(self) -> int | None:
        status = self._job.poll()
        self._on_output(self._watch.look())
        if status is None and time.monotonic() - self._noted > NOTE_CHILDREN_SECONDS:
            self._job.note_children()
            self._noted = time.monotonic()
        return status

    def hung_seconds(self) -> float | None:
        return self._watch.hung_seconds()

    def explain_hang(self, silent_seconds: float) -> Mapping[str, Any]:
        path = self._log.with_name(f"{self._log.stem}-stacks.txt")
        path.write_text(stacks_of(self._job.pid), encoding="utf-8")
        # The job's own log tells it too, so that a diagnosis of the log alone finds it.
        self._note(f"No progress was made for {silent_seconds:.0f} s; stacks are in {path.name}")
        return {"stacks": path.name}

    def tell(self, number: int) -> None:
        self._job.tell(number)

    def end(self, grace_seconds: float, number: int, is_over: Callable[[], bool]) -> int:
        def look() -> bool:
            self._on_output(self._watch.look())
            return is_over()

        return self._job.end(grace_seconds, number, look)

    def abandon(self, grace_seconds: float) -> int:
        return self._job.end(grace_seconds)

    def failure(self, status: int, hung: bool) -> Failure:
        if status < 0:
            self._note(f"the command ended by {signal.Signals(-status).name}, exit code: {status}")
        return Failure(self._parts.diagnosed())

    def close(self) -> None:
        self._job.close()
        while data := self._watch.look():
            self._on_output(data)

    def _note(self, text: str) -> None:
        with self._log.open("a", encoding="utf-8") as file:
            file.write(f"\nheadway: {text}\n")


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
