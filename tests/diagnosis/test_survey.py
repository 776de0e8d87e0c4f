"""Many logs, and large ones in pieces."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from headway.diagnosis import survey as surveying
from headway.diagnosis.survey import survey

CASES = Path(__file__).parent / "cases"


def test_pieces_of_a_file_say_what_the_whole_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "all.log"
    path.write_bytes(b"".join(file.read_bytes() for file in sorted(CASES.glob("*.log"))))
    (whole,) = survey([path])
    monkeypatch.setattr(surveying, "PIECE_BYTES", 10_000)
    (pieces,) = survey([path], processes=1)
    assert pieces.lines == whole.lines
    assert pieces.size_bytes == whole.size_bytes == path.stat().st_size
    places = {(one.signature, one.line, one.offset) for one in pieces.sightings}
    # A piece knows nothing of a traceback that began before it, and keeps episodes of its own.
    plain = [
        one for one in whole.sightings if one.signature in ("disk-full", "time-limit", "port-taken", "gated-model")
    ]
    assert len(plain) >= 4
    assert {(one.signature, one.line, one.offset) for one in plain} <= places


def test_processes_find_what_one_finds() -> None:
    files = sorted(CASES.glob("*.log"))
    told: list[int] = []
    alone, together = survey(files, processes=1), survey(files, told.append, processes=2)
    assert [one.name for one in alone] == [one.name for one in together]
    assert [len(one.sightings) for one in alone] == [len(one.sightings) for one in together]
    assert sum(told) == sum(file.stat().st_size for file in files)


def test_the_standard_input_is_read() -> None:
    code = "import headway, json; print(headway.diagnose('-').cause)"
    done = subprocess.run(
        [sys.executable, "-c", code], input="OSError: [Errno 28] No space left on device\n",
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "disk-full"
