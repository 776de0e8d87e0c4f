"""Start a worker process on this machine, in a group of its own, its output in a file."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from headway.errors import RunError, TrainingError
from headway.machine.tuned_environment import tuned_environment

_PR_SET_PDEATHSIG = 1
"""Source: Linux, include/uapi/linux/prctl.h."""


def start_worker(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None
) -> subprocess.Popen[bytes]:
    """Start a worker.

    Args:
        command: program and arguments.
        log: standard output and error are appended to this file.
        environment: variables beside those of this process.

    Raises:
        RunError: the log cannot be written.
        TrainingError: the program cannot be started.
    """
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        output = log.open("ab")
    except OSError as error:
        raise RunError("run-unwritable", path=str(log), reason=error.strerror or str(error)) from error
    try:
        with output:
            return subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=subprocess.STDOUT,
                env=tuned_environment({**os.environ, **(environment or {})}),
                start_new_session=True,
            )
    except OSError as error:
        raise TrainingError(
            "training-worker-not-started", program=str(command[0]), reason=error.strerror or str(error)
        ) from error


def stop_worker(process: subprocess.Popen[bytes], grace_seconds: float) -> int:
    """Ask a worker to save and end; kill it where it does not within the grace time. Return its exit code."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
        try:
            return process.wait(timeout=grace_seconds)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
    return process.wait()


def die_with_parent(number: signal.Signals) -> None:
    """Let the kernel send a signal to this process when its parent dies, so that no orphan goes on working."""
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number)
