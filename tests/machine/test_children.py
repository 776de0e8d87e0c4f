import os
import select
import sys
from pathlib import Path

import pytest

from headway.machine import children
from headway.machine.children import Outcome
from headway.machine.measurements import Note


@pytest.fixture
def modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return tmp_path


def run(folder: Path, program: str, timeout_seconds: float = 30.0, **options: object) -> Outcome:
    (folder / "child_under_test.py").write_text(program)
    return children.run_module("child_under_test", ["a"], threads=2, timeout_seconds=timeout_seconds, **options)


def has_ended(pid: int) -> bool:
    """Wait until a process that is no child of ours has ended (as a zombie too), at most half a minute."""
    try:
        descriptor = os.pidfd_open(pid)
    except ProcessLookupError:
        return True
    try:
        return select.select([descriptor], [], [], 30.0)[0] == [descriptor]
    finally:
        os.close(descriptor)


def failed(stage: str, detail: str) -> Note:
    return Note(message_id="machine-note-failed", arguments={"stage": stage, "detail": detail})


def test_results_are_collected_and_stages_told(modules: Path) -> None:
    begun: list[str] = []
    program = """
import json, os, sys
print('{"begin": "one"}')
print("a library's own words")
print('[1]')
print('{"stage": "one", "result": {"x": 1}}')
print('{"stage": "two", "error": "TypeError: no"}')
print(json.dumps({"stage": "env", "result": [os.environ["OMP_NUM_THREADS"], sys.argv[1:], sys.path[0]]}))
"""
    outcome = run(modules, program, on_begin=begun.append)
    assert begun == ["one"]
    assert outcome.results["one"] == {"x": 1}
    threads, arguments, first_path = outcome.results["env"]
    assert (threads, arguments) == ("2", ["a"])
    # The folder where the user stands is not searched for modules; Headway's own is.
    assert first_path == str(Path(children.headway.__file__).parent.parent)
    assert outcome.notes == [failed("two", "TypeError: no")]


def test_a_child_that_fails_leaves_its_last_line(modules: Path) -> None:
    outcome = run(modules, "print('{\"begin\": \"matmul\"}', flush=True)\nraise OSError('libgomp.so: not found')")
    assert outcome.notes == [failed("matmul", "OSError: libgomp.so: not found")]
    assert run(modules, "raise SystemExit(7)").notes == [failed("child_under_test", "7")]


def test_a_killed_child_keeps_what_it_had_printed(modules: Path) -> None:
    program = """
import os, signal
print('{"stage": "one", "result": 5}', flush=True)
print('{"begin": "two"}', flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""
    outcome = run(modules, program)
    assert outcome.results == {"one": 5}
    assert outcome.notes == [Note(message_id="machine-note-killed", arguments={"stage": "two", "signal": "SIGKILL"})]


def test_real_time_signals_have_numbers_only(modules: Path) -> None:
    outcome = run(modules, "import os, signal\nos.kill(os.getpid(), signal.SIGRTMIN + 5)")
    assert outcome.notes[0].arguments["signal"] == str(39)


def test_a_child_out_of_time_is_killed_with_its_own_children(modules: Path) -> None:
    program = """
import subprocess, sys
grandchild = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print('{"stage": "pid", "result": %d}' % grandchild.pid, flush=True)
print('{"begin": "slow"}', flush=True)
grandchild.wait()
"""
    outcome = run(modules, program, timeout_seconds=1.0)
    assert outcome.notes == [
        Note(message_id="machine-note-timeout", arguments={"stage": "slow", "timeout_seconds": 1.0})
    ]
    assert has_ended(outcome.results["pid"])


def test_an_interpreter_that_cannot_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/absent/python")
    outcome = children.run_module("json.tool", [], threads=1, timeout_seconds=5.0, environment=dict(os.environ))
    assert outcome.notes == [failed("tool", "FileNotFoundError")]
