"""Runs a recipe once without a fault and once with each, and compares."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from headway.errors import RunError
from headway.recipe import Recipe
from headway.resilience.drills.fault import Fault, Grounds
from headway.resilience.drills.faults import FAULTS
from headway.resilience.drills.faults.disks import may_mount
from headway.resilience.drills.measuring import CLEAN, Seen, judged
from headway.resilience.drills.result import Drill, Result
from headway.resilience.drills.shortening import STEPS, shortened, with_settings
from headway.resilience.drills.stage import OverdueError, Stage

OnBegin = Callable[[str, float], None]
"""Told of each run when it begins: ``clean`` or the fault, and the share of runs that is done."""


def drill(
    recipe: Recipe, folder: Path, faults: Sequence[str] = (), on_begin: OnBegin = lambda _name, _share: None
) -> Drill:
    """Rehearse faults.

    Args:
        recipe: the resolved recipe, of which a short version is run.
        folder: where the runs are put; what an earlier drill left there is removed.
        faults: names; all of them by default.
        on_begin: told of each run.

    Raises:
        RunError: there is no fault of a name, the folder cannot be written, or the run fails without any fault.
    """
    names = _known(faults)
    on_begin(CLEAN, 0.0)
    started = time.monotonic()
    grounds, clean = begin(recipe, folder)
    clean_seconds = time.monotonic() - started
    results = []
    for number, name in enumerate(names, start=1):
        on_begin(name, number / (len(names) + 1))
        results.append(rehearse(FAULTS[name](), grounds, clean))
    return Drill(
        recipe=recipe.name, folder=str(folder), steps=STEPS, clean_seconds=clean_seconds, results=tuple(results)
    )


def begin(recipe: Recipe, folder: Path) -> tuple[Grounds, Stage]:
    """Run the short version of a recipe without a fault; return where faults can then be rehearsed, and that run.

    Raises:
        RunError: the folder cannot be written, or the run fails.
    """
    short = shortened(recipe, folder)
    _make_folder(folder)
    clean = _run_clean(short, folder)
    return _grounds(short, folder, clean), clean


def rehearse(fault: Fault, grounds: Grounds, clean: Stage) -> Result:
    """Run a recipe with one fault, and compare it with the clean run."""
    obstacle = fault.obstacle(grounds)
    if obstacle is not None:
        return Result(fault=fault.name, status="impossible", reasons=(obstacle,))
    started = time.monotonic()
    recipe = with_settings(grounds.recipe, fault.settings(grounds))
    stage = Stage(
        _write(recipe, grounds.folder, fault.name),
        grounds.folder / fault.name,
        "run",
        fault.order(grounds),
        processes=grounds.processes,
    )
    try:
        with stage:
            try:
                seen = _act(fault, stage, may_restart=recipe.resilience.max_restarts > 0)
            except OverdueError:
                seen = Seen(is_overdue=True)
        result = judged(fault, stage, clean, seen)
    finally:
        fault.close(stage)
    return _with_seconds(result, time.monotonic() - started)


def _act(fault: Fault, stage: Stage, *, may_restart: bool) -> Seen:
    """Let a run meet a fault and come to its end; a person's part is done where there is one."""
    stage.root.mkdir(exist_ok=True)
    fault.prepare(stage)
    stage.start()
    told_at = stage.wait_for_fault()
    if told_at is None:
        return Seen(is_missed=True)
    done = len(stage.records())
    at = time.time() if fault.deed == "gate" else told_at
    fault.inject(stage)
    stage.open_gate()
    stage.wait_for_end()
    ended_by_itself = stage.is_finished()
    if not ended_by_itself:
        fault.mend(stage)
        if "checkpoint-damaged" in fault.signs:
            at = time.time()
        stage.start(resume=True)
        stage.wait_for_end()
    needs_hand = fault.is_mended_by_hand or not may_restart
    return Seen(at=at, done=done, is_by_hand_in_vain=not ended_by_itself and not needs_hand)


def _run_clean(recipe: Recipe, folder: Path) -> Stage:
    """Run the recipe without a fault.

    Raises:
        RunError: it does not come to its end, so that nothing can be said of faults.
    """
    root = folder / CLEAN
    root.mkdir()
    with Stage(_write(recipe, folder, CLEAN), root, "run", processes=recipe.hardware.devices) as stage:
        stage.start()
        try:
            stage.wait_for_end()
        except OverdueError as error:
            raise RunError("drill-clean-failed", log=str(stage.log)) from error
    if not stage.is_finished():
        raise RunError("drill-clean-failed", log=str(stage.log))
    return stage


def _grounds(recipe: Recipe, folder: Path, clean: Stage) -> Grounds:
    newest = clean.store.path_of(clean.store.steps()[-1])
    sizes = [file.stat().st_size for file in newest.iterdir()]
    layout: Mapping[str, Any] = clean.run.plan().get("layout", {})
    return Grounds(
        recipe=recipe,
        processes=recipe.hardware.devices,
        folder=folder,
        checkpoint_bytes=sum(sizes),
        largest_file_bytes=max(sizes),
        may_mount=may_mount(folder),
        shard=str(layout.get("shard", "none")),
    )


def _known(names: Sequence[str]) -> list[str]:
    for name in names:
        if name not in FAULTS:
            raise RunError("drill-fault-unknown", name=name, known=", ".join(FAULTS))
    return list(dict.fromkeys(names)) or list(FAULTS)


def _make_folder(folder: Path) -> None:
    try:
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
    except OSError as error:
        raise RunError("run-unwritable", path=str(folder), reason=error.strerror or str(error)) from error


def _write(recipe: Recipe, folder: Path, name: str) -> Path:
    file = folder / f"{name}.toml"
    file.write_text(recipe.to_toml(), encoding="utf-8")
    return file


def _with_seconds(result: Result, seconds: float) -> Result:
    return replace(result, seconds=seconds)
