"""A recipe with something else in it: on another accelerator, or with another value of a setting."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from headway import catalog
from headway.catalog.closest import closest_name
from headway.errors import PlanError
from headway.planning.device import CPU
from headway.recipe import Recipe, resolve_recipe
from headway.recipe.phases import without_usual_clipping

OWN_SETTINGS = (
    ("hardware", "devices_per_node"),
    ("site", "device_usd_per_hour"),
    ("site", "node_watts"),
    ("site", "node_usd"),
)
"""What a recipe says of its own accelerator's servers; it does not hold for another one."""

_LENGTHS = ("steps", "tokens")


def with_accelerator(recipe: Recipe, name: str) -> Recipe:
    """Return the recipe on another accelerator, or on processors; what it says of its own servers is left out.

    Args:
        recipe: the resolved recipe.
        name: id or alias in the catalogue, or ``cpu``.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    known = name if name in (CPU, "auto") else catalog.accelerator(name).id
    if known == own_accelerator(recipe):
        return recipe
    content = _content(recipe)
    content["hardware"]["accelerator"] = known
    for section, setting in OWN_SETTINGS:
        content[section].pop(setting, None)
    return resolve_recipe(content)


def _content(recipe: Recipe) -> dict[str, Any]:
    """Return the recipe as plain data, without the phases that follow it."""
    return {name: value for name, value in recipe.to_dict().items() if name != "phases"}


def own_accelerator(recipe: Recipe) -> str:
    """Return the accelerator that a recipe names, by its id; ``cpu`` and ``auto`` as they are."""
    name = recipe.hardware.accelerator
    return name if name in (CPU, "auto") else catalog.accelerator(name).id


def stated_own_settings(recipe: Recipe) -> tuple[str, ...]:
    """Return the settings that `with_accelerator` leaves out, as far as the recipe says them."""
    return tuple(
        f"{section}.{setting}"
        for section, setting in OWN_SETTINGS
        if getattr(getattr(recipe, section), setting) is not None
    )


def find_setting(name: str) -> tuple[str, str]:
    """Return section and setting of a name such as ``training.steps``, or of ``devices`` where one section has it.

    Raises:
        PlanError: there is no such setting, or several have the name.
    """
    settings = tuple(_settings())
    section, _, setting = name.strip().rpartition(".")
    matching = [pair for pair in settings if pair[1] == setting and section in ("", pair[0])]
    if len(matching) != 1:
        known = [f"{one}.{other}" for one, other in settings]
        plain = [other for _, other in settings]
        closest = ", ".join(f"{one}.{other}" for one, other in matching) or closest_name(name, (*known, *plain))
        raise PlanError("plan-sweep-setting", name=name[:80], closest=closest or "none")
    return matching[0]


def _settings() -> Iterator[tuple[str, str]]:
    for section, field in Recipe.model_fields.items():
        # Phases are a list of tables, and no section.
        fields = getattr(field.annotation, "model_fields", {})
        yield from ((section, setting) for setting in fields)


def with_setting(recipe: Recipe, section: str, setting: str, value: Any) -> Recipe:
    """Return the recipe with one setting changed; a length in steps replaces one in tokens, and the other way round.

    Args:
        recipe: the resolved recipe.
        section: of the recipe.
        setting: of the section.
        value: as a recipe takes it.

    Raises:
        RecipeError: the value breaks a rule.
    """
    content = _content(recipe)
    if section == "training" and setting in _LENGTHS:
        for length in _LENGTHS:
            content["training"].pop(length, None)
    if (section, setting) == ("training", "optimizer"):
        content["training"] = without_usual_clipping(content["training"])
    content[section][setting] = value
    return resolve_recipe(content)
