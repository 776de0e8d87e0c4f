"""Paths in a recipe: relative ones start from the recipe's folder, and a resolved recipe holds absolute ones only.

So a run's own copy of its recipe means the same files, wherever it is read.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
"""Source: RFC 3986, section 3.1, with the two slashes that every store of files has."""

_BUILT_IN_TOKENIZERS = ("bpe", "byte")
_PATH_FIELDS = (
    ("model", "config"),
    ("data", "paths"),
    ("data", "prepared"),
    ("data", "tokenizer"),
    ("data", "cache"),
    ("training", "init_from"),
    ("resilience", "second_copy"),
    ("site", "electricity_price_series"),
    ("site", "grid_intensity_series"),
)


def anchor_paths(raw: dict[str, Any], base: Path) -> None:
    """Make the relative paths of a recipe absolute, in place.

    Args:
        raw: sections by name; anything that is not a path where one is expected is left for validation to refuse.
        base: the folder that relative paths start from; ``~`` is the user's home.
    """
    phases = raw.get("phases")
    for phase in phases if isinstance(phases, list) else ():
        if isinstance(phase, dict):
            anchor_paths(phase, base)
    for section, name in _PATH_FIELDS:
        _anchor_field(raw.get(section), name, base)
    data = raw.get("data")
    sources = data.get("sources") if isinstance(data, dict) else None
    for source in sources if isinstance(sources, list) else ():
        for name in ("paths", "prepared"):
            _anchor_field(source, name, base)


def is_url(path: str) -> bool:
    """Say whether a path is the address of something in an object storage or on a server: ``s3://bucket/name``."""
    return _URL.match(path) is not None


def _anchor_field(table: Any, name: str, base: Path) -> None:
    if not isinstance(table, dict) or name not in table:
        return
    value = table[name]
    if name == "tokenizer" and value in _BUILT_IN_TOKENIZERS:
        return
    if isinstance(value, list):
        table[name] = [_anchor(item, base) for item in value]
    else:
        table[name] = _anchor(value, base)


def _anchor(value: Any, base: Path) -> Any:
    if not isinstance(value, str) or not value or is_url(value):
        return value
    try:
        path = Path(value).expanduser()
    except RuntimeError:
        # A home that does not exist: the file will be missing, and that error names the path.
        path = Path(value)
    return str(path if path.is_absolute() else base.resolve() / path)
