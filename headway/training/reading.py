"""The weights that a run has saved."""

from __future__ import annotations

import math

from headway.errors import RunError
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint.snapshot import Arrays, Snapshot
from headway.runs import RunFolder
from headway.training.initial_weights import require_same_base, whole_weights
from headway.training.resuming import last_saved_step


def read_trained(run: RunFolder, step: int | None = None) -> Arrays:
    """Return the weights that a run trains, as a checkpoint has them; see `read_snapshot`."""
    return read_snapshot(run, step).parameters


def read_snapshot(run: RunFolder, step: int | None = None) -> Snapshot:
    """Return a checkpoint of a run, without the optimizer's state.

    Args:
        run: with at least one checkpoint.
        step: which checkpoint; the newest that verifies by default.

    Raises:
        RunError: the run has no checkpoint yet, or none of that step.
        CheckpointError: the checkpoint is damaged.
    """
    store = CheckpointStore(run.checkpoints_folder)
    if step is not None and step not in store.steps():
        known = ", ".join(map(str, store.steps())) or "none"
        raise RunError("run-no-such-step", name=run.name, step=step, known=known)
    snapshot = store.load_newest(parameters_only=True)[0] if step is None else store.load(step, parameters_only=True)
    if snapshot is None:
        gone = last_saved_step(run) is not None
        raise RunError("run-checkpoints-gone" if gone else "run-no-checkpoint", name=run.name)
    return snapshot


def chosen_step(run: RunFolder, step: int | None, *, best: bool) -> int | None:
    """Return the step that a user means: a number, the best one, or None for the newest.

    Raises:
        RunError: both are asked for, or there is no best one.
    """
    if best and step is not None:
        raise RunError("run-step-twice", step=step)
    return best_step(run) if best else step


def best_step(run: RunFolder) -> int:
    """Return the step of the checkpoint with the lowest validation loss, of those that are there.

    Raises:
        RunError: no evaluation of the run was made at a step that has a checkpoint.
    """
    there = set(CheckpointStore(run.checkpoints_folder).steps())
    losses: dict[int, float] = {
        event["step"]: event["loss"]
        for event in run.events()
        if event.get("event") == "evaluated" and event.get("step") in there and math.isfinite(event["loss"])
    }
    if not losses:
        raise RunError("run-no-best", name=run.name)
    return min(losses, key=lambda step: (losses[step], step))


def read_model(run: RunFolder, step: int | None = None) -> Arrays:
    """Return the weights of a run's whole model, adapters added to those of their base; see `read_snapshot`.

    Raises:
        RunError: the weights that the adapters were trained beside are others by now.
    """
    recipe, snapshot = run.recipe(), read_snapshot(run, step)
    require_same_base(snapshot, recipe, run.name)
    return whole_weights(recipe, snapshot.parameters)
