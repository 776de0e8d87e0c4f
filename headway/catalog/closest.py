"""Names as people write them: what counts as the same name, and which known name is closest to an unknown one."""

from __future__ import annotations

import re
from collections.abc import Iterable

MAX_NAME_LENGTH = 64
"""Longer names are cut before they are compared or shown: difflib is quadratic in the length."""

_SEPARATORS = re.compile(r"[\s_]+|(?<=\w)\((?:r|tm|c)\)\s*")


def normal_form(name: str) -> str:
    """Return the form in which names are compared.

    Case, blanks, underscores and the trademark signs of drivers do not count: ``NVIDIA H100_80GB HBM3`` equals
    ``nvidia-h100-80gb-hbm3``, and ``Intel(R) Xeon(R)`` equals ``intel-xeon``.
    """
    return _SEPARATORS.sub("-", name.strip().lower()).strip("-")


def closest_name(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is most like the given one, or None where none is alike."""
    import difflib

    candidates = {normal_form(candidate): candidate for candidate in known}
    found = difflib.get_close_matches(normal_form(name)[:MAX_NAME_LENGTH], candidates, n=1, cutoff=0.6)
    return candidates[found[0]] if found else None
