"""Starts and ends the process that runs llama.cpp, and says why one did not start."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import Self, final

from headway.errors import MissingDependencyError, ServingError
from headway.serving.engine.settings import EngineSettings

STOP_SECONDS = 10.0
"""How long the process may take to end when it is told to."""

_ERROR = re.compile(r"^[\d.]+ E \s*(.+)")
"""A line of llama.cpp's log that tells an error: time, level, place and text."""
_LOG_BYTES = 256 * 1024


@final
class Engine:
    """llama.cpp with one model, in a process of its own: where it dies, whoever asks it does not.

    Args:
        settings: how it runs.

    Attributes:
        socket_path: where it listens, over HTTP.

    Raises:
        MissingDependencyError: xllamacpp is not installed.
    """

    def __init__(self, settings: EngineSettings) -> None:
        if importlib.util.find_spec("xllamacpp") is None:
            raise MissingDependencyError("serving-package-missing", package="xllamacpp", extra="serve")
        self.settings = settings
        # A path in /tmp is short enough for a Unix socket, and the folder is closed to others.
        self._folder = Path(tempfile.mkdtemp(prefix="headway-"))
        self.log_path = self._folder / "engine.log"
        self._process: subprocess.Popen[bytes] | None = None
        self._starts = 0

    @property
    def socket_path(self) -> Path:
        """Where it listens; a new one at each start, since a process that was killed leaves its own behind."""
        return self._folder / f"{self._starts}.sock"

    def start(self) -> None:
        """Start the process and wait until the model is loaded.

        Raises:
            ServingError: llama.cpp refuses the model, or the process was killed.
        """
        self._starts += 1
        command = [sys.executable, "-m", "headway.serving.engine.child", self.settings.to_json(), str(self.socket_path)]
        with self.log_path.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
                env={**os.environ, "PYTHONUNBUFFERED": "1"},
                # Ctrl-C is for us: we let it finish what it does, and end it then.
                start_new_session=True,
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        while line and line != b"ready\n":
            # A library may greet on standard output.
            line = self._process.stdout.readline()
        if not line:
            raise self.failure()

    @property
    def is_running(self) -> bool:
        """Whether the process is there."""
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int | None:
        """Of the process; None before the first start."""
        return None if self._process is None else self._process.pid

    def failure(self) -> ServingError:
        """Return why the process is not there."""
        assert self._process is not None
        code = self._process.wait()
        reason = self._reason()
        if code < 0:
            return ServingError("serving-engine-killed", model=self.settings.model, signal=-code, reason=reason)
        return ServingError("serving-engine-refused", model=self.settings.model, reason=reason)

    def stop(self) -> None:
        """End the process, and remove what it left."""
        process, self._process = self._process, None
        if process is not None and process.stdin is not None and process.stdout is not None:
            process.stdin.close()
            try:
                process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
            process.stdout.close()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _reason(self) -> str:
        """Return the first error of the log, which names the cause; those after it name what followed."""
        with self.log_path.open("rb") as log:
            lines = [line.strip() for line in log.read(_LOG_BYTES).decode("utf-8", "replace").splitlines()]
        errors = [found[1] for found in map(_ERROR.match, lines) if found]
        last = [line for line in lines if line][-1:]
        return (errors or last or ["?"])[0][:300]

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _at: TracebackType | None
    ) -> None:
        self.stop()
