"""Text from a recipe, a file or an argument, as it may be shown: without what would move a terminal's cursor."""

from __future__ import annotations

import unicodedata

_KEPT = "\n\t"
_TURNS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks that turn the direction of the text that follows. Source: Unicode Standard Annex 9, section 2."""


def without_controls(text: str) -> str:
    """Return a text without control characters, escapes and bells among them, and without marks that turn it.

    Line ends and tabs stay. Half of a pair of surrogates, which no file can hold, becomes a question mark.
    """
    if text.isprintable():
        return text
    kept = (letter for letter in text if letter in _KEPT or not _is_control(letter))
    return "".join("?" if unicodedata.category(letter) == "Cs" else letter for letter in kept)


def _is_control(letter: str) -> bool:
    return unicodedata.category(letter) == "Cc" or letter in _TURNS
