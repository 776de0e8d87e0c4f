"""The weights that a run has saved."""

from __future__ import annotations

from headway.errors import RunError
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint.snapshot import Arrays
from headway.runs import RunFolder
from headway.training.initial_weights import whole_weights
from headway.training.resuming import last_saved_step


def read_trained(run: RunFolder, step: int | None = None) -> Arrays:
    """Return the weights that a run trains, as a checkpoint has them.

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
    return snapshot.parameters


def read_model(run: RunFolder, step: int | None = None) -> Arrays:
    """Return the weights of a run's whole model, adapters added to those of their base; see `read_trained`."""
    return whole_weights(run.recipe(), read_trained(run, step))
