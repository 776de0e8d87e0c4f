"""Going on with a run: which run, whether it can, and what the reader must know about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headway.errors import RunError
from headway.recipe import Recipe
from headway.resilience.checkpoint import CheckpointStore
from headway.resilience.checkpoint.damage import find_damage
from headway.runs import RunFolder, list_runs
from headway.runs.folder import MAX_BASE_LENGTH
from headway.training.initial_weights import require_same_base
from headway.training.second_copy import copied_steps

_COMPARED_SECTIONS = ("layout", "hardware")
"""Sections that may change between two parts of a run, and may change the rounding of its numbers when they do."""


@dataclass(frozen=True, kw_only=True)
class ResumeNotice:
    """Something that the reader must know: a message id and its arguments."""

    message_id: str
    arguments: dict[str, Any]


def find_run(root: Path, recipe: Recipe, name: str | None) -> RunFolder:
    """Return the run to go on with: the named one, else the newest of the recipe.

    Raises:
        RunError: there is none.
    """
    if name is not None:
        return RunFolder.open(root, name)
    numbered = re.compile(rf"{re.escape(recipe.name[:MAX_BASE_LENGTH])}(-\d+)?")
    matching = [run for run in list_runs(root) if numbered.fullmatch(run.name)]
    if not matching:
        raise RunError("run-nothing-to-resume", root=str(root), name=recipe.name)
    return matching[-1]


def require_resumable(run: RunFolder, recipe: Recipe) -> None:
    """Refuse to go on with a run whose recipe has become another, or that is longer already.

    A run that failed before its first step has nothing to be true to: its recipe may be mended and tried again.

    Raises:
        RunError: the recipe changed, the run has more steps than the recipe, adapters have other weights beside them,
            or another process trains it.
        CheckpointError: no checkpoint can be read.
    """
    if run.status() == "running":
        raise RunError("run-locked", name=run.name)
    before = run.recipe()
    if before.digest() != recipe.digest() and run.has_trained():
        changed = [
            setting
            for section in ("model", "data", "training")
            if _with_section(recipe, before, section).digest() != recipe.digest()
            for setting in _changed_settings(before, recipe, (section,))
        ]
        raise RunError("run-recipe-changed", sections=", ".join(changed), name=run.name)
    done = saved_step(run)
    if done > recipe.num_steps:
        raise RunError("run-steps-done", name=run.name, done=done, steps=recipe.num_steps)
    if recipe.training.method != "full" and done:
        # Before the run's folder takes this recipe: what is exported goes by it.
        snapshot, _ = CheckpointStore(run.checkpoints_folder).load_newest(parameters_only=True)
        if snapshot is not None:
            require_same_base(snapshot, recipe, run.name)


def saved_step(run: RunFolder) -> int:
    """Return the step of the newest checkpoint, 0 where there is none; nothing is verified."""
    return max(CheckpointStore(run.checkpoints_folder).steps(), default=0)


def is_complete(run: RunFolder, recipe: Recipe) -> bool:
    """Say whether a run has finished, and its last checkpoint verifies.

    It has where all steps of the recipe are done, or where it ended early and the recipe asks for no more patience.
    """
    step = saved_step(run)
    is_done = step == recipe.num_steps or (_ended_early(run, step) and _is_as_patient(run.recipe(), recipe))
    store = CheckpointStore(run.checkpoints_folder)
    return run.status() == "finished" and is_done and find_damage(store.path_of(step)) is None


def _ended_early(run: RunFolder, step: int) -> bool:
    return any(event.get("event") == "stopped-early" and event.get("step") == step for event in run.events())


def _is_as_patient(before: Recipe, after: Recipe) -> bool:
    patience = after.training.early_stopping_patience
    return patience is not None and patience == before.training.early_stopping_patience


def resume_notices(run: RunFolder, recipe: Recipe) -> list[ResumeNotice]:
    """Return what the reader must know before a run goes on with a recipe."""
    before, notices = run.recipe(), []
    changed = _changed_settings(before, recipe)
    if changed:
        notices.append(ResumeNotice(message_id="training-settings-changed", arguments={"changed": ", ".join(changed)}))
    if before.num_steps != recipe.num_steps:
        steps = {"before": before.num_steps, "steps": recipe.num_steps}
        decays = recipe.training.schedule != "constant"
        notices.append(
            ResumeNotice(
                message_id="training-schedule-changed", arguments={**steps, "schedule": recipe.training.schedule}
            )
            if decays
            else ResumeNotice(message_id="training-length-changed", arguments=steps)
        )
    last = last_saved_step(run)
    if last is not None and not saved_step(run) and not copied_steps(run):
        notices.append(ResumeNotice(message_id="training-checkpoints-gone", arguments={"step": last}))
    return notices


def last_saved_step(run: RunFolder) -> int | None:
    """Return the step of the last checkpoint that the run says it wrote, or None where it wrote none."""
    steps = [event.get("step") for event in run.events() if event.get("event") == "checkpoint-saved"]
    return next((step for step in reversed(steps) if isinstance(step, int)), None)


def _with_section(recipe: Recipe, other: Recipe, section: str) -> Recipe:
    return recipe.model_copy(update={section: getattr(other, section)})


def _changed_settings(before: Recipe, after: Recipe, sections: Sequence[str] = _COMPARED_SECTIONS) -> list[str]:
    changed = []
    for section in sections:
        old, new = getattr(before, section), getattr(after, section)
        for name in type(old).model_fields:
            values = getattr(old, name), getattr(new, name)
            if values[0] != values[1]:
                shown = ["none" if value is None else str(value) for value in values]
                changed.append(f"{section}.{name} ({shown[0]} -> {shown[1]})")
    return changed
