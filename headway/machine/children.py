"""The parent's side of a measurement: starts a child, reads its lines, and turns every failure into a note."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import msgspec

import headway
from headway.machine.measurements import Note
from headway.machine.tuned_environment import tuned_environment


@dataclass(kw_only=True)
class Outcome:
    """What a child left: the results by stage, and notes on what failed."""

    results: dict[str, Any] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)


def run_module(
    module: str,
    arguments: list[str],
    *,
    threads: int,
    timeout_seconds: float,
    on_begin: Callable[[str], None] | None = None,
    environment: Mapping[str, str] | None = None,
) -> Outcome:
    """Run ``python -m module arguments`` and collect the stages that it prints (see ``stages``).

    Args:
        module: a module of Headway that speaks the protocol of ``headway.machine.stages``.
        arguments: its arguments.
        threads: the number of threads that its libraries may start.
        timeout_seconds: after this time the child and its own children are killed.
        on_begin: called with the name of each stage when it begins.
        environment: the environment variables to start from; by default this process's own.

    Returns:
        What came back. The child's death is a note, never an exception.
    """
    outcome = Outcome()
    last_stage = module.rpartition(".")[2]
    with tempfile.TemporaryFile() as errors:
        try:
            child = _start(module, arguments, _environment(threads, environment), errors)
        except OSError as error:
            outcome.notes.append(_failed(last_stage, type(error).__name__))
            return outcome
        expired = threading.Event()
        timer = threading.Timer(timeout_seconds, _expire, (child, expired))
        timer.start()
        try:
            assert child.stdout is not None
            for line in child.stdout:
                last_stage = _take(line, outcome, on_begin) or last_stage
            child.wait()
        finally:
            timer.cancel()
            _kill_group(child)
            child.wait()
            if child.stdout is not None:
                child.stdout.close()
        if expired.is_set():
            arguments_of_note: dict[str, str | int | float] = {"stage": last_stage, "timeout_seconds": timeout_seconds}
            outcome.notes.append(Note(message_id="machine-note-timeout", arguments=arguments_of_note))
        elif child.returncode:
            outcome.notes.append(_death(last_stage, child.returncode, errors))
    return outcome


def _environment(threads: int, environment: Mapping[str, str] | None) -> dict[str, str]:
    found = dict(os.environ if environment is None else environment)
    for name in ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS"):
        found[name] = str(threads)
    # The child must find this very Headway, installed or not.
    package_parent = str(Path(headway.__file__).resolve().parent.parent)
    found["PYTHONPATH"] = os.pathsep.join(part for part in (package_parent, found.get("PYTHONPATH", "")) if part)
    return tuned_environment(found)


def _start(
    module: str, arguments: list[str], environment: dict[str, str], errors: IO[bytes]
) -> subprocess.Popen[bytes]:
    # -P: a file named torch.py in the folder where the user stands must not be taken for the framework.
    # A session of its own: the child's children die with it.
    return subprocess.Popen(
        [sys.executable, "-P", "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        env=environment,
        start_new_session=True,
    )


def _take(line: bytes, outcome: Outcome, on_begin: Callable[[str], None] | None) -> str | None:
    """Take one line of the child's; libraries print to standard output too, and such lines are skipped."""
    try:
        entry = msgspec.json.decode(line)
    except msgspec.DecodeError:
        return None
    if not isinstance(entry, dict):
        return None
    if isinstance(entry.get("begin"), str):
        if on_begin is not None:
            on_begin(entry["begin"])
        return str(entry["begin"])
    stage = entry.get("stage")
    if isinstance(stage, str) and "error" in entry:
        outcome.notes.append(_failed(stage, str(entry["error"])))
    elif isinstance(stage, str) and "result" in entry:
        outcome.results[stage] = entry["result"]
    return None


def _failed(stage: str, detail: str) -> Note:
    return Note(message_id="machine-note-failed", arguments={"stage": stage, "detail": detail})


def _death(stage: str, return_code: int, errors: IO[bytes]) -> Note:
    if return_code < 0:
        try:
            name = signal.Signals(-return_code).name
        except ValueError:
            name = str(-return_code)
        return Note(message_id="machine-note-killed", arguments={"stage": stage, "signal": name})
    errors.seek(0)
    lines = errors.read().decode("utf-8", "replace").strip().splitlines()
    return _failed(stage, lines[-1][:200] if lines else str(return_code))


def _expire(child: subprocess.Popen[bytes], expired: threading.Event) -> None:
    expired.set()
    _kill_group(child)


def _kill_group(child: subprocess.Popen[bytes]) -> None:
    try:
        os.killpg(child.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        return
