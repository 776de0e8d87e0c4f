"""``[[phases]]``: what follows the training of the recipe, each phase as the settings in which it differs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from headway.catalog import programs
from headway.recipe.model import Section
from headway.recipe.sections import PLACES, TrainingConfig

Settings = dict[str, Any]

VARIED = ("data", "training", "hardware", "layout")
"""The sections in which a phase may differ."""

LENGTHS = ("steps", "tokens")

PROGRAM_DECIDERS = frozenset(("software", "method", "compile"))
"""What the usual settings of a program depend on: a phase that changes one of them has those of its own."""


class PhaseConfig(Section):
    """One phase: its name, and what differs from the recipe."""

    name: Annotated[str, Field(min_length=1)]
    data: Settings = {}
    training: Settings = {}
    hardware: Settings = {}
    layout: Settings = {}


IN_BACKWARD = "-in-backward"
"""Ends the names of optimizers that are applied to a weight as soon as its gradient exists."""

_CLIP_NORM = "gradient_clip_norm"


def _as_tuple(value: object) -> object:
    return tuple(value) if isinstance(value, list) else value


Phases = Annotated[tuple[PhaseConfig, ...], BeforeValidator(_as_tuple)]
"""Phases in the order in which they follow."""


def phase_content(recipe: Mapping[str, Any], phase: PhaseConfig) -> dict[str, Any]:
    """Return a phase as the sections of a recipe of its own.

    Args:
        recipe: the whole recipe as plain data.
        phase: one of its phases.
    """
    content = {name: value for name, value in recipe.items() if name != "phases"}
    content["name"] = f"{recipe.get('name', '')}: {phase.name}"
    for section in VARIED:
        own = getattr(phase, section)
        shared = dict(content.get(section, {}))
        if section == "training" and any(length in own for length in LENGTHS):
            # A length in steps replaces one in tokens, and the other way round.
            shared = {name: value for name, value in shared.items() if name not in LENGTHS}
        if section == "training" and not PROGRAM_DECIDERS.isdisjoint(own):
            shared = _without_program_settings(shared)
        if section == "training" and "optimizer" in own:
            shared = without_usual_clipping(shared)
        if section == "data" and any(own.get(place) for place in PLACES):
            shared = {name: value for name, value in shared.items() if name not in PLACES}
        content[section] = {**shared, **own}
    return content


def without_usual_clipping(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without the usual norm of gradients, which another optimizer may not be able to limit."""
    usual = TrainingConfig.model_fields[_CLIP_NORM].default
    return {name: value for name, value in training.items() if name != _CLIP_NORM or value != usual}


def with_clipping(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings in which an update in the backward pass limits no norm, where nothing else is stated."""
    clips = not str(training.get("optimizer", "")).endswith(IN_BACKWARD)
    return dict(training) if clips else {_CLIP_NORM: None, **training}


def _without_program_settings(training: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings without those that the recipe's program brought, or would have brought."""
    program = programs.entries().get(str(training.get("software", programs.OWN)))
    if program is None:
        return dict(training)
    brought = program.settings(str(training.get("method", "full")), compiled=training.get("compile") is True)
    return {name: value for name, value in training.items() if brought.get(name) != value}
