"""Start a worker process on this machine, in a group of its own, its output in a file."""

from __future__ import annotations

import ctypes
import os
import platform
import signal
import subprocess
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from headway.errors import RunError, TrainingError
from headway.machine.tuned_environment import tuned_environment

_PARENT_VARIABLE = "HEADWAY_PARENT_PROCESS"
_PR_SET_PDEATHSIG = 1
"""Source: Linux, include/uapi/linux/prctl.h."""


def start_worker(
    command: Sequence[str], log: Path, environment: Mapping[str, str] | None = None, *, is_parent: bool = True
) -> subprocess.Popen[bytes]:
    """Start a worker.

    Args:
        command: program and arguments.
        log: standard output and error are appended to this file.
        environment: variables beside those of this process.
        is_parent: whether what starts here is what calls `die_with_parent`, and not something that it starts.

    Raises:
        RunError: the log cannot be written.
        TrainingError: the program cannot be started.
    """
    variables = {**os.environ, **(environment or {})}
    return start_process(command, log, tuned_environment(with_parent(variables) if is_parent else variables))


def start_process(command: Sequence[str], log: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start a process in a group of its own, its output in a file.

    Args:
        command: program and arguments.
        log: standard output and error are appended to this file.
        environment: all of its variables.

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
                env=dict(environment),
                start_new_session=True,
            )
    except OSError as error:
        raise TrainingError(
            "training-worker-not-started", program=str(command[0]), reason=error.strerror or str(error)
        ) from error


def stop_workers(processes: Sequence[subprocess.Popen[bytes]], grace_seconds: float) -> None:
    """Ask workers to save and end; kill those that do not within the grace time."""
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
    end = time.monotonic() + grace_seconds
    for process in processes:
        try:
            process.wait(timeout=max(end - time.monotonic(), 0.0))
        except subprocess.TimeoutExpired:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def with_parent(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a child that is to call `die_with_parent`: it says which process its parent is."""
    return {**environment, _PARENT_VARIABLE: str(os.getpid())}


def die_with_parent(number: signal.Signals) -> None:
    """Let the kernel send a signal to this process when its parent dies, so that no orphan goes on working.

    A parent that died before this call is found by its number, where the child was started `with_parent`.
    """
    if platform.system() == "Linux":
        ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, number)
    parent = os.environ.get(_PARENT_VARIABLE)
    if parent is not None and parent != str(os.getppid()):
        os.kill(os.getpid(), number)


@contextmanager
def held_interrupt() -> Iterator[list[int]]:
    """Hold Ctrl-C back while a child is being started; the list that is yielded then holds the signal.

    Between the start of a child and its entry in a variable, an exception would leave a child that nobody stops. The
    caller stops it, and raises `KeyboardInterrupt`. Only the main thread is ever interrupted.
    """
    held: list[int] = []
    here = threading.current_thread() is threading.main_thread()
    if not here or signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield held
        return
    signal.signal(signal.SIGINT, lambda number, _frame: held.append(number))
    try:
        yield held
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
