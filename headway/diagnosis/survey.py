"""Reads many logs, and large ones in several pieces, on all cores."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from pathlib import Path

from headway.diagnosis.flight_recorder import is_dump, read_dump
from headway.diagnosis.opening import PEEKED_BYTES, STDIN, Stream, Trouble, is_packed, open_streams, size_of
from headway.diagnosis.reading import FILTERED_FROM_BYTES, read_log
from headway.diagnosis.sighting import LogReport

PIECE_BYTES = 64 << 20
SHARED_FROM_BYTES = 128 << 20
"""Below, a second process costs more than it brings."""

CHUNK = 4
"""Pieces that a process takes at once."""

Done = Callable[[int], None]
"""Told how many bytes of the files were dealt with since it was told last."""


@dataclass(frozen=True)
class Piece:
    """Some bytes of a file: a plain one can be read in pieces, an archive only as a whole.

    Attributes:
        path: the file.
        start: where the piece begins.
        size_bytes: how long it is; None for all that is there.
    """

    path: Path
    start: int = 0
    size_bytes: int | None = None


def survey(files: Sequence[Path], done: Done = lambda count: None, processes: int | None = None) -> list[LogReport]:
    """Read files.

    Args:
        files: what is read; ``-`` is the standard input.
        done: told of progress.
        processes: how many read at once; None takes one for each core where there is much to read.
    """
    pieces = [piece for file in files for piece in _pieces(file)]
    total = sum(_size(piece) for piece in pieces)
    workers = min(processes or _cores(), len(pieces))
    if workers <= 1 or (processes is None and total < SHARED_FROM_BYTES):
        parts = _each(pieces, map(read_piece, pieces), done)
    else:
        read = partial(read_piece, filtered_from=0)
        with ProcessPoolExecutor(workers, mp_context=get_context("forkserver")) as pool:
            parts = _each(pieces, pool.map(read, pieces, chunksize=CHUNK), done)
    return _joined(parts)


def _each(pieces: Sequence[Piece], results: Iterable[list[LogReport]], done: Done) -> list[tuple[Piece, LogReport]]:
    parts: list[tuple[Piece, LogReport]] = []
    for piece, reports in zip(pieces, results, strict=True):
        parts.extend((piece, report) for report in reports)
        done(_size(piece))
    return parts


def read_piece(piece: Piece, filtered_from: int = FILTERED_FROM_BYTES) -> list[LogReport]:
    """Read a piece of a file, or all that an archive holds."""
    if str(piece.path) == STDIN:
        return [read_log("stdin", sys.stdin.buffer, filtered_from=filtered_from)]
    if piece.size_bytes is not None:
        return [_read_part(piece, filtered_from)]
    troubles: list[Trouble] = []
    reports = [_read(stream, filtered_from) for stream in open_streams(piece.path, troubles)]
    if troubles:
        name = reports[-1].name if reports else str(piece.path)
        reports = [*reports[:-1], replace(reports[-1] if reports else LogReport(name), troubles=tuple(troubles))]
    return reports


def _read(stream: Stream, filtered_from: int) -> LogReport:
    if is_dump(stream.start()):
        return read_dump(stream.name, stream.content)
    return read_log(stream.name, stream.content, filtered_from=filtered_from)


def _read_part(piece: Piece, filtered_from: int) -> LogReport:
    """Read from the first line that begins in a piece to the end of the last one that does."""
    start = piece.start
    with piece.path.open("rb") as file:
        if start:
            file.seek(start - 1)
            start += len(file.readline(PIECE_BYTES)) - 1
        limit = piece.start + (piece.size_bytes or 0) - start
        if limit <= 0:
            return LogReport(str(piece.path))
        return read_log(str(piece.path), file, start=start, limit_bytes=limit, filtered_from=filtered_from)


def _pieces(file: Path) -> Iterator[Piece]:
    """Yield a large plain file in pieces, any other as a whole."""
    try:
        size = file.stat().st_size if str(file) != STDIN else 0
        if size < 2 * PIECE_BYTES or not file.is_file() or _is_whole(file):
            yield Piece(file)
            return
    except OSError:
        yield Piece(file)
        return
    for start in range(0, size, PIECE_BYTES):
        yield Piece(file, start, min(PIECE_BYTES, size - start))


def _is_whole(file: Path) -> bool:
    with file.open("rb") as opened:
        begin = opened.read(PEEKED_BYTES)
    return is_packed(begin) or b"\x00" in begin


def _size(piece: Piece) -> int:
    return size_of(piece.path) if piece.size_bytes is None else piece.size_bytes


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _joined(parts: Sequence[tuple[Piece, LogReport]]) -> list[LogReport]:
    """Put the pieces of each file together again."""
    joined: list[LogReport] = []
    for piece, report in parts:
        if piece.size_bytes is not None and piece.start and joined and joined[-1].name == report.name:
            joined[-1] = _after(joined[-1], report)
        else:
            joined.append(report)
    return joined


def _after(first: LogReport, second: LogReport) -> LogReport:
    moved = [replace(one, line=one.line + first.lines) for one in second.sightings]
    return replace(
        first,
        size_bytes=first.size_bytes + second.size_bytes,
        lines=first.lines + second.lines,
        sightings=(*first.sightings, *moved),
        progress=(*first.progress, *second.progress),
        ranks={**first.ranks, **second.ranks},
        first_time=second.first_time if first.first_time is None else first.first_time,
        last_time=first.last_time if second.last_time is None else second.last_time,
        troubles=(*first.troubles, *second.troubles),
    )
