"""JSON values that keep what JSON cannot say: NaN, infinity, and text that is not valid Unicode.

JSON has no NaN and no infinity, and both must survive: they are written as the strings ``"NaN"``, ``"Infinity"`` and
``"-Infinity"``, which any JSON reader takes, and turned back into numbers on reading.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

_NON_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


def encode(value: Any) -> Any:
    """Return a value as strict JSON can hold it."""
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, str):
        # A file name that is not UTF-8 holds lone surrogates, and readers refuse the whole line for one.
        return value.encode("utf-8", "backslashreplace").decode()
    if isinstance(value, Mapping):
        return {encode(key): encode(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    return value


def decode(value: Any) -> Any:
    """Return what `encode` was given."""
    if isinstance(value, str):
        return _NON_FINITE.get(value, value)
    if isinstance(value, dict):
        return {key: decode(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decode(item) for item in value]
    return value
