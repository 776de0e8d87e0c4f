"""The child's side of a measurement: runs named stages and prints one JSON line for each.

Lines are ``{"begin": NAME}``, then ``{"stage": NAME, "result": ...}`` or ``{"stage": NAME, "error": "Type: text"}``.
What was printed before a crash or a timeout is kept, so that one bad stage costs only itself and what follows it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

import msgspec


def run_stages(stages: Mapping[str, Callable[[], Any]], wanted: list[str]) -> None:
    """Run the wanted stages in order.

    Args:
        stages: name -> function whose result msgspec can encode.
        wanted: the names to run; all are keys of ``stages``.
    """
    for name in wanted:
        emit({"begin": name})
        try:
            emit({"stage": name, "result": stages[name]()})
        except Exception as error:
            emit({"stage": name, "error": describe(error)})


def emit(line: object) -> None:
    """Print one line of the protocol at once."""
    sys.stdout.buffer.write(msgspec.json.encode(line) + b"\n")
    sys.stdout.buffer.flush()


def describe(error: BaseException) -> str:
    """Return an exception as one short line: its type and the first line of its text."""
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:200]}" if lines else type(error).__name__
