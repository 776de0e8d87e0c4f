"""The supervisor's loop: start, watch, end, explain, decide, wait, start again."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass

from headway.diagnosis import Diagnosis
from headway.resilience.supervisor.attempt import Attempt, Failure, Work
from headway.resilience.supervisor.deciding import Stop, decide
from headway.resilience.supervisor.listening import Signals

LOOK_SECONDS = 0.1

LARGEST_WAIT_SECONDS = 300.0

Record = Callable[..., None]
"""Writes an event: its name, and details by name."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How long and how often.

    Attributes:
        retries: starts beyond the first.
        wait_seconds: before the second start; doubled for each further one that gets no further.
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
        failure: why the last attempt failed; None where it did not.
        reason: id of why it was not started again; None where it ended well.
    """

    status: int
    attempts: int
    stopped_by: int | None = None
    failure: Failure | None = None
    reason: str | None = None

    @property
    def told(self) -> Diagnosis | None:
        """Return what the logs say of why the last attempt failed."""
        return None if self.failure is None else self.failure.told


class Supervisor:
    """Starts a job until it ends well, or until another start would not help.

    An exception that comes while the job runs, Ctrl-C for one, lets it save and end, and is passed on.

    Args:
        work: the job.
        limits: how long and how often.
        signals: what the supervisor is told meanwhile; nobody tells anything by default.
    """

    def __init__(self, work: Work, limits: Limits, signals: Signals | None = None) -> None:
        self._work = work
        self._limits = limits
        self._signals = signals or Signals()
        self._before: list[Stop] = []

    def run(self, record: Record) -> Outcome:
        """Start attempts until one is the last.

        Args:
            record: writes down what happens.
        """
        while True:
            number = len(self._before) + 1
            record("attempt-started", attempt=number, **self._work.details())
            started = time.monotonic()
            attempt = self._work.start(number)
            try:
                status, hung = self._watch(attempt, record)
            except KeyboardInterrupt as interrupt:
                attempt.close()
                told_by = getattr(interrupt, "number", int(signal.SIGINT))
                record("attempt-stopped", attempt=number, signal=told_by, seconds=time.monotonic() - started)
                raise
            finally:
                attempt.close()
            seconds = time.monotonic() - started
            if self._signals.stop is not None:
                record("attempt-stopped", attempt=number, signal=self._signals.stop, status=status, seconds=seconds)
                return Outcome(status, number, stopped_by=self._signals.stop)
            if status == 0 and not hung:
                record("attempt-finished", attempt=number, seconds=seconds, step=attempt.step)
                return Outcome(0, number)
            outcome = self._failed(status, hung, attempt, record)
            if outcome is not None:
                return outcome

    def _watch(self, attempt: Attempt, record: Record) -> tuple[int, bool]:
        """Follow an attempt to its end; return its status, and whether it hung."""
        while True:
            status = attempt.poll()
            if status is not None:
                return status, False
            if self._signals.stop is not None:
                return attempt.end(self._limits.grace_seconds, self._signals.stop, self._is_impatient(attempt)), False
            self._pass_on(attempt)
            silent = attempt.hung_seconds()
            if silent is not None:
                record("hang", silent_seconds=silent, **attempt.explain_hang(silent))
                return attempt.abandon(self._limits.grace_seconds), True
            time.sleep(LOOK_SECONDS)

    def _is_impatient(self, attempt: Attempt) -> Callable[[], bool]:
        """Return what is done while the job saves: pass signals on, and end the grace when told twice."""

        def look() -> bool:
            self._pass_on(attempt)
            return self._signals.stops > 1

        return look

    def _pass_on(self, attempt: Attempt) -> None:
        while self._signals.passed_on:
            attempt.tell(self._signals.passed_on.pop(0))

    def _failed(self, status: int, hung: bool, attempt: Attempt, record: Record) -> Outcome | None:
        """Explain a failure; return the outcome where it is the last, None where the job is to be started again."""
        number, failure = len(self._before) + 1, attempt.failure(status, hung)
        told = failure.told
        record(
            "attempt-failed",
            attempt=number,
            status=status,
            step=attempt.step,
            cause=told.cause,
            confidence=told.confidence,
            rank=told.first_failure.rank if failure.rank is None else failure.rank,
            host=told.first_failure.host,
            id=failure.message_id,
        )
        decision = decide(told.cause, attempt.step, self._before, self._limits.retries, message_id=failure.message_id)
        if not decision.again:
            record("gave-up", attempt=number, reason=decision.reason, cause=told.cause, id=failure.message_id)
            return Outcome(status, number, failure=failure, reason=decision.reason)
        wait = min(self._limits.wait_seconds * 2 ** self._in_vain(attempt.step), LARGEST_WAIT_SECONDS)
        self._before.append(Stop(told.cause, attempt.step))
        record("retrying", attempt=number + 1, wait_seconds=wait, cause=told.cause)
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline and self._signals.stop is None:
            time.sleep(min(LOOK_SECONDS, wait))
        if self._signals.stop is not None:
            return Outcome(status, number, stopped_by=self._signals.stop, failure=failure)
        return None

    def _in_vain(self, step: int | None) -> int:
        """Return how many attempts in a row ended before this one without getting any further than each other."""
        count, reached = 0, step
        for stop in reversed(self._before):
            if reached is not None and (stop.step is None or reached > stop.step):
                break
            count, reached = count + 1, stop.step
        return count
