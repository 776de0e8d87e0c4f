"""The plan beside a lack of memory: what was planned by part, and the change of the layout that would fit."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from headway.errors import HeadwayError

PLAN, RECIPE = "plan.json", "recipe.toml"
FOLDERS_ABOVE = 2
"""Logs of a run lie in its folder, or in one inside of it."""


def plan_beside(logs: Iterable[str], recipe: str | None = None) -> dict[str, Any] | None:
    """Return the plan of the job whose logs were read.

    Args:
        logs: names of the logs. A run folder of Headway holds its plan, or at least its recipe.
        recipe: a recipe that describes the job, or the name of a model preset; it goes before what lies beside them.

    Raises:
        HeadwayError: the recipe that was named cannot be planned.
    """
    if recipe is not None:
        return _plan_of(recipe)
    for folder in dict.fromkeys(_folders(logs)):
        if (folder / PLAN).is_file():
            return _read(folder / PLAN)
        if (folder / RECIPE).is_file():
            try:
                return _plan_of(str(folder / RECIPE))
            except HeadwayError:
                return None
    return None


def _folders(logs: Iterable[str]) -> Iterable[Path]:
    for log in logs:
        yield from list(Path(log.partition("!")[0]).absolute().parents)[:FOLDERS_ABOVE]


def _plan_of(recipe: str) -> dict[str, Any]:
    from headway.machine.probing import known_machine
    from headway.planning import plan
    from headway.recipe import find_recipe

    found = find_recipe(recipe)
    machine = known_machine(Path.cwd()) if found.hardware.accelerator in ("auto", "cpu") else None
    return plan(found.model_copy(update={"phases": ()}), machine).to_dict()


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content = json.loads(path.read_bytes())
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def memory_beside(plan: Mapping[str, Any], needed_bytes: float | None) -> dict[str, Any]:
    """Return what a plan says of memory, and the first of its other layouts that needs less than there was.

    Args:
        plan: the plan, as plain data.
        needed_bytes: what the job held and asked for when memory ran out; None where no log says.

    Returns:
        ``planned_peak_bytes``, ``planned_parts`` (bytes by name) and ``change`` (settings by name), as far as known.
    """
    try:
        memory, layout = plan["memory"], plan["layout"]
        peak = float(memory["device_peak_bytes"])
        figures: dict[str, Any] = {"planned_peak_bytes": peak, "planned_parts": dict(memory["parts"])}
        others = [one for one in plan["alternatives"] if one["fits"] and float(one["device_peak_bytes"]) < peak]
    except (KeyError, TypeError, ValueError):
        return {}
    capacity = float(memory.get("device_capacity_bytes") or peak)
    # What the job took beyond its plan, another layout is taken to take too, in proportion.
    excess = max(1.0, (needed_bytes or peak) / peak)
    fitting = [one for one in others if excess * float(one["device_peak_bytes"]) <= capacity]
    if fitting:
        changed = min(fitting, key=lambda one: float(one["step_seconds"]))["layout"]
        settings = _settings()
        figures["change"] = {
            name: value for name, value in changed.items() if name in settings and layout.get(name) != value
        }
    return figures


def _settings() -> set[str]:
    """Return the settings of a layout that a recipe can ask for."""
    from headway.recipe import documented_settings

    return {setting for section, setting in documented_settings() if section == "layout"}
