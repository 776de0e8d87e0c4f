"""What a process says that it is doing."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from headway.errors import RunError
from headway.runs.heartbeat import Heartbeat, read_beat, this_host


def test_the_last_word_is_read(tmp_path: Path) -> None:
    path = tmp_path / "beat"
    assert read_beat(path) is None
    heartbeat = Heartbeat(path)
    assert read_beat(path) is None
    heartbeat.beat("checkpoint", 123456)
    heartbeat.beat("data", 7)
    beat = read_beat(path)
    assert beat is not None
    assert (beat.pid, beat.host, beat.doing, beat.step, beat.count) == (os.getpid(), this_host(), "data", 7, 2)


def test_a_torn_word_is_none(tmp_path: Path) -> None:
    (tmp_path / "beat").write_text('{"pid": 3')
    assert read_beat(tmp_path / "beat") is None


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError, match="run-unwritable"):
        Heartbeat(tmp_path / "file" / "beat")
