"""A recipe to start from: every section and setting, with its meaning as a comment and its default commented out."""

from __future__ import annotations

import json
from collections.abc import Iterator

from pydantic import BaseModel
from pydantic_core import PydanticUndefined

from headway import catalog
from headway.i18n import current_translator
from headway.recipe.model import Section
from headway.recipe.phases import PhaseConfig
from headway.recipe.schema import Recipe

PHASES = "phases"

_WITH_SECTIONS = ("resilience",)
"""Sections that hold further ones, each with a heading of its own."""

_LENGTH_STEPS = 1000


def template(preset: str) -> str:
    """Return the text of a new recipe.

    Args:
        preset: the model preset that it starts from.

    Raises:
        CatalogError: the preset is unknown.
    """
    known = catalog.model_preset(preset)
    written = {"model.preset": json.dumps(known.id), "training.steps": str(_LENGTH_STEPS)}
    lines = [f"# {_comment('recipe-doc-file')}"]
    for name, section in _sections():
        # Phases are no part of a new recipe: their heading alone would be one without a name.
        heading = f"# {section_heading(name)}" if name == PHASES else section_heading(name)
        lines += ["", f"{heading}  # {_comment(f'recipe-doc-{message_of(name)}')}", *_settings(name, section, written)]
    return "\n".join(lines) + "\n"


def section_heading(name: str) -> str:
    """Return the line that opens a section; of phases there may be several."""
    return f"[[{name}]]" if name == PHASES else f"[{name}]"


def documented_settings() -> Iterator[tuple[str, str]]:
    """Yield section and setting of everything that a recipe may say, in order; sections within others are dotted."""
    for name, section in _sections():
        for setting in _plain_fields(section):
            yield name, setting


def setting_default(name: str, setting: str) -> str:
    """Return the default of a setting as it is written in a recipe; nothing where there is none."""
    default = dict(_sections())[name].model_fields[setting].default
    return "" if default in (None, PydanticUndefined, {}) else json.dumps(default)


def _sections() -> Iterator[tuple[str, type[BaseModel]]]:
    for name, field in Recipe.model_fields.items():
        section = PhaseConfig if name == PHASES else field.annotation
        if isinstance(section, type) and issubclass(section, BaseModel):
            yield name, section
            for inner, own in section.model_fields.items():
                if name in _WITH_SECTIONS and isinstance(own.annotation, type) and issubclass(own.annotation, Section):
                    yield f"{name}.{inner}", own.annotation


def _plain_fields(section: type[BaseModel]) -> Iterator[str]:
    """Yield the settings of a section; those that are sections themselves come after it."""
    inner = {own for name, own in _sections() if "." in name}
    for setting, field in section.model_fields.items():
        if field.annotation not in inner:
            yield setting


def message_of(name: str) -> str:
    """Return how messages name a section, in which a dot would be no part of an id."""
    return name.replace(".", "-")


def _settings(name: str, section: type[BaseModel], written: dict[str, str]) -> Iterator[str]:
    for setting in _plain_fields(section):
        key = f"{name}.{setting}"
        line = f"{setting} = {written[key]}" if key in written else f"# {setting} = {setting_default(name, setting)}"
        yield f"{line.rstrip()}  # {_comment(f'recipe-doc-{message_of(name)}-{setting}')}"


def _comment(message_id: str) -> str:
    # A comment ends with its line, and a translation may have several.
    return " ".join(current_translator().text(message_id).split())
