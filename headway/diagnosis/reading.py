"""Reads one log in one pass and in bounded memory: what signatures show, how far the training came, who spoke last."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass, field, replace
from typing import IO

from headway.diagnosis.blocks import blocks, is_text
from headway.diagnosis.line import Prefix, cleaned, parse_prefix, rank_of_file
from headway.diagnosis.matching import BlockFilter, Matcher, block_filter, is_any, matcher
from headway.diagnosis.opening import Trouble
from headway.diagnosis.progress import step_of
from headway.diagnosis.sighting import LogReport, Progress, Sighting
from headway.diagnosis.signature import Signature

FILTERED_FROM_BYTES = 4 << 20
"""Until here every line is looked for signatures, which spares short logs the filter's start; beyond, the filter looks
first."""

NOTED_UNTIL_BYTES = 512 << 10
"""Until here every line is asked for time, rank and step; beyond, those at the start of each block, those before a
signature, and the last ones of the log."""

NOTED_OF_A_BLOCK = 1
NOTED_BEFORE = 24

MOST_SIGHTINGS = 4096
EPISODES = 16
"""Sightings kept of one signature on one rank, each after progress since the one before; the last one always is."""

SATURATED = 2000
"""A signature that was seen so often in a log no longer makes its blocks be looked at line by line."""

MOST_PROGRESS = 4096
CONTEXT_LINES = 160
NEAR_LINES = 40
SAMPLED_BYTES = 4096

EXCEPTION = "uncaught-exception"

_FRAME = re.compile(rb'  File "[^"]{1,1000}", line \d+, in ')
_ESCAPE = re.compile(rb"\x1b\[[0-9;:?]*[A-Za-z]")
_LINE_RANK = re.compile(r"(?:^|[\s>])\[(?:rank|default)(\d{1,6})\]")
_TRACEBACK = "Traceback (most recent call last)"


def read_log(
    name: str,
    stream: IO[bytes],
    *,
    start: int = 0,
    limit_bytes: int | None = None,
    troubles: tuple[Trouble, ...] = (),
    filtered_from: int = FILTERED_FROM_BYTES,
) -> LogReport:
    """Read a log.

    Args:
        name: what it is called.
        stream: its bytes, from `start` on.
        start: bytes of the log before them.
        limit_bytes: how many are to be read; all where None.
        troubles: what is already known to be wrong with it.
        filtered_from: bytes after which the filter looks first; 0 where there is much else to read.
    """
    reader = LogReader(name, matcher(), start=start, filtered_from=filtered_from)
    for number, block in enumerate(blocks(stream, limit_bytes)):
        if number == 0 and not is_text(block):
            return LogReport(name, troubles=(*troubles, Trouble("diagnosis-note-no-text", {"path": name})))
        reader.feed(block)
    return replace(reader.report(), troubles=troubles)


@dataclass
class _Kept:
    """The sightings of one signature on one rank."""

    sightings: list[Sighting] = field(default_factory=list)
    progress_at_last: int = -1


class LogReader:
    """Reads the blocks of one log.

    Args:
        name: what it is called.
        known: finds signatures in lines.
        start: bytes of the log before the first block.
        filtered_from: bytes after which the filter looks first.
    """

    def __init__(self, name: str, known: Matcher, start: int = 0, filtered_from: int = FILTERED_FROM_BYTES) -> None:
        self._name = name
        self._matcher = known
        self._rank = rank_of_file(name)
        self._start = start
        self._offset = start
        self._lines = 0
        self._recent: deque[tuple[int, bytes]] = deque(maxlen=CONTEXT_LINES)
        self._passed = (0, b"")
        self._noted = start
        self._filtered_from = filtered_from
        self._kept: dict[tuple[str, int | None], _Kept] = {}
        self._counts: dict[str, int] = {}
        self._progress: list[Progress] = []
        self._progress_count = 0
        self._keep_each = 1
        self._ranks: dict[int, float | None] = {}
        self._times: dict[int | None, float] = {}
        self._first_time: float | None = None
        self._last_time: float | None = None

    def feed(self, block: bytes) -> None:
        """Take the next block, which ends where a line ends."""
        if self._offset - self._start >= self._filtered_from and not self._is_worth_reading(block):
            self._pass_over(block)
        else:
            self._look_at(block)

    def report(self) -> LogReport:
        """Return what was found, after the last block."""
        if self._passed[1]:
            self._recall()
        self._note_recent()
        sightings = sorted((one for kept in self._kept.values() for one in kept.sightings), key=lambda one: one.offset)
        return LogReport(
            name=self._name,
            size_bytes=self._offset - self._start,
            lines=self._lines,
            rank=self._rank,
            sightings=tuple(sightings),
            progress=tuple(self._progress),
            ranks=dict(self._ranks),
            first_time=self._first_time,
            last_time=self._last_time,
        )

    def _is_worth_reading(self, block: bytes) -> bool:
        filtered: BlockFilter = block_filter()
        if not filtered.is_exact:
            return True
        found = filtered.found_in(block)
        owners = {self._matcher.owner(index) for index in found}
        fresh = {owner for owner in owners if self._counts.get(owner, 0) < SATURATED}
        for owner in owners - fresh:
            self._counts[owner] += 1
        return bool(fresh)

    def _pass_over(self, block: bytes) -> None:
        """Count a block that holds no signature; note the lines at its start, and keep its end as context."""
        offset = self._offset
        for raw in block[:SAMPLED_BYTES].splitlines(keepends=True)[1 : 1 + NOTED_OF_A_BLOCK]:
            self._note(raw, offset)
        self._passed = (offset, block)
        self._lines += block.count(b"\n")
        self._offset += len(block)

    def _recall(self) -> None:
        """Take the end of the block that was passed over last as the context of what follows."""
        offset, block = self._passed
        self._passed = (0, b"")
        end = block[-2 * SAMPLED_BYTES :]
        offset += len(block) - len(end)
        for raw in end.splitlines(keepends=True)[1:]:
            self._recent.append((offset, raw))
            offset += len(raw)

    def _look_at(self, block: bytes) -> None:
        if self._passed[1]:
            self._recall()
        has_escapes = b"\x1b" in block
        notes_all = self._offset - self._start < NOTED_UNTIL_BYTES
        for number, raw in enumerate(block.splitlines(keepends=True)):
            line = (_ESCAPE.sub(b"", raw) if has_escapes else raw).rstrip(b"\r\n")
            shown = [] if self._is_code(line) else self._matcher.find_raw(line)
            self._recent.append((self._offset, line))
            if shown:
                text = cleaned(line)
                self._note_recent()
                self._see(self._matcher.caught(shown, text), text, parse_prefix(text))
            elif notes_all or number < NOTED_OF_A_BLOCK:
                self._note(line, self._offset)
            self._offset += len(raw)
            self._lines += raw.endswith(b"\n")

    def _is_code(self, line: bytes) -> bool:
        """Say whether a line is the code below the place of a frame: it may quote errors that did not happen."""
        frame = _FRAME.search(self._recent[-1][1]) if self._recent else None
        # Code stands two columns further in than the place; an exception, where the traceback itself begins.
        return frame is not None and line[frame.start() : frame.start() + 4] == b"    "

    def _note_recent(self) -> None:
        """Note the last lines, where they were not."""
        for offset, raw in list(self._recent)[-NOTED_BEFORE:]:
            if offset >= self._noted:
                self._note(raw, offset)

    def _note(self, raw: bytes, offset: int) -> None:
        if offset >= self._noted:
            self._noted = offset + 1
            self._note_line(cleaned(raw), offset)

    def _note_line(self, text: str, offset: int) -> None:
        """Keep who speaks, when, and how far training is."""
        step = step_of(text)
        if step is None and not (text[:1] in "[0123456789(" or "rank" in text[:200] or ":" in text[:24]):
            return
        prefix = parse_prefix(text)
        if prefix.time is not None:
            self._first_time = prefix.time if self._first_time is None else self._first_time
            self._last_time = prefix.time
            self._times[prefix.rank] = prefix.time
        if prefix.rank is not None:
            self._ranks[prefix.rank] = prefix.time or self._ranks.get(prefix.rank)
        if step is not None:
            self._add_progress(step, prefix, offset)

    def _add_progress(self, step: int, prefix: Prefix, offset: int) -> None:
        number = None if step < 0 else step
        if number is not None and self._progress and self._progress[-1].step == number:
            return  # another rank, or a progress bar drawn anew, says the same
        self._progress_count += 1
        if self._progress_count % self._keep_each:
            return
        rank = self._rank if prefix.rank is None else prefix.rank
        time = self._last_time if prefix.time is None else prefix.time
        self._progress.append(Progress(offset, number, time, rank))
        if len(self._progress) > MOST_PROGRESS:
            self._progress = self._progress[::2]
            self._keep_each *= 2

    def _see(self, shown: list[tuple[Signature, dict[str, str]]], text: str, prefix: Prefix) -> None:
        context = tuple(cleaned(raw) for _, raw in self._recent)
        traceback = _traceback(context, prefix.rank)
        shown = [(one, caught) for one, caught in shown if _fits(one, context, traceback)]
        for one, caught in shown:
            if one.id == EXCEPTION and len(shown) > 1:
                continue  # that a line is an exception's is all that this one knows
            self._counts[one.id] = self._counts.get(one.id, 0) + 1
            self._keep(self._sighting(one, caught, text, prefix, traceback))

    def _sighting(
        self, one: Signature, caught: dict[str, str], text: str, prefix: Prefix, traceback: tuple[str, ...]
    ) -> Sighting:
        rank = int(caught["rank"]) if caught.get("rank", "").isdigit() else prefix.rank
        rank = self._rank if rank is None else rank
        time = prefix.time if prefix.time is not None else self._times.get(prefix.rank, self._last_time)
        return Sighting(
            signature=one.id,
            source=self._name,
            line=self._lines + 1,
            offset=self._offset,
            text=text,
            time=time,
            rank=rank,
            host=caught.get("host") or prefix.host,
            caught={name: value for name, value in caught.items() if name not in ("rank", "host")},
            traceback=traceback,
            last_offset=self._offset,
        )

    def _keep(self, one: Sighting) -> None:
        kept = self._kept.get((one.signature, one.rank))
        if kept is None:
            if len(self._kept) >= MOST_SIGHTINGS:
                return
            kept = self._kept[one.signature, one.rank] = _Kept()
        is_new = kept.progress_at_last != self._progress_count
        kept.progress_at_last = self._progress_count
        if kept.sightings and not is_new:
            last = kept.sightings[-1]
            # Of a fact, such as the last checkpoint, the newest counts; of a failure, where it began.
            shown = one if self._matcher.known[one.signature].kind == "fact" else last
            kept.sightings[-1] = replace(shown, count=last.count + 1, last_offset=one.offset)
        elif len(kept.sightings) >= EPISODES:
            kept.sightings[-1] = one
        else:
            kept.sightings.append(one)


def _fits(one: Signature, context: tuple[str, ...], traceback: tuple[str, ...]) -> bool:
    """Say whether what a signature wants around its line is there."""
    if one.frames and not any(is_any(one.frames, line) for line in traceback):
        return False
    return not one.near or any(is_any(one.near, line) for line in context[-NEAR_LINES:])


def _traceback(context: tuple[str, ...], rank: int | None) -> tuple[str, ...]:
    """Return the lines of the traceback that the last line ends, of its rank alone."""
    lines: list[str] = []
    for text in reversed(context):
        if rank is not None and (other := _line_rank(text)) is not None and other != rank:
            continue
        lines.append(text)
        if _TRACEBACK in text:
            return tuple(reversed(lines))
    return ()


def _line_rank(text: str) -> int | None:
    found = _LINE_RANK.search(text[:80])
    return int(found.group(1)) if found else None
