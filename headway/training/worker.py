"""A process that trains: started by a launcher, it takes everything from the run folder and leaves everything there.

    python -m headway.training.worker RUN_FOLDER

There may be many of them, on one machine or on several that see the same run folder: the launcher tells each its rank
in the environment, as torchrun does. The first writes checkpoints, events and the ledger for all.

It says in its heartbeat what it is doing, and writes its Python stacks into its log when SIGUSR2 asks for them. Where
the launcher does not put the output of each process into a file of its own, it does so itself (``HEADWAY_OWN_LOG``).

Its exit code is 0 where the run finished or stopped on request, 1 where it failed (the reason is then the last event
of the run), and 3 where another process is training it.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import fields
from pathlib import Path
from typing import Any, NoReturn, final

from headway.errors import HeadwayError, PlanError, RunError, base_name
from headway.planning.choice import Layout
from headway.planning.device import CPU, require_planned
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore, Snapshot
from headway.resilience.launchers.local import die_with_parent
from headway.runs import EventLog, RunFolder
from headway.telemetry.process import age_seconds, peak_resident_bytes
from headway.training.accounting import measure_run
from headway.training.best import Best
from headway.training.data import Corpus
from headway.training.engines import Engine, EngineSettings, build_engine
from headway.training.exhausted import exhausted, is_exhaustion
from headway.training.initial_weights import load_initial_weights
from headway.training.layouts import layout_of
from headway.training.loop import TrainingLoop, odd_state, require_same_training
from headway.training.place import Place, place_of
from headway.training.preparation import prepare_apart
from headway.training.rehearsing import rehearsed
from headway.training.reporting import Reporting
from headway.training.second_copy import load_newest
from headway.training.session import LOCKED
from headway.training.skipping import RollBackHistory

MEMORY = "memory"
"""The event of a process's peak."""


@final
class FailureLog(EventLog):
    """The event log of processes beside the first, which tell only what that one cannot know."""

    def record(self, event: str, /, **details: Any) -> None:
        """Write failures and peaks of memory; pass over what the first process writes for all."""
        if event in ("failed", MEMORY, "guard"):
            super().record(event, **details)


class _StoppedEarlyError(BaseException):
    """A request to stop came before there was anything to save."""


def main(arguments: list[str]) -> int:
    """Train the run in the folder named by the first argument; return the exit code."""
    die_with_parent(signal.SIGTERM)
    return train_here(RunFolder(Path(arguments[0])), place_of(os.environ))


def train_here(run: RunFolder, place: Place) -> int:
    """Train in this process, which a launcher has placed; return the exit code."""
    _on_stop(_stop_early)
    with ExitStack() as held:
        try:
            if place.rank == 0:
                held.enter_context(run.lock())
            reporting = held.enter_context(Reporting(run, place.rank))
        except _StoppedEarlyError:
            return 0
        except RunError as error:
            # Not an event of the run: it belongs to the process that holds it.
            sys.stderr.write(f"{error}\n")
            return LOCKED if error.message_id == "run-locked" else 1
        try:
            return _train_and_record(run, place, reporting)
        except _StoppedEarlyError:
            # The request came between two of the lines that catch it; nothing was done that could be lost.
            return 0


def _train_and_record(run: RunFolder, place: Place, reporting: Reporting) -> int:
    pid = os.getpid()
    with EventLog(run.events_path) if place.rank == 0 else FailureLog(run.events_path) as events:
        try:
            finished = _train(run, events, place, reporting)
        except _StoppedEarlyError:
            events.record("stopped", pid=pid)
            return 0
        except HeadwayError as error:
            traceback.print_exc()
            _record_failure(events, error)
            return 1
        except Exception as error:
            if is_exhaustion(error):
                traceback.print_exc()
                # What the failed pass held is freed with the traceback.
                error.__traceback__ = None
                _record_failure(events, exhausted(run, _allocated_bytes(run, place)))
                return 1
            # Not foreseen: keep the whole traceback in the log, and name the exception to the reader.
            traceback.print_exc()
            text = str(error).splitlines()[0] if str(error) else ""
            reason = {"kind": type(error).__name__, "reason": text, "log": str(run.log_path(place.rank))}
            events.record("failed", pid=pid, id="training-unforeseen", arguments=reason)
            return 1
        events.record("finished" if finished else "stopped", pid=pid, peak_resident_bytes=peak_resident_bytes())
        if place.rank == 0:
            run.write_ledger(measure_run(run).to_dict())
    return 0


def _allocated_bytes(run: RunFolder, place: Place) -> int:
    """Return the peak of this process, of its device's memory as soon as there was an engine."""
    for event in reversed(run.events()):
        if event.get("event") == MEMORY and event.get("rank") == place.rank:
            return int(event["peak_bytes"])
        if event.get("event") in ("started", "resumed"):
            break
    return peak_resident_bytes()


def _record_failure(events: EventLog, error: HeadwayError) -> None:
    events.record("failed", pid=os.getpid(), kind=base_name(error), **error.to_dict()["error"])


def _train(run: RunFolder, events: EventLog, place: Place, reporting: Reporting) -> bool:
    recipe, history = run.recipe(), RollBackHistory(run.events())
    pulse = reporting.pulse
    if place.rank == 0:
        history.drop_left(CheckpointStore(run.checkpoints_folder))
    snapshot, damaged, is_copy = load_newest(run, recipe, lambda found: odd_state(found) or history.objection(found))
    first_step = 0 if snapshot is None else snapshot.step
    best = Best() if snapshot is None else Best.of(snapshot.state.get("best"))
    skipped = history.skipped(snapshot)
    events.record(
        "started" if snapshot is None else "resumed", pid=os.getpid(), step=first_step, process_seconds=age_seconds()
    )
    if not run.plan():
        events.record("notice", **_why_unplanned(recipe))
    if is_copy:
        arguments = {"step": first_step, "location": recipe.resilience.second_copy}
        events.record("notice", id="checkpoint-from-copy", arguments=arguments)
    for damage in damaged:
        events.record("checkpoint-damaged", id=damage.message_id, arguments=damage.arguments)
    pulse.beat("prepare", first_step)
    corpus = _prepare(recipe, run, events, place)
    pulse.beat("build", first_step)
    layout = layout_of(recipe, run.last_plan(), None if snapshot is None else snapshot.state["micro_batch_size"])
    engine = _build(recipe, snapshot, corpus, run, layout)
    events.record("engine-ready", **engine.settings.versions, threads=engine.settings.threads, processes=place.size)
    for notice in engine.notices:
        events.record("notice", id=notice, arguments={})
    snapshot = None  # its arrays are as large as the model and the optimizer together
    loop = TrainingLoop(
        recipe=recipe,
        run=run,
        engine=engine,
        corpus=corpus,
        micro_batch_size=layout.micro_batch_size,
        place=place,
        events=events,
        first_step=first_step,
        best=best,
        skipped=skipped,
        pulse=rehearsed(pulse, run, place.rank, engine),
    )
    _on_stop(lambda *_: loop.request_stop())
    try:
        try:
            finished = loop.run()
        finally:
            pulse.beat("end", loop.step)
            events.record(MEMORY, rank=place.rank, peak_bytes=engine.peak_memory_bytes())
        # The first process writes the ledger, which needs the peaks of all.
        engine.any([False])
        return finished
    finally:
        loop.close()
        engine.close()


def _why_unplanned(recipe: Recipe) -> dict[str, Any]:
    """Return the notice of a run without a plan: the setting that cannot be planned, where there is one."""
    name = recipe.hardware.accelerator
    try:
        require_planned(recipe, CPU if name == "auto" else name)
    except PlanError as error:
        return {"id": "training-not-planned", "arguments": error.arguments}
    return {"id": "training-no-plan", "arguments": {}}


def _build(recipe: Recipe, snapshot: Snapshot | None, corpus: Corpus, run: RunFolder, layout: Layout) -> Engine:
    if snapshot is None:
        engine = build_engine(recipe, layout=layout)
        load_initial_weights(engine, recipe)
        return engine
    require_same_training(snapshot, recipe, corpus, run.name)
    saved: dict[str, Any] = dict(snapshot.state["engine"])
    settings = EngineSettings(**{field.name: saved[field.name] for field in fields(EngineSettings)})
    engine = build_engine(recipe, settings, layout)
    if recipe.training.method != "full":
        # The checkpoint holds what is trained; what stays as it was is where it was.
        load_initial_weights(engine, recipe)
    engine.load(snapshot)
    return engine


def _prepare(recipe: Recipe, run: RunFolder, events: EventLog, place: Place) -> Corpus:
    corpus = prepare_apart(run, recipe, events)
    for notice in corpus.notices:
        events.record("notice", id=notice.message_id, arguments=notice.arguments)
    statistics = corpus.statistics
    events.record(
        "data-ready",
        documents=statistics.documents,
        text_bytes=statistics.text_bytes,
        tokens=statistics.tokens,
        bytes_per_token=statistics.bytes_per_token,
        dataset_bytes=corpus.token_bytes,
    )
    if place.rank > 0:
        return corpus
    try:
        corpus.tokenizer.save(run.tokenizer_path)
        if corpus.template is not None:
            corpus.template.save(run.tokenizer_path.parent)
    except OSError as error:
        raise RunError("run-unwritable", path=str(run.path), reason=error.strerror or str(error)) from error
    return corpus


def _on_stop(handler: Callable[..., None]) -> None:
    if threading.current_thread() is not threading.main_thread():
        # In a process of Ray's, which has signals of its own.
        return
    for number in (signal.SIGTERM, signal.SIGUSR1, signal.SIGINT):
        signal.signal(number, handler)


def _stop_early(*_: object) -> None:
    raise _StoppedEarlyError


def leave(code: int) -> NoReturn:
    """End this process, with everything written, and without what C++ takes apart at an orderly end.

    A thread of gloo that still stands then ends the process by SIGABRT ("terminate called without an active
    exception"): of hundreds of runs one or two failed so after all was done.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    leave(main(sys.argv[1:]))
