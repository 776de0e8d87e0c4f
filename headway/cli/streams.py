"""Standard output and error that a command can rely on, whatever became of their readers.

Status never stops work: what standard error cannot take is dropped. Data that standard output cannot take is an error
that is told, but a reader that has seen enough (``headway runs list | head``) is none. Characters that the terminal's
encoding lacks are replaced.
"""

from __future__ import annotations

import errno
import io
import os
import select
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, TextIO, cast, final

from headway.errors import HeadwayError

_CLOSED = -1


class OutputError(HeadwayError):
    """Standard output cannot be written."""


class ReaderGoneError(Exception):
    """Whoever read standard output went away. No OSError, which click would take for its own."""


@final
class _Descriptor(io.RawIOBase):
    """A file descriptor that fails once at most: from then on what is written to it is dropped.

    Args:
        descriptor: where to write; -1 where the stream was closed before the start.
        required: whether a failure is an error.
    """

    def __init__(self, descriptor: int, required: bool) -> None:
        self._descriptor = descriptor
        self._required = required
        self._dropping = False
        self.postponing = False
        self.postponed: Exception | None = None

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def fileno(self) -> int:
        """Return the descriptor.

        Raises:
            OSError: the stream was closed before the start.
        """
        if self._descriptor == _CLOSED:
            raise OSError(errno.EBADF, os.strerror(errno.EBADF))
        return self._descriptor

    def isatty(self) -> bool:
        """Say whether somebody is watching."""
        return self._descriptor != _CLOSED and os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        """Write as much as the descriptor takes at once; after a failure, drop it."""
        content = bytes(data)
        if self._dropping:
            return len(content)
        try:
            return self._write_some(content)
        except OSError as error:
            self._dropping = True
            if self._required:
                self._fail(error)
            return len(content)

    def _write_some(self, content: bytes) -> int:
        while True:
            try:
                return os.write(self.fileno(), content)
            except BlockingIOError:
                # Whoever made the pipe made it non-blocking, and its reader is slower than we are.
                select.select([], [self._descriptor], [])

    def _fail(self, error: OSError) -> None:
        gone = error.errno == errno.EPIPE
        problem = (
            ReaderGoneError() if gone else OutputError("cli-output-unwritable", reason=error.strerror or str(error))
        )
        if not self.postponing:
            raise problem
        self.postponed = problem


def guard_streams() -> None:
    """Replace the standard streams of this process by ones that the rest of the program can rely on."""
    _fill_closed_descriptors()
    # A stream that is not the process's own belongs to whoever put it there.
    if sys.stdout is sys.__stdout__:
        sys.stdout = _guarded(sys.__stdout__, 1, required=True, errors="replace")
    if sys.stderr is sys.__stderr__:
        sys.stderr = _guarded(sys.__stderr__, 2, required=False, errors="backslashreplace")


@contextmanager
def postponed_output_errors() -> Iterator[None]:
    """Let work go on while standard output fails; the failure is raised when the work is done."""
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if not isinstance(raw, _Descriptor):
        yield
        return
    raw.postponing = True
    try:
        yield
        sys.stdout.flush()
    finally:
        raw.postponing = False
    if raw.postponed is not None:
        raise raw.postponed


def _guarded(original: TextIO | None, descriptor: int, *, required: bool, errors: str) -> TextIO:
    raw = _Descriptor(_CLOSED if original is None else descriptor, required)
    encoding = "utf-8" if original is None else original.encoding
    stream = io.TextIOWrapper(
        io.BufferedWriter(raw), encoding=encoding, errors=errors, line_buffering=raw.isatty() or not required
    )
    return cast(TextIO, stream)


def _fill_closed_descriptors() -> None:
    """Open what was closed before the start: a file opened later would take its number, and our output with it."""
    while True:
        descriptor = os.open(os.devnull, os.O_RDWR)
        if descriptor > 2:
            os.close(descriptor)
            return
