from __future__ import annotations

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from headway.errors import RunError, TrainingError
from headway.machine.tuned_environment import ALLOCATOR_TUNABLES
from headway.resilience.launchers.local import held_interrupt, start_worker, stop_workers

POLITE = """
import signal, sys
# Blocked and waited for: a handler could miss a signal that comes just before the pause.
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTERM])
print("ready", flush=True)
signal.sigwait([signal.SIGTERM])
print("saved", flush=True)
sys.exit(7)
"""
DEAF = """
import signal, subprocess, sys
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
print("ready", child.pid, flush=True)
while True:
    signal.pause()
"""


def start(code: str, log: Path, environment: dict[str, str] | None = None) -> subprocess.Popen[bytes]:
    return start_worker([sys.executable, "-c", code], log, environment)


def wait_for(text: str, log: Path, process: subprocess.Popen[bytes]) -> str:
    """Read the log until a text is in it."""
    while text not in log.read_text():
        assert process.poll() is None
    return log.read_text()


def test_output_of_both_kinds_goes_to_the_log(tmp_path: Path) -> None:
    log = tmp_path / "logs" / "rank-0.log"
    code = (
        "import sys; print('to stdout', flush=True); print('to stderr', file=sys.stderr); print(repr(sys.stdin.read()))"
    )
    assert start(code, log).wait() == 0
    assert log.read_text().splitlines() == ["to stdout", "to stderr", "''"]
    assert start("print('again')", log).wait() == 0
    assert log.read_text().splitlines()[-2:] == ["''", "again"]


def test_the_environment_is_ours_and_the_workers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HEADWAY_TEST_OUTER", "outer")
    log = tmp_path / "a.log"
    code = "import os; print(os.environ['HEADWAY_TEST_OUTER'], os.environ['HEADWAY_TEST_INNER'])"
    assert start(code, log, {"HEADWAY_TEST_INNER": "inner"}).wait() == 0
    assert log.read_text() == "outer inner\n"


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="the tunables are those of the GNU C Library")
def test_the_allocator_is_tuned_unless_somebody_else_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLIBC_TUNABLES", raising=False)
    code = "import os; print(os.environ['GLIBC_TUNABLES'])"
    assert start(code, tmp_path / "a.log").wait() == 0
    assert (tmp_path / "a.log").read_text().strip().split(":") == [
        f"{name}={value}" for name, value in ALLOCATOR_TUNABLES.items()
    ]
    assert start(code, tmp_path / "b.log", {"GLIBC_TUNABLES": "glibc.malloc.top_pad=1"}).wait() == 0
    assert (tmp_path / "b.log").read_text().strip() == "glibc.malloc.top_pad=1"
    loader = Path("/lib64/ld-linux-x86-64.so.2")
    if loader.exists():
        known = subprocess.run([loader, "--list-tunables"], capture_output=True, text=True, check=True).stdout
        assert all(f"{name}:" in known for name in ALLOCATOR_TUNABLES)


def test_a_worker_has_a_group_of_its_own(tmp_path: Path) -> None:
    process = start(POLITE, tmp_path / "a.log")
    try:
        assert os.getpgid(process.pid) == process.pid != os.getpgrp()
    finally:
        process.kill()
        process.wait()


def test_a_worker_that_is_asked_saves_and_ends(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    process = start(POLITE, log)
    wait_for("ready", log, process)
    stop_workers([process], grace_seconds=60)
    assert process.returncode == 7
    assert log.read_text() == "ready\nsaved\n"
    stop_workers([process], grace_seconds=60)
    assert process.returncode == 7


def test_a_worker_that_does_not_listen_is_killed_with_its_children(tmp_path: Path) -> None:
    log = tmp_path / "a.log"
    process = start(DEAF, log)
    child = psutil.Process(int(wait_for("\n", log, process).split()[1]))
    stop_workers([process], grace_seconds=0.2)
    assert process.returncode == -signal.SIGKILL
    child.wait(timeout=60)


def test_a_worker_that_has_ended_keeps_its_code(tmp_path: Path) -> None:
    process = start("raise SystemExit(3)", tmp_path / "a.log")
    process.wait()
    stop_workers([process], grace_seconds=0)
    assert process.returncode == 3


def test_a_log_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(RunError, match="run-unwritable"):
        start("", tmp_path / "file" / "a.log")
    with pytest.raises(RunError, match="run-unwritable"):
        start("", tmp_path)


def test_a_program_that_cannot_be_started(tmp_path: Path) -> None:
    with pytest.raises(TrainingError, match="training-worker-not-started") as caught:
        start_worker([str(tmp_path / "absent")], tmp_path / "a.log")
    assert caught.value.arguments["program"].endswith("absent")


ORPHAN = """
import signal, sys, time
from headway.resilience.launchers.local import die_with_parent
sys.stdin.read()
die_with_parent(signal.SIGKILL)
print("still here")
"""
PARENT = """
import os, subprocess, sys
from headway.resilience.launchers.local import with_parent
child = subprocess.Popen([sys.executable, "-c", sys.argv[1]], stdin=int(sys.argv[2]), env=with_parent(os.environ))
"""


def test_a_child_whose_parent_died_before_it_asked_dies_too() -> None:
    """The child waits until its parent is gone, and only then asks to die with it."""
    reader, writer = os.pipe()
    command = [sys.executable, "-c", PARENT, ORPHAN, str(reader)]
    parent = subprocess.Popen(command, pass_fds=[reader], stdout=subprocess.PIPE)
    os.close(reader)
    parent.wait()
    os.close(writer)
    assert parent.stdout is not None
    # The pipe ends when the orphan does, which has inherited it.
    assert parent.stdout.read() == b""
    parent.stdout.close()


def test_ctrl_c_is_held_while_a_child_is_started() -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with held_interrupt() as held:
            os.kill(os.getpid(), signal.SIGINT)
        assert held == [signal.SIGINT]
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        # Whoever ignores Ctrl-C goes on ignoring it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        with held_interrupt() as held:
            os.kill(os.getpid(), signal.SIGINT)
        assert held == []
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)
