"""Text as HTML takes it."""

from __future__ import annotations

import html

from headway.i18n.plain import without_controls


def escape(text: str) -> str:
    """Return a text with what HTML would read as markup written out, and without control characters."""
    return html.escape(without_controls(text))
