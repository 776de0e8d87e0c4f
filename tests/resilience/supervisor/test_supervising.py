"""Real commands, killed by real signals."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from headway.errors import RunError, TrainingError
from headway.resilience.supervisor import Limits, supervise
from headway.resilience.supervisor.watch import LEAST_HANG_SECONDS

QUICK = Limits(retries=3, wait_seconds=0.05, grace_seconds=5.0, hang_steps=0)


def python(code: str, *arguments: object) -> list[str]:
    return [sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)]


def events(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "events.jsonl").read_text().splitlines()]


def names(folder: Path) -> list[str]:
    return [event["event"] for event in events(folder)]


def gone(pid: int, seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_a_command_that_ends_well_is_run_once(tmp_path: Path) -> None:
    seen: list[bytes] = []
    outcome = supervise(python("print('hello')"), tmp_path, limits=QUICK, on_output=seen.append)
    assert (outcome.status, outcome.attempts, outcome.told) == (0, 1, None)
    assert b"".join(seen) == b"hello\n"
    assert names(tmp_path) == ["attempt-started", "attempt-finished"]


def test_a_killed_command_is_started_again(tmp_path: Path) -> None:
    code = """
        import os, signal, sys
        marks = sys.argv[1]
        open(marks, "a").write("x")
        if len(open(marks).read()) < 3:
            print(f"step: {len(open(marks).read())} loss: 1.0", flush=True)
            os.kill(os.getpid(), signal.SIGKILL)
    """
    outcome = supervise(python(code, tmp_path / "marks"), tmp_path / "run", limits=QUICK)
    assert (outcome.status, outcome.attempts) == (0, 3)
    causes = [event["cause"] for event in events(tmp_path / "run") if event["event"] == "attempt-failed"]
    assert causes == ["killed", "killed"]
    assert len(list((tmp_path / "run" / "logs").iterdir())) == 3


def test_the_wait_grows_with_each_start(tmp_path: Path) -> None:
    code = "import sys; print('RuntimeError: Connection closed by peer [10.0.0.1]:4000'); sys.exit(1)"
    outcome = supervise(python(code), tmp_path, limits=QUICK)
    assert (outcome.status, outcome.attempts, outcome.reason) == (1, 4, "retries")
    waits = [event["wait_seconds"] for event in events(tmp_path) if event["event"] == "retrying"]
    assert waits == [0.05, 0.1, 0.2]


@pytest.mark.parametrize(
    ("line", "cause"),
    [
        ("OSError: [Errno 28] No space left on device", "disk-full"),
        ("error: unrecognized arguments: --x", "wrong-argument"),
        ("torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB", "device-memory"),
    ],
)
def test_what_would_be_there_again_is_not_started_again(tmp_path: Path, line: str, cause: str) -> None:
    outcome = supervise(python(f"import sys; print({line!r}); sys.exit(2)"), tmp_path, limits=QUICK)
    assert (outcome.status, outcome.attempts, outcome.reason) == (2, 1, "lasting")
    assert outcome.told is not None
    assert outcome.told.cause == cause


def test_the_same_exception_at_the_same_step_is_not_tried_thrice(tmp_path: Path) -> None:
    code = "print('step: 7 loss: 1.0', flush=True); raise RuntimeError('the seventh step is bad')"
    outcome = supervise(python(code), tmp_path, limits=QUICK)
    assert (outcome.attempts, outcome.reason) == (2, "repeated")


HANGS = """
    import sys, time
    first = not __import__("os").path.exists(sys.argv[1])
    open(sys.argv[1], "a").write("x")
    for step in range(8):
        print(f"step: {step} loss: 1.0", flush=True)
        time.sleep(0.05)
    if first:
        time.sleep(600)
"""


def test_a_hang_is_found_written_down_and_ended(tmp_path: Path) -> None:
    limits = Limits(retries=1, wait_seconds=0.05, grace_seconds=2.0, hang_steps=3)
    started = time.monotonic()
    outcome = supervise(python(HANGS, tmp_path / "mark"), tmp_path / "run", limits=limits)
    assert (outcome.status, outcome.attempts) == (0, 2)
    assert time.monotonic() - started < 120
    (hang,) = [event for event in events(tmp_path / "run") if event["event"] == "hang"]
    assert LEAST_HANG_SECONDS < hang["silent_seconds"] < 60
    assert "pid=" in (tmp_path / "run" / "logs" / hang["stacks"]).read_text()
    failed = next(event for event in events(tmp_path / "run") if event["event"] == "attempt-failed")
    assert failed["cause"] == "hang"


SUPERVISOR = """
    import sys
    from pathlib import Path
    from headway.resilience.supervisor import Limits, supervise
    code = "import os, subprocess, sys, time; p = subprocess.Popen(['sleep', '600']); " \\
           "print('pids', os.getpid(), p.pid, flush=True); " + sys.argv[2]
    limits = Limits(grace_seconds=float(sys.argv[3]), hang_steps=0)
    outcome = supervise([sys.executable, "-c", code], Path(sys.argv[1]), limits=limits)
    sys.exit(40 + (outcome.stopped_by or 0))
"""


def start_supervisor(folder: Path, code: str, grace_seconds: float = 10.0) -> tuple[subprocess.Popen[bytes], list[int]]:
    supervisor = subprocess.Popen(python(SUPERVISOR, folder, code, grace_seconds))
    log = folder / "logs" / "attempt-001.log"
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        words = log.read_text().split() if log.exists() else []
        if words[:1] == ["pids"] and len(words) >= 3:
            return supervisor, [int(word) for word in words[1:3]]
        time.sleep(0.05)
    supervisor.kill()
    raise AssertionError("the job did not start")


def wait_until_ready(folder: Path) -> None:
    while "ready" not in (folder / "logs" / "attempt-001.log").read_text():
        time.sleep(0.05)


def test_a_killed_supervisor_leaves_no_orphan(tmp_path: Path) -> None:
    supervisor, pids = start_supervisor(tmp_path, "time.sleep(600)")
    supervisor.kill()
    supervisor.wait()
    assert all(gone(pid) for pid in pids)


def test_a_signal_reaches_the_job_which_has_time_to_save(tmp_path: Path) -> None:
    code = (
        "import signal; "
        "signal.signal(signal.SIGTERM, lambda *a: (time.sleep(0.5), print('saved', flush=True), os._exit(0))); "
        "print('ready', flush=True); time.sleep(600)"
    )
    supervisor, pids = start_supervisor(tmp_path, code)
    log = tmp_path / "logs" / "attempt-001.log"
    wait_until_ready(tmp_path)
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(60) == 40 + signal.SIGTERM
    assert "saved" in log.read_text()
    assert all(gone(pid) for pid in pids)
    assert names(tmp_path)[-1] == "attempt-stopped"


def test_told_twice_the_grace_ends(tmp_path: Path) -> None:
    code = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('ready', flush=True); time.sleep(600)"
    supervisor, pids = start_supervisor(tmp_path, code, grace_seconds=600)
    wait_until_ready(tmp_path)
    supervisor.send_signal(signal.SIGTERM)
    time.sleep(1)
    assert supervisor.poll() is None
    supervisor.send_signal(signal.SIGTERM)
    assert supervisor.wait(60) == 40 + signal.SIGTERM
    assert all(gone(pid) for pid in pids)


def test_other_signals_are_passed_on(tmp_path: Path) -> None:
    code = (
        "import signal; signal.signal(signal.SIGUSR1, lambda *a: (print('told', flush=True), os._exit(0))); "
        "print('ready', flush=True); time.sleep(600)"
    )
    supervisor, pids = start_supervisor(tmp_path, code)
    log = tmp_path / "logs" / "attempt-001.log"
    wait_until_ready(tmp_path)
    supervisor.send_signal(signal.SIGUSR1)
    assert supervisor.wait(60) == 40
    assert "told" in log.read_text()
    assert all(gone(pid) for pid in pids), "the sleep that the job left behind is ended too"


def test_a_second_supervisor_is_refused(tmp_path: Path) -> None:
    supervisor, _ = start_supervisor(tmp_path, "time.sleep(600)")
    try:
        with pytest.raises(RunError) as refused:
            supervise(python("pass"), tmp_path, limits=QUICK)
        assert refused.value.message_id == "run-locked"
    finally:
        supervisor.send_signal(signal.SIGTERM)
        supervisor.wait(60)


def test_a_process_that_leaves_the_group_is_ended_too(tmp_path: Path) -> None:
    code = """
        import subprocess, sys, time
        child = subprocess.Popen(["sleep", "600"], start_new_session=True)
        print(child.pid, flush=True)
        time.sleep(3)
    """
    seen: list[bytes] = []
    assert supervise(python(code), tmp_path, limits=QUICK, on_output=seen.append).status == 0
    assert gone(int(b"".join(seen)))


def test_a_program_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(TrainingError):
        supervise(["no-such-program"], tmp_path, limits=QUICK)


def test_a_folder_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RunError):
        supervise(python("pass"), tmp_path / "file", limits=QUICK)


def test_handlers_are_as_before(tmp_path: Path) -> None:
    before = signal.getsignal(signal.SIGTERM)
    supervise(python("pass"), tmp_path, limits=QUICK)
    assert signal.getsignal(signal.SIGTERM) == before
