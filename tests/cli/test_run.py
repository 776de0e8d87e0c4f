"""``headway run``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.command_line import Headway


def test_the_output_and_the_status_are_those_of_the_command(tmp_path: Path, headway: Headway) -> None:
    done = headway("run", "--runs", str(tmp_path), "--name", "a", "--", sys.executable, "-c", "print('hello --name x')")
    assert done.code == 0
    assert "hello --name x" in done.out
    assert (tmp_path / "a" / "events.jsonl").is_file()


def test_why_it_is_not_started_again_is_said(tmp_path: Path, headway: Headway) -> None:
    code = "import sys; print('OSError: [Errno 28] No space left on device'); sys.exit(3)"
    done = headway("run", "--runs", str(tmp_path), "--name", "a", "--", sys.executable, "-c", code)
    assert done.code == 3
    assert "The disk is full." in done.err
    assert "Not started again" in done.err
    assert f"headway diagnose {tmp_path / 'a'}" in done.err


def test_json_holds_the_diagnosis(tmp_path: Path, headway: Headway) -> None:
    code = "import sys; print('OSError: [Errno 28] No space left on device'); sys.exit(3)"
    done = headway("run", "--json", "--runs", str(tmp_path), "--name", "a", "--", sys.executable, "-c", code)
    told = json.loads(done.out)
    assert (told["status"], told["attempts"], told["reason"]) == (3, 1, "lasting")
    assert told["diagnosis"]["cause"] == "disk-full"


def test_no_command_and_no_program_are_errors(tmp_path: Path, headway: Headway) -> None:
    assert headway("run", "--runs", str(tmp_path)).code != 0
    refused = headway("run", "--runs", str(tmp_path), "--", "no-such-program")
    assert refused.code != 0
    assert "no-such-program" in refused.err
