"""What the endpoint lets through, and how much of it at a time."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import final

import anyio

from headway.units import MIB

_RECENT = 32
"""Requests whose mean duration tells how long the next ones will take."""

_FIRST_GUESS_SECONDS = 2.0


@dataclass(frozen=True, kw_only=True)
class Rules:
    """What the endpoint lets through.

    Attributes:
        hosts: names under which it may be asked for; None where a key is asked for, which a page cannot know.
        key: that everybody must show; None where only this machine can ask.
        parallel: requests that llama.cpp works on at the same time.
        queue: requests that may wait beside them; more are told to come back.
        max_body_bytes: of a request.
        grace_seconds: how long requests may go on when the server is told to stop.
    """

    hosts: frozenset[str] | None = frozenset()
    key: str | None = None
    parallel: int = 1
    queue: int = 16
    max_body_bytes: int = 8 * MIB
    grace_seconds: float = 30.0


class FullError(Exception):
    """As many requests wait as may.

    Args:
        retry_seconds: after which a place may be free.
    """

    def __init__(self, retry_seconds: int) -> None:
        super().__init__(retry_seconds)
        self.retry_seconds = retry_seconds


@final
class Gate:
    """Lets as many requests work as llama.cpp can, some more wait, and sends the others away.

    Args:
        parallel: that work.
        queue: that wait.
    """

    def __init__(self, parallel: int, queue: int) -> None:
        self._parallel, self._queue = parallel, queue
        self._places = anyio.Semaphore(parallel)
        self._durations: deque[float] = deque(maxlen=_RECENT)
        self.working = 0
        self.waiting = 0

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """Hold a place; wait for one where there is none.

        Raises:
            FullError: too many wait already.
        """
        if self.working + self.waiting >= self._parallel + self._queue:
            raise FullError(self.retry_seconds())
        self.waiting += 1
        try:
            await self._places.acquire()
        finally:
            self.waiting -= 1
        self.working += 1
        begin = anyio.current_time()
        try:
            yield
        finally:
            self.working -= 1
            self._durations.append(anyio.current_time() - begin)
            self._places.release()

    def retry_seconds(self) -> int:
        """Return after how many seconds the first of those who wait will have a place, at least one."""
        known = sum(self._durations) / len(self._durations) if self._durations else _FIRST_GUESS_SECONDS
        return max(1, math.ceil(known * (self.waiting + 1) / self._parallel))
