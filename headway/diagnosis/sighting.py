"""What reading logs leaves behind: sightings of signatures, progress, and who spoke when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from headway.diagnosis.opening import Trouble


@dataclass(frozen=True, slots=True)
class Sighting:
    """A signature seen in a line.

    Attributes:
        signature: id of what was seen.
        source: name of the log.
        line: number of the line, the first being 1.
        offset: bytes before the line, which orders the sightings of one log.
        text: the line, cleaned.
        time: seconds since 1970, where the line or one shortly before it says.
        rank: the rank that it happened on, where known.
        host: the machine that it happened on, where known.
        caught: what the named groups of its pattern caught.
        traceback: the lines of the traceback that it ends, outermost first.
        count: how often the same was seen on the same rank in this log.
        last_offset: where it was seen last.
    """

    signature: str
    source: str
    line: int
    offset: int
    text: str
    time: float | None = None
    rank: int | None = None
    host: str | None = None
    caught: Mapping[str, str] = field(default_factory=dict)
    traceback: tuple[str, ...] = ()
    count: int = 1
    last_offset: int = 0


@dataclass(frozen=True, slots=True)
class Progress:
    """A line that shows training going on.

    Attributes:
        offset: bytes before it.
        step: the number of the step, where the line says.
        time: seconds since 1970, where known.
        rank: who said so, where known.
    """

    offset: int
    step: int | None
    time: float | None
    rank: int | None


@dataclass(frozen=True)
class LogReport:
    """What one log held.

    Attributes:
        name: name of the log.
        size_bytes: bytes read of it, expanded.
        lines: lines of it.
        rank: the rank that its name names.
        sightings: signatures, in order.
        progress: lines of progress, in order; thinned out where there are many.
        ranks: ranks that wrote in it, with the time of the last dated line of each.
        first_time: time of its first dated line.
        last_time: time of its last dated line.
        troubles: what could not be read.
    """

    name: str
    size_bytes: int = 0
    lines: int = 0
    rank: int | None = None
    sightings: tuple[Sighting, ...] = ()
    progress: tuple[Progress, ...] = ()
    ranks: Mapping[int, float | None] = field(default_factory=dict)
    first_time: float | None = None
    last_time: float | None = None
    troubles: tuple[Trouble, ...] = ()
