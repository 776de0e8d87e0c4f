"""The dumps of PyTorch's flight recorder: which collective operation each rank was in when the others gave up.

A dump is a pickle, or JSON. Of a pickle, plain data alone is taken: whatever would call a function or make an object is
refused, so that a dump from anywhere can be read.

Source: PyTorch, ``torch/csrc/distributed/c10d/FlightRecorder.cpp`` and its tutorial.
"""

from __future__ import annotations

import io
import json
import pickle
from collections.abc import Mapping
from typing import IO, Any

from headway.diagnosis.line import rank_of_file
from headway.diagnosis.opening import Trouble
from headway.diagnosis.sighting import LogReport, Sighting

LARGEST_BYTES = 256 << 20
PICKLE_STARTS = (b"\x80\x02", b"\x80\x03", b"\x80\x04", b"\x80\x05")
WORDS = (b"entries", b"pg_config", b"collective_seq_id")
TIMEOUT = "collective-timeout"
COMPLETED = "completed"


_DAMAGE = (pickle.UnpicklingError, ValueError, EOFError, TypeError, KeyError, AttributeError, IndexError, MemoryError)
"""What pickle and json raise where a file is cut or was never a dump."""


class _PlainData(pickle.Unpickler):
    """Loads what is made of numbers, texts, lists and dictionaries only."""

    def find_class(self, module_name: str, global_name: str) -> Any:
        raise pickle.UnpicklingError(f"{module_name}.{global_name}")


def is_dump(start: bytes) -> bool:
    """Say whether a file begins as a dump does.

    Args:
        start: its first bytes, some hundreds.
    """
    is_marked = start.startswith(PICKLE_STARTS) or start.lstrip()[:1] == b"{"
    return is_marked and any(word in start for word in WORDS)


def read_dump(name: str, stream: IO[bytes]) -> LogReport:
    """Read a dump: a finding for the operation that the rank was in, or had last left.

    Args:
        name: what it is called; its rank is in it (``nccl_trace_rank_3``).
        stream: its bytes.
    """
    content = stream.read(LARGEST_BYTES + 1)
    try:
        dump = _loaded(content)
        entry = _current(dump)
    except _DAMAGE as error:
        trouble = Trouble("diagnosis-note-damaged", {"path": name, "reason": str(error)[:200]})
        return LogReport(name, len(content), troubles=(trouble,))
    rank = rank_of_file(name)
    if rank is None and isinstance(dump.get("rank"), int):
        rank = dump["rank"]
    sightings = () if entry is None else (_sighting(name, rank, entry),)
    return LogReport(name, len(content), rank=rank, sightings=sightings)


def _loaded(content: bytes) -> dict[str, Any]:
    if len(content) > LARGEST_BYTES:
        raise ValueError(str(LARGEST_BYTES))
    is_pickle = content.startswith(PICKLE_STARTS)
    loaded = _PlainData(io.BytesIO(content)).load() if is_pickle else json.loads(content)
    if not isinstance(loaded, dict):
        raise ValueError(type(loaded).__name__)
    return loaded


def _current(dump: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the oldest operation that was not completed, or else the last one that was."""
    entries: list[Mapping[str, Any]] = [
        one for one in dump["entries"] if not one.get("is_p2p") and isinstance(_number(one), int)
    ]
    open_ones = [one for one in entries if one.get("state") != COMPLETED]
    if open_ones:
        return min(open_ones, key=_number)
    return max(entries, key=_number, default=None)


def _number(entry: Mapping[str, Any]) -> Any:
    return entry.get("collective_seq_id", entry.get("seq_id"))


def _sighting(name: str, rank: int | None, entry: Mapping[str, Any]) -> Sighting:
    operation = str(entry.get("profiling_name", "")).rpartition(":")[2].upper()
    sizes = entry.get("input_sizes") or [[]]
    state = str(entry.get("state", ""))
    text = f"{operation} seq={_number(entry)} input={sizes} state={state}"
    caught = {"seq": str(_number(entry)), "op": operation, "numel": str(sizes)[:80]}
    return Sighting(TIMEOUT, name, 1, 0, text[:500], rank=rank, caught=caught)
