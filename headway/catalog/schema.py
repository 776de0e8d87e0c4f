"""Turns one TOML table into one frozen dataclass, and refuses whatever breaks the schema.

The dataclass is the schema: its fields are the only keys allowed, those without a default are required, and their
annotations are the types. Three rules hold everywhere: an id is kebab-case, required text is not empty, and no number
is negative, infinite or NaN.
"""

from __future__ import annotations

import dataclasses
import math
import re
import types
import typing
from collections.abc import Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from headway.catalog.closest import closest_name
from headway.errors import CatalogError

T = TypeVar("T")

_ID = re.compile(r"[a-z0-9]+(?:[.-][a-z0-9]+)*")


@dataclasses.dataclass(frozen=True, kw_only=True)
class Entry:
    """What every entry of the catalogue says, whatever it is about.

    Attributes:
        id: stable name in kebab-case (dots are allowed: ``llama-3.1-8b``).
        aliases: other names that people and drivers write; compared without regard to case, spaces and underscores.
        basis: what the numbers count: dense or sparse, per chip, per die or per card, decimal or binary units.
        source: where the numbers were read.
        read_on: the day of the reading.
        note: what else a reader has to know, or None.
    """

    id: str
    aliases: tuple[str, ...] = ()
    basis: str
    source: str
    read_on: date
    note: str | None = None


def build(schema: type[T], table: object, file: Path, entry_id: str) -> T:
    """Check one table against a dataclass and make the entry.

    Args:
        schema: the dataclass; nested dataclasses are built from nested tables.
        table: what the TOML file holds for this entry; the id is not among its keys.
        file: named in errors.
        entry_id: the id of the entry; it fills the field ``id`` where the schema has one.

    Returns:
        An instance of ``schema``.

    Raises:
        CatalogError: the table breaks a rule; the error names the file, the entry and the field.
    """
    where = {"file": file.name, "entry": entry_id}
    if not isinstance(table, Mapping):
        raise CatalogError("catalog-not-a-table", **where, received=_name(type(table)))
    if not _ID.fullmatch(entry_id):
        raise CatalogError("catalog-bad-id", **where)
    kinds, required = _fields(schema)  # type: ignore[arg-type]
    values = dict(table)
    allowed = [name for name in kinds if name != "id"]
    for key in values:
        if key not in allowed:
            close = closest_name(key, allowed) or "none"
            raise CatalogError("catalog-unknown-field", **where, field=key, closest=close, known=", ".join(allowed))
    if "id" in kinds:
        values["id"] = entry_id
    for key in required:
        if not str(values.get(key, "")).strip():
            raise CatalogError("catalog-missing-field", **where, field=key)
    return schema(**{key: _value(kinds[key], value, key, file, entry_id) for key, value in values.items()})


def plain(entry: object) -> dict[str, Any]:
    """Return an entry's known fields as JSON can hold them: dates as ISO text, unknown values left out."""
    return {
        field.name: _plain_value(value)
        for field in dataclasses.fields(entry)  # type: ignore[arg-type]
        if (value := getattr(entry, field.name)) is not None and value != ()
    }


def _plain_value(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        return plain(value)
    if isinstance(value, date):
        return value.isoformat()
    return [_plain_value(item) for item in value] if isinstance(value, tuple) else value


@cache
def _fields(schema: type) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the type of each field without its None, and the names of the required fields."""
    hints = typing.get_type_hints(schema)
    fields = [field for field in dataclasses.fields(schema) if field.init]
    required = tuple(field.name for field in fields if field.default is dataclasses.MISSING)
    return {field.name: _without_none(hints[field.name]) for field in fields}, required


def _without_none(kind: Any) -> Any:
    # A literal or None is a union of `typing`, all others are unions of `types`.
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is typing.Union:
        return next(option for option in typing.get_args(kind) if option is not type(None))
    return kind


def _value(kind: Any, value: object, field: str, file: Path, entry_id: str) -> Any:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return build(kind, value, file, entry_id)
    if kind is float and type(value) is int:
        value = float(value)
    # type(), since a bool is an int to isinstance.
    if type(value) is kind:
        if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0):
            raise CatalogError("catalog-bad-number", file=file.name, entry=entry_id, field=field, value=str(value))
        return value
    choices = typing.get_args(kind)
    if isinstance(value, list) and typing.get_origin(kind) is tuple:
        return tuple(_value(choices[0], item, field, file, entry_id) for item in value)
    if typing.get_origin(kind) is typing.Literal:
        if value in choices:
            return value
        expected, received = " | ".join(choices), repr(value)[:80]
    else:
        expected, received = _name(kind), _name(type(value))
    raise CatalogError(
        "catalog-wrong-type", file=file.name, entry=entry_id, field=field, expected=expected, received=received
    )


def _name(kind: Any) -> str:
    return "list" if typing.get_origin(kind) is tuple else str(kind.__name__)
