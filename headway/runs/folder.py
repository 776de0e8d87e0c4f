"""The run folder: everything about one execution of a recipe, readable without a server.

    runs/NAME/recipe.toml  plan.json  ledger.json  events.jsonl  metrics/*.jsonl  logs/rank-N.log  checkpoints/

Where a run goes on, the plan for that lies beside the first: ``plan-2.json`` and so on.

It survives a kill at any instant: files are written under a temporary name and renamed, logs grow by whole lines.
"""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.catalog.closest import closest_name
from headway.errors import RunError
from headway.recipe import Recipe, load_recipe
from headway.runs import json_values
from headway.runs.logs import last_per_step, read_lines
from headway.runs.records import is_event, is_metric, ledger_flaw, plan_flaw

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,127}")
_RECIPE = "recipe.toml"
_PLAN = "plan.json"
_LEDGER = "ledger.json"
_EVENTS = "events.jsonl"
_LOCK = ".lock"
_SUPERVISOR_LOCK = ".supervisor"
MAX_BASE_LENGTH = 100
"""A recipe's name is cut to this, which leaves room for the number of the run."""

_LOCK_SECONDS = 1.0
_LOCK_POLL_SECONDS = 0.01
_NO_LOCKS = (errno.ENOLCK, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS)
"""What file systems without locks answer. Source: flock(2), and NFS mounts whose server runs no lock daemon."""


@dataclass(frozen=True)
class RunFolder:
    """One run on disk.

    Args:
        path: the folder.
    """

    path: Path

    @classmethod
    def create(cls, root: Path, recipe: Recipe, plan: Mapping[str, Any], name: str | None = None) -> RunFolder:
        """Create the folder of a new run.

        Args:
            root: the folder of all runs.
            recipe: the resolved recipe.
            plan: the plan as plain data.
            name: the run's name; by default the recipe's, with a number behind it where that is taken.

        Raises:
            RunError: the name is not usable or taken, or the folder cannot be written.
        """
        wanted = recipe.name if name is None else name
        if not _NAME.fullmatch(wanted):
            raise RunError("run-name-invalid", name=wanted)
        try:
            root.mkdir(parents=True, exist_ok=True)
            run = cls(_claim(root, recipe.name[:MAX_BASE_LENGTH], name))
        except OSError as error:
            raise RunError("run-unwritable", path=str(root), reason=error.strerror or str(error)) from error
        try:
            run._fill(recipe, plan)
        except BaseException as error:
            # Nothing of use is in it yet, and its name would stay taken.
            shutil.rmtree(run.path, ignore_errors=True)
            if isinstance(error, OSError):
                raise RunError("run-unwritable", path=str(run.path), reason=error.strerror or str(error)) from error
            raise
        return run

    def _fill(self, recipe: Recipe, plan: Mapping[str, Any]) -> None:
        for folder in (self.metrics_folder, self.logs_folder, self.checkpoints_folder):
            folder.mkdir()
        self.write_plan(plan)
        # Last, since the recipe is what makes the folder a run.
        self.write_recipe(recipe)

    @classmethod
    def open(cls, root: Path, name: str) -> RunFolder:
        """Open an existing run.

        Raises:
            RunError: there is none of that name, or it has lost its recipe.
        """
        run = cls(root / name)
        if _NAME.fullmatch(name) and not (run.path / _RECIPE).is_file() and run.events_path.is_file():
            missing = os.strerror(errno.ENOENT)
            raise RunError("run-file-damaged", path=str(run.path / _RECIPE), reason=missing)
        if not _NAME.fullmatch(name) or not (run.path / _RECIPE).is_file():
            known = [found.name for found in list_runs(root)]
            raise RunError(
                "run-unknown",
                name=name,
                root=str(root),
                closest=closest_name(name, known) or "none",
                known=", ".join(known) or "none",
            )
        return run

    @property
    def name(self) -> str:
        """The run's name."""
        return self.path.name

    @property
    def metrics_folder(self) -> Path:
        """Where each rank writes its metric log."""
        return self.path / "metrics"

    @property
    def logs_folder(self) -> Path:
        """Where the output of each rank goes."""
        return self.path / "logs"

    def heartbeat_path(self, rank: int = 0) -> Path:
        """What a rank is doing, written over and over; see `headway.runs.heartbeat`."""
        return self.logs_folder / f".rank-{rank}.heartbeat"

    @property
    def checkpoints_folder(self) -> Path:
        """Where the checkpoints lie."""
        return self.path / "checkpoints"

    @property
    def events_path(self) -> Path:
        """The event log."""
        return self.path / _EVENTS

    @property
    def tokenizer_path(self) -> Path:
        """The tokenizer that the run's tokens were made with."""
        return self.path / "tokenizer.json"

    def metrics_path(self, rank: int = 0) -> Path:
        """The metric log of a rank."""
        return self.metrics_folder / f"rank-{rank}.jsonl"

    def log_path(self, rank: int = 0) -> Path:
        """The output of a rank."""
        return self.logs_folder / f"rank-{rank}.log"

    def recipe(self) -> Recipe:
        """Load the recipe that the run was started with."""
        return load_recipe(self.path / _RECIPE)

    def plan(self) -> dict[str, Any]:
        """Load the plan that the run was started with; later ones, made to go on, lie beside it."""
        return self._read_json(_PLAN, plan_flaw)

    def last_plan(self) -> dict[str, Any]:
        """Load the plan that the run goes on with: the latest of those beside the first, or the first."""
        number = 2
        while (self.path / _later_plan(number)).exists():
            number += 1
        return self.plan() if number == 2 else self._read_json(_later_plan(number - 1), plan_flaw)

    def ledger(self) -> dict[str, Any] | None:
        """Load the ledger, or None where the run has not written one yet."""
        return self._read_json(_LEDGER, ledger_flaw) if (self.path / _LEDGER).is_file() else None

    def write_recipe(self, recipe: Recipe) -> None:
        """Replace the recipe, for instance by one with more steps."""
        self._write(_RECIPE, recipe.to_toml())

    def write_plan(self, plan: Mapping[str, Any]) -> None:
        """Replace the plan."""
        self._write(_PLAN, _json_text(plan))

    def add_plan(self, plan: Mapping[str, Any]) -> Path:
        """Write a later plan beside the first, as ``plan-2.json`` and so on; return its path."""
        number = 2
        while (self.path / _later_plan(number)).exists():
            number += 1
        self._write(_later_plan(number), _json_text(plan))
        return self.path / _later_plan(number)

    def size_bytes(self) -> int:
        """Return how much the run's files hold now; files that go away meanwhile do not count."""
        total = 0
        for path in self.path.rglob("*"):
            with suppress(OSError):
                total += path.lstat().st_size
        return total

    def has_trained(self) -> bool:
        """Say whether a step was done or a checkpoint saved, so that there is something to be true to."""
        return bool(self.metrics()) or any(self.checkpoints_folder.glob("step-*"))

    def write_ledger(self, ledger: Mapping[str, Any]) -> None:
        """Replace the ledger."""
        self._write(_LEDGER, _json_text(ledger))

    def events(self) -> list[dict[str, Any]]:
        """Read all events, oldest first; damaged ones are passed over."""
        return [record for record in read_lines(self.events_path) if is_event(record)]

    def metrics(self, rank: int = 0) -> list[dict[str, Any]]:
        """Read the metrics of a rank: the last record of each step."""
        return last_per_step(self.metric_records(rank))

    def metric_records(self, rank: int = 0) -> list[dict[str, Any]]:
        """Read all records of a rank's metric log, also of steps that were done twice; damaged ones are passed over."""
        return [record for record in read_lines(self.metrics_path(rank)) if is_metric(record)]

    def status(self, events: Sequence[Mapping[str, Any]] | None = None) -> str:
        """Return ``running``, ``finished``, ``failed``, ``interrupted`` or ``created``.

        Args:
            events: of the run, where they were read already.
        """
        if self._is_locked(_LOCK) or self._is_locked(_SUPERVISOR_LOCK):
            return "running"
        for event in reversed(self.events() if events is None else events):
            if event.get("event") in ("finished", "failed"):
                return str(event["event"])
            if event.get("event") in ("started", "resumed", "stopped"):
                return "interrupted"
        return "created"

    @contextmanager
    def lock(self, *, supervising: bool = False) -> Iterator[None]:
        """Hold the run for this process; the system lets go of it when the process ends, however it ends.

        A supervisor of workers holds it beside the one that trains: also while none of them runs.

        Some network file systems and mounted object stores know no locks. There the run goes on without one: nothing
        then keeps a second process out, and `status` cannot tell that the run is running.

        Raises:
            RunError: another process holds it, or the folder cannot be written.
        """
        try:
            descriptor = os.open(
                self.path / (_SUPERVISOR_LOCK if supervising else _LOCK), os.O_RDWR | os.O_CREAT, 0o644
            )
        except OSError as error:
            raise RunError("run-unwritable", path=str(self.path), reason=error.strerror or str(error)) from error
        try:
            try:
                acquired = _acquire(descriptor)
            except OSError as error:
                raise RunError("run-unwritable", path=str(self.path), reason=error.strerror or str(error)) from error
            if not acquired:
                raise RunError("run-locked", name=self.name)
            yield
        finally:
            os.close(descriptor)

    def _is_locked(self, name: str) -> bool:
        try:
            descriptor = os.open(self.path / name, os.O_RDONLY)
        except OSError:
            return False
        try:
            # Shared, so that two readers who ask at once do not take each other for the owner.
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        except OSError:
            # A file system without locks.
            return False
        else:
            return False
        finally:
            os.close(descriptor)

    def _read_json(self, name: str, flaw: Callable[[dict[str, Any]], str | None]) -> dict[str, Any]:
        path = self.path / name
        try:
            content = json_values.decode(json.loads(path.read_bytes()))
        except (OSError, ValueError, RecursionError) as error:
            raise RunError("run-file-damaged", path=str(path), reason=str(error)) from error
        if not isinstance(content, dict):
            raise RunError("run-file-damaged", path=str(path), reason=type(content).__name__)
        found = flaw(content)
        if found is not None:
            raise RunError("run-file-damaged", path=str(path), reason=found)
        return content

    def _write(self, name: str, text: str) -> None:
        """Replace a small file so that a reader sees the old content or the new, never a part."""
        temporary = self.path / f".{name}.{os.getpid()}"
        try:
            with temporary.open("w", encoding="utf-8") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self.path / name)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
            raise RunError("run-unwritable", path=str(self.path), reason=error.strerror or str(error)) from error


def list_runs(root: Path) -> list[RunFolder]:
    """Return the runs below a folder, the one touched last at the end."""
    if not root.is_dir():
        return []
    touched = {}
    for entry in root.iterdir():
        with suppress(OSError):
            # A folder without either is no run; neither is one that is being made or removed.
            holder = entry / _RECIPE if (entry / _RECIPE).exists() else RunFolder(entry).events_path
            touched[RunFolder(entry)] = holder.stat().st_mtime
    return sorted(touched, key=lambda run: (touched[run], run.name))


def _acquire(descriptor: int) -> bool:
    """Lock a file, where its file system can; whoever asks for a run's state holds the lock for microseconds only.

    Returns:
        Whether nobody else holds it.
    """
    deadline = time.monotonic() + _LOCK_SECONDS
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                return False
            time.sleep(_LOCK_POLL_SECONDS)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return True
        else:
            return True


def _later_plan(number: int) -> str:
    return f"plan-{number}.json"


def _json_text(content: Mapping[str, Any]) -> str:
    return json.dumps(json_values.encode(content), indent=1, allow_nan=False) + "\n"


def _free_failed_start(run: RunFolder) -> None:
    """Remove a run that failed before its first step: it holds nothing, and its name would stay taken."""
    with suppress(RunError):
        if (run.path / _RECIPE).is_file() and run.status() == "failed" and not run.has_trained():
            shutil.rmtree(run.path, ignore_errors=True)


def _claim(root: Path, base: str, name: str | None) -> Path:
    if name is not None:
        _free_failed_start(RunFolder(root / name))
        try:
            (root / name).mkdir()
        except FileExistsError as error:
            raise RunError("run-exists", name=name, root=str(root)) from error
        return root / name
    number = 1
    while True:
        candidate = root / (base if number == 1 else f"{base}-{number}")
        try:
            candidate.mkdir()
        except FileExistsError:
            number += 1
        else:
            return candidate
