"""Output that cannot be written, readers that go away, and what the exit code says."""

from __future__ import annotations

import fcntl
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from headway.runs import RunFolder
from tests.command_line import Headway

SHOW = "recipe show headway-tiny-1m"
TRAIN = "train small.toml --set training.steps=6"


def shell(headway: Headway, script: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run a line of bash in which ``headway`` is the real command."""
    function = f'headway() {{ "{sys.executable}" -m headway "$@"; }}'
    done = subprocess.run(
        ["bash", "-c", f"{function}\n{script}"],
        cwd=headway.folder,
        env={**headway.environment, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert "Traceback" not in done.stdout + done.stderr
    assert "Exception ignored" not in done.stderr
    return done


@pytest.mark.parametrize("command", [SHOW, "recipe show headway-tiny-1m --json", "runs list", "runs ledger small"])
@pytest.mark.parametrize("output", ["> /dev/full", ">&-"])
def test_output_that_cannot_be_written_is_an_error(command: str, output: str, trained: Headway) -> None:
    done = shell(trained, f"headway {command} {output}")
    assert done.returncode == 1
    assert "The output must be written" in done.stderr


def test_status_that_cannot_be_written_is_none(trained: Headway) -> None:
    for index, stream in enumerate(("2> /dev/full", "2>&-")):
        done = shell(trained, f"headway {TRAIN} --name quiet-{index} --json {stream}")
        assert done.returncode == 0, done.stderr
        assert '"finished"' in done.stdout


def test_an_error_keeps_its_code_where_nobody_reads_it(trained: Headway) -> None:
    assert shell(trained, "headway recipe show nothing.toml --json | true; exit ${PIPESTATUS[0]}").returncode == 2
    assert shell(trained, "headway recipe show nothing.toml --json > /dev/full").returncode == 2


def test_a_training_outlives_whoever_reads_it(trained: Headway) -> None:
    done = shell(trained, f"headway {TRAIN} --name piped 2>&1 | head -1; exit ${{PIPESTATUS[0]}}")
    assert done.returncode == 0
    assert len(done.stdout.splitlines()) == 1
    run = RunFolder(trained.folder / "runs" / "piped")
    assert run.status() == "finished"
    assert run.metrics()[-1]["step"] == 6


def test_a_slow_reader_of_a_pipe_that_does_not_block_gets_all(trained: Headway) -> None:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    process = subprocess.Popen(
        [sys.executable, "-m", "headway", "recipe", "new"], cwd=trained.folder, env=trained.environment, stdout=writer
    )
    size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        content = pipe.read()
    assert process.wait(timeout=60) == 0
    assert len(content) > size
    assert content == shell(trained, "headway recipe new").stdout.encode()


def test_what_the_encoding_lacks_is_replaced(trained: Headway) -> None:
    done = shell(trained, "headway runs show small", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert done.stdout.isascii()
    assert "finished" in done.stdout


def start(headway: Headway, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "headway", *arguments],
        cwd=headway.folder,
        env=headway.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )


def interrupt_when(process: subprocess.Popen[str], ready: Path) -> str:
    """Send Ctrl-C as soon as a path is there; return what was told."""
    deadline = time.monotonic() + 120
    while not ready.exists():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.005)
    os.kill(process.pid, signal.SIGINT)
    _, told = process.communicate(timeout=120)
    assert "Traceback" not in told, told
    return told


@pytest.mark.parametrize("ready", ["recipe.toml", "logs/rank-0.log", "events.jsonl"])
def test_ctrl_c_before_the_first_step_saves_nothing_and_says_so(ready: str, trained: Headway) -> None:
    name = f"early-{ready[:3]}"
    process = start(trained, "train", "small.toml", "--name", name)
    told = interrupt_when(process, trained.folder / "runs" / name / ready)
    run = RunFolder(trained.folder / "runs" / name)
    assert process.returncode == 130, told
    assert not run.metrics()
    assert "Stopped" in told
    assert "saved" not in told.replace("nothing to save", "")
    # It can go on, or be started with a mended recipe.
    again = trained("train", "small.toml", "--name", name, "--resume", "--set", "training.steps=2", "--json")
    assert again.code == 0, again.err
    assert run.metrics()[-1]["step"] == 2


def test_the_same_name_serves_again_after_a_failed_start(trained: Headway) -> None:
    (trained.folder / "empty.txt").write_text("")
    arguments = ("train", "small.toml", "--name", "failing")
    failed = trained(*arguments, "--set", "data.paths=empty.txt")
    assert failed.code == 2
    assert trained("runs", "show", "failing", "--json").json["status"] == "failed"
    assert trained(*arguments, "--set", "training.steps=2", "--json").json["status"] == "finished"
    assert trained(*arguments, "--set", "training.steps=2").code == 1


def test_resuming_a_finished_run_says_that_it_is_finished(trained: Headway) -> None:
    before = len(RunFolder(trained.folder / "runs" / "small").events())
    done = trained("train", "small.toml", "--name", "small", "--resume")
    assert done.code == 0
    assert "is finished" in done.err
    assert "tokens per second" in done.out
    assert len(RunFolder(trained.folder / "runs" / "small").events()) == before
    fewer = trained("train", "small.toml", "--name", "small", "--resume", "--set", "training.steps=7")
    assert fewer.code == 1
    assert "20" in fewer.err


def test_a_demo_outlives_whoever_reads_it(headway: Headway) -> None:
    done = shell(headway, "headway demo --steps 4 --runs mine 2> told | head -1; exit ${PIPESTATUS[0]}")
    assert done.returncode == 0
    assert RunFolder(headway.folder / "mine" / "demo").status() == "finished"
    assert "headway runs show demo --runs mine" in (headway.folder / "told").read_text()
