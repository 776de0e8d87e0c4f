"""A language that nobody speaks, made from English: longer words with accents, in brackets.

Whatever is still plain English on a page was written past the catalogues; whatever does not fit will not fit in German
or Finnish either; a missing bracket is text that was cut off or put together from parts.
"""

from __future__ import annotations

from typing import Any

from fluent.syntax import FluentParser, FluentSerializer, ast
from fluent.syntax.visitor import Visitor

PSEUDO_LANGUAGE = "en-XA"
"""The tag that CLDR gives to accented English. Source: Unicode CLDR, "Pseudo-Locales"."""

GROWTH = 0.3
"""Translations of short English texts are about this much longer. Source: W3C, "Text size in translation"."""

_PLAIN = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ACCENTED = "\u00e5\u0180\u00e7\u00f0\u00e9\u0192\u011d\u0125\u00ee\u0135\u0137\u013c\u0271\u00f1\u00f6\u00fe\u01eb\u0155\u0161\u0163\u00fb\u1e7d\u0175\u1e8b\u00fd\u017e\u00c5\u0181\u00c7\u00d0\u00c9\u0191\u011c\u0124\u00ce\u0134\u0136\u013b\u1e40\u00d1\u00d6\u00de\u01ea\u0154\u0160\u0162\u00db\u1e7c\u0174\u1e8a\u00dd\u017d"  # noqa: E501
_ACCENTS = str.maketrans(_PLAIN, _ACCENTED)


class _Accents(Visitor):
    """Puts an accent on every letter, also of what stands in a selector."""

    def visit_TextElement(self, node: Any) -> None:  # noqa: N802
        node.value = node.value.translate(_ACCENTS)


def _bracketed(pattern: ast.Pattern) -> None:
    """Put brackets around a whole pattern, filled up to the length of a translation."""
    letters = sum(len(str(part.value)) for part in pattern.elements if isinstance(part, ast.TextElement))
    filling = "~" * round(letters * GROWTH)
    pattern.elements = [ast.TextElement("["), *pattern.elements, ast.TextElement(f"{filling}]")]


def pseudo_localized(source: str) -> str:
    """Return a catalogue in the pseudo-language.

    Args:
        source: an English catalogue.
    """
    resource = FluentParser(with_spans=False).parse(source)
    for entry in resource.body:
        if isinstance(entry, ast.Message):
            holders: tuple[ast.Message | ast.Attribute, ...] = (entry, *entry.attributes)
            for holder in holders:
                if holder.value is not None:
                    _Accents().visit(holder.value)
                    _bracketed(holder.value)
    text: str = FluentSerializer().serialize(resource)
    return text
