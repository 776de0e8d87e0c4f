"""Reads the TOML files of the catalogue and finds entries by name."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from headway.catalog.closest import MAX_NAME_LENGTH, closest_name, normal_form
from headway.catalog.schema import Entry, build
from headway.errors import CatalogError

E = TypeVar("E", bound=Entry)

FACTS_FOLDER = Path(__file__).parent / "facts"
MODELS_FOLDER = Path(__file__).parent / "models"


def read_toml(file: Path) -> dict[str, Any]:
    """Read one catalogue file.

    Raises:
        CatalogError: the file cannot be read, or is not TOML in UTF-8.
    """
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise CatalogError(
            "catalog-unreadable", file=file.name, reason=error.strerror or type(error).__name__
        ) from error
    except ValueError as error:
        raise CatalogError("catalog-not-toml", file=file.name, reason=str(error)[:200]) from error


def read_facts(file: Path, schema: type[E]) -> dict[str, E]:
    """Read a facts file: one table for each entry, its name being the entry's id.

    Returns:
        The entries by id, in the order of the file.

    Raises:
        CatalogError: the file or an entry breaks a rule, or two entries share a name.
    """
    entries = {key: build(schema, table, file, key) for key, table in read_toml(file).items()}
    check_names(entries, file)
    return entries


def check_names(entries: Mapping[str, Entry], file: Path) -> None:
    """Refuse a name that means two entries."""
    owners: dict[str, str] = {}
    for entry in entries.values():
        for name in (entry.id, *entry.aliases):
            key = normal_form(name)
            if owners.setdefault(key, entry.id) != entry.id:
                raise CatalogError(
                    "catalog-duplicate-name", file=file.name, entry=entry.id, name=name, other=owners[key]
                )


def find(kind: str, name: str, entries: Mapping[str, E]) -> E:
    """Find an entry by its id or by one of its aliases.

    Args:
        kind: what is looked for, for the error: ``accelerator``, ``model``, ...
        name: as the user wrote it; case, blanks and underscores do not count.
        entries: the entries by id.

    Raises:
        CatalogError: no entry has this name; the error carries the closest one.
    """
    wanted = normal_form(name)
    if wanted in entries:
        return entries[wanted]
    for entry in entries.values():
        if wanted in map(normal_form, entry.aliases):
            return entry
    raise unknown_name(kind, name, entries, (alias for entry in entries.values() for alias in entry.aliases))


def unknown_name(kind: str, name: str, known: Iterable[str], aliases: Iterable[str] = ()) -> CatalogError:
    """Return the error for a name that is not known; ``closest`` is "none" where no name is alike."""
    listed = tuple(known)
    shown = name if len(name) <= MAX_NAME_LENGTH else name[: MAX_NAME_LENGTH - 3] + "..."
    close = closest_name(name, (*listed, *aliases))
    return CatalogError("catalog-unknown-name", kind=kind, name=shown, closest=close or "none", known=", ".join(listed))
