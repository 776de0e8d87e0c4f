"""A stream of bytes as blocks of whole lines, whatever its encoding and however long its lines."""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from typing import IO

BLOCK_BYTES = 1 << 16
LONGEST_CARRIED_BYTES = 1 << 20
"""A line that does not end within a mebibyte is cut, so that memory stays bounded."""

TEXT_SHARE = 0.7
"""A file whose first block holds less of letters, digits and the like is no text."""

_PLAIN = bytes(range(32, 127)) + b"\t\n\r\x1b\x08"
_MARKS = ((codecs.BOM_UTF32_LE, "utf-32"), (codecs.BOM_UTF32_BE, "utf-32"), (codecs.BOM_UTF16_LE, "utf-16"))
_MARKS_AT_ALL = (*_MARKS, (codecs.BOM_UTF16_BE, "utf-16"))


def blocks(stream: IO[bytes], limit_bytes: int | None = None) -> Iterator[bytes]:
    """Yield a stream in blocks that end where a line ends.

    Args:
        stream: the log.
        limit_bytes: read about so many bytes, and the rest of the line that is begun then.
    """
    rest, taken = b"", 0
    for piece in _decoded(stream):
        taken += len(piece)
        if limit_bytes is not None and taken > limit_bytes:
            ends = piece.find(b"\n", len(piece) - (taken - limit_bytes))
            if ends >= 0:
                yield rest + piece[: ends + 1]
                return
        cut = piece.rfind(b"\n") + 1 or piece.rfind(b"\r") + 1
        if cut:
            yield rest + piece[:cut]
            rest = piece[cut:]
        else:
            rest += piece
            if len(rest) > LONGEST_CARRIED_BYTES:
                yield rest
                rest = b""
    if rest:
        yield rest


def is_text(start: bytes) -> bool:
    """Say whether the first block of a file can be a log: mostly plain letters, or valid UTF-8 of any script."""
    if not start:
        return True
    strange = len(start.translate(None, _PLAIN))
    if strange <= (1 - TEXT_SHARE) * len(start):
        return True
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return b"\x00" not in start


def _decoded(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield a stream's bytes in an encoding whose letters below 128 are ASCII's."""
    first = stream.read(BLOCK_BYTES)
    wide = _wide_encoding(first)
    if wide is None:
        while first:
            yield first
            first = stream.read(BLOCK_BYTES)
        return
    decoder = codecs.getincrementaldecoder(wide)(errors="replace")
    while first:
        yield decoder.decode(first).encode("utf-8", errors="replace")
        first = stream.read(BLOCK_BYTES)


def _wide_encoding(start: bytes) -> str | None:
    for mark, name in _MARKS_AT_ALL:
        if start.startswith(mark):
            return name
    # Without a mark: Latin letters in UTF-16 have a zero byte each.
    sample = start[:1024]
    if len(sample) >= 16 and sample[1::2].count(0) > 0.4 * len(sample) / 2 and sample[::2].count(0) < 8:
        return "utf-16-le"
    return None
