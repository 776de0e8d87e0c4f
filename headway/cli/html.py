"""Text as HTML takes it."""

from __future__ import annotations

import html
import re

from headway.i18n.plain import without_controls


def escape(text: str) -> str:
    """Return a text with what HTML would read as markup written out, and without control characters."""
    return html.escape(without_controls(text))


_QUOTED = re.compile(r"`([^`]+)`")


def prose(text: str) -> str:
    """Return a sentence as HTML takes it, what stands between backticks as code."""
    return _QUOTED.sub(r"<code>\1</code>", escape(text))
