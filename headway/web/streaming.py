"""Server-sent events: what happens to runs, as it happens, to any number of pages.

One task looks at the files of each run that somebody follows, however many follow it. The id of an event says how far
into both logs it goes, so that a page that lost its connection, or whose server was started anew, misses nothing.

Source: HTML Standard, "Server-sent events".
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from headway.runs import RunFolder
from headway.runs.json_values import encode
from headway.runs.logs import parse_lines
from headway.runs.records import is_event, is_metric

LOOK_SECONDS = 0.02
"""Between two looks at the files of a run."""

IDLE_SECONDS = 15.0
"""A comment is sent after so much silence, so that nobody on the way takes the connection for dead."""

RETRY_MILLISECONDS = 1000
LARGEST_QUEUE = 1000
"""A page that is so many messages behind is let go; it comes back with its last id."""

LARGEST_READ_BYTES = 4 * 2**20
_ID = re.compile(r"(\d{1,18})\.(\d{1,18})")


class Followed:
    """The two logs of a run, read from two positions.

    Args:
        run: the run.
        events_offset: bytes of the event log that are known.
        metrics_offset: bytes of the metric log that are known.
    """

    def __init__(self, run: RunFolder, events_offset: int, metrics_offset: int) -> None:
        self._files = [(run.events_path, "event"), (run.metrics_path(), "metric")]
        self._offsets = [events_offset, metrics_offset]

    @classmethod
    def from_id(cls, run: RunFolder, last_id: str | None) -> Followed:
        """Return the logs from where a page stopped; from their ends where it says nothing that can be right."""
        ends = [_size(run.events_path), _size(run.metrics_path())]
        found = _ID.fullmatch(last_id or "")
        if found is None:
            return cls(run, *ends)
        # Beyond the end is another log of the same name.
        wanted = [min(int(text), end) for text, end in zip(found.groups(), ends, strict=True)]
        return cls(run, *wanted)

    @property
    def id(self) -> str:
        """How far both logs were read."""
        return ".".join(map(str, self._offsets))

    def read(self, up_to: Followed | None = None) -> list[dict[str, Any]]:
        """Return what both logs have grown by, in whole records; each says which log it is of.

        Args:
            up_to: another reader, whose position is not passed.
        """
        found: list[dict[str, Any]] = []
        for index, (path, kind) in enumerate(self._files):
            limit = LARGEST_READ_BYTES
            if up_to is not None:
                limit = min(limit, max(up_to._offsets[index] - self._offsets[index], 0))
            content = _whole_lines(path, self._offsets[index], limit)
            if content is None:
                self._offsets[index] = 0
                continue
            self._offsets[index] += len(content)
            is_whole = is_event if kind == "event" else is_metric
            found += [{"kind": kind, "record": record} for record in parse_lines(content) if is_whole(record)]
        return found


class Hub:
    """Hands what happens to runs to everybody who follows them."""

    def __init__(self) -> None:
        self._queues: dict[Path, set[asyncio.Queue[bytes | None]]] = {}
        self._tasks: dict[Path, asyncio.Task[None]] = {}
        self._known: dict[Path, Followed] = {}
        self._statuses: dict[Path, str] = {}

    async def follow(self, run: RunFolder, last_id: str | None) -> AsyncIterator[bytes]:
        """Yield the messages of a run from a position on, until the page goes away."""
        queue: asyncio.Queue[bytes | None] = asyncio.Queue(LARGEST_QUEUE)
        # First what this page has missed, up to where all others are; then what is new for all.
        behind = Followed.from_id(run, last_id)
        yield f"retry: {RETRY_MILLISECONDS}\n\n".encode()
        status = run.status()
        yield message("hello", {"run": run.name, "status": status}, behind.id)
        while missed := behind.read():
            yield message("records", missed, behind.id)
        try:
            missed = self._join(run, queue, behind)
            if missed:
                yield message("records", missed, behind.id)
            if self._statuses[run.path] != status:
                yield message("status", {"run": run.name, "status": self._statuses[run.path]}, behind.id)
            while True:
                try:
                    waiting = await asyncio.wait_for(queue.get(), IDLE_SECONDS)
                except TimeoutError:
                    yield b": idle\n\n"
                    continue
                if waiting is None:
                    return
                yield waiting
        finally:
            self._leave(run, queue)

    def _join(self, run: RunFolder, queue: asyncio.Queue[bytes | None], behind: Followed) -> list[dict[str, Any]]:
        """Let a page hear what all others do; return what it has to know before, so that it is where they are."""
        known, missed = self._known.get(run.path), []
        if known is None:
            self._statuses[run.path] = run.status()
            self._known[run.path] = known = Followed.from_id(run, behind.id)
            self._tasks[run.path] = asyncio.create_task(self._watch(run, known))
        while found := known.read():
            self._tell(run, message("records", found, known.id))
        while found := behind.read(known):
            missed += found
        self._queues.setdefault(run.path, set()).add(queue)
        return missed

    def _leave(self, run: RunFolder, queue: asyncio.Queue[bytes | None]) -> None:
        queues = self._queues.get(run.path, set())
        queues.discard(queue)
        if not queues:
            self._queues.pop(run.path, None)
            self._known.pop(run.path, None)
            self._statuses.pop(run.path, None)
            task = self._tasks.pop(run.path, None)
            if task is not None:
                task.cancel()

    async def _watch(self, run: RunFolder, known: Followed) -> None:
        """Look at a run's files again and again, and tell everybody what is new."""
        since_status = 0.0
        while True:
            found = known.read()
            if found:
                self._tell(run, message("records", found, known.id))
            since_status += LOOK_SECONDS
            if since_status >= 1.0 or any(one["kind"] == "event" for one in found):
                since_status = 0.0
                status = run.status()
                if status != self._statuses[run.path]:
                    self._statuses[run.path] = status
                    self._tell(run, message("status", {"run": run.name, "status": status}, known.id))
            await asyncio.sleep(LOOK_SECONDS)

    def _tell(self, run: RunFolder, text: bytes) -> None:
        for queue in self._queues.get(run.path, set()).copy():
            try:
                queue.put_nowait(text)
            except asyncio.QueueFull:
                # It does not read: let it go.
                while not queue.empty():
                    queue.get_nowait()
                queue.put_nowait(None)


def message(kind: str, content: Any, identity: str) -> bytes:
    """Return one event as the stream carries it."""
    text = json.dumps(encode(content), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return f"id: {identity}\nevent: {kind}\ndata: {text}\n\n".encode()


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0


def _whole_lines(path: Path, offset: int, limit_bytes: int) -> bytes | None:
    """Return the whole lines behind an offset; None where the file is shorter than that: it is another one."""
    try:
        with path.open("rb") as file:
            if file.seek(0, 2) < offset:
                return None
            file.seek(offset)
            content = file.read(limit_bytes)
    except OSError:
        return b""
    return content[: content.rfind(b"\n") + 1]
