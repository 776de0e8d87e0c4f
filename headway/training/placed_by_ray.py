"""A run whose processes Ray Train places: each trains as a worker of ours does, in Ray's own process."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from headway.errors import HeadwayError, TrainingError, rebuild_error
from headway.resilience.launchers.ray import train_on_ray
from headway.runs import EventLog, RunFolder
from headway.runs.tail import Tail
from headway.training.place import Place
from headway.training.reporting import OWN_LOG
from headway.training.session import Followers

FOLLOW_SECONDS = 0.2


class WorkerEndedError(Exception):
    """A worker ended with an exit code that is not 0."""


_WANTS_GPU = {"cpu": False, "auto": None}
"""What a recipe's accelerator asks Ray for; a device by name is one that each worker needs."""


def train_by_ray(
    run: RunFolder, followers: Followers | None = None, *, processes: int, retries: int | None = None
) -> None:
    """Train a run to its end in workers that Ray places and starts again.

    Args:
        run: the run's folder, on a disk that all nodes see.
        followers: who is told about metrics and events.
        processes: how many workers.
        retries: starts beyond the first, instead of the recipe's.

    Raises:
        HeadwayError: the error that the last start ended with.
    """
    recipe = run.recipe()
    with run.lock(supervising=True), EventLog(run.events_path) as events, _following(run, followers or Followers()):
        events.record("attempt-started", attempt=1, processes=processes, launcher="ray")
        try:
            train_on_ray(
                _train,
                {"run": str(run.path.absolute())},
                workers=processes,
                use_gpu=_WANTS_GPU.get(recipe.hardware.accelerator, True),
                max_failures=recipe.resilience.max_restarts if retries is None else retries,
                folder=run.logs_folder,
            )
        except TrainingError as error:
            events.record("gave-up", reason="retries", id=error.message_id)
            raise _named(run, error) from error
        events.record("attempt-finished", attempt=1)


def _train(settings: dict[str, Any]) -> None:
    """Train as one of the processes; runs where Ray has placed it."""
    from ray import train

    from headway.training.worker import train_here

    context = train.get_context()
    place = Place(
        rank=context.get_world_rank(),
        size=context.get_world_size(),
        local_rank=context.get_local_rank(),
        local_size=context.get_local_world_size(),
    )
    os.environ.update({**place.to_environment(), OWN_LOG: "1"})
    code = train_here(RunFolder(Path(settings["run"])), place)
    if code:
        raise WorkerEndedError(code)


def _named(run: RunFolder, error: TrainingError) -> HeadwayError:
    """Return the error that a worker named last, where one did since its start."""
    for event in reversed(run.events()):
        if event["event"] == "failed":
            return rebuild_error(str(event.get("kind")), str(event.get("id")), dict(event.get("arguments", {})))
        if event["event"] in ("started", "resumed"):
            break
    return error


@contextmanager
def _following(run: RunFolder, followers: Followers) -> Iterator[None]:
    """Pass on what the run writes, while Ray has this thread."""
    metrics, events = Tail(run.metrics_path(), from_end=True), Tail(run.events_path, from_end=True)
    is_over = threading.Event()

    def look() -> None:
        for event in events.read():
            followers.on_event(event)
        for record in metrics.read():
            followers.on_metric(record)

    def follow() -> None:
        while not is_over.wait(FOLLOW_SECONDS):
            look()

    thread = threading.Thread(target=follow, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()
        look()
