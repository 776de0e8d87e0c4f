"""What the supervisor keeps alive: something that can be started, polled, asked for progress, and ended."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from headway.diagnosis import Diagnosis


@dataclass(frozen=True)
class Failure:
    """Why an attempt ended.

    Attributes:
        told: what its logs say.
        message_id: id of the error that the job itself named; None where it named none.
        error: that error, for whoever is told when nothing is started again.
        rank: the first that failed, where the job knows.
    """

    told: Diagnosis
    message_id: str | None = None
    error: Exception | None = None
    rank: int | None = None


class Attempt(ABC):
    """One start of a job, which runs until `poll` returns its status."""

    @property
    @abstractmethod
    def step(self) -> int | None:
        """The last step that was seen; None where none was."""

    @abstractmethod
    def poll(self) -> int | None:
        """Pass on what is new; return the exit status, negative for a signal, or None while it runs."""

    @abstractmethod
    def hung_seconds(self) -> float | None:
        """Return for how long nothing was done, where that is too long; None where it is not."""

    @abstractmethod
    def explain_hang(self, silent_seconds: float) -> Mapping[str, Any]:
        """Write down where the processes stand; return the details of the event."""

    @abstractmethod
    def tell(self, number: int) -> None:
        """Pass a signal on."""

    @abstractmethod
    def end(self, grace_seconds: float, number: int, is_over: Callable[[], bool]) -> int:
        """Ask it with a signal to save and end, and wait; return its exit status.

        Args:
            grace_seconds: how long it may take before it is killed.
            number: the signal.
            is_over: asked again and again meanwhile; the grace ends where it says so.
        """

    @abstractmethod
    def abandon(self, grace_seconds: float) -> int:
        """End it where it hangs; return its exit status."""

    @abstractmethod
    def failure(self, status: int, hung: bool) -> Failure:
        """Say why it ended, from its logs of this start alone."""

    @abstractmethod
    def close(self) -> None:
        """Leave nothing behind."""


class Work(ABC):
    """A job that can be started again and again."""

    @abstractmethod
    def start(self, number: int) -> Attempt:
        """Start it.

        Args:
            number: of the start, from 1.

        Raises:
            HeadwayError: it cannot be started.
        """

    @abstractmethod
    def details(self) -> Mapping[str, Any]:
        """Return what the event of a start says of the job."""
