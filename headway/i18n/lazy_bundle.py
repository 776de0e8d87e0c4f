"""A Fluent file of which only the messages that are asked for are parsed: parsing takes most of a command's start."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

_ENTRY = re.compile(r"^(-?[a-zA-Z][a-zA-Z0-9_-]*)[ \t]*=", re.MULTILINE)
_REFERENCE = re.compile(r"\{\s*(-?[a-zA-Z][a-zA-Z0-9_-]*)")


class LazyBundle:
    """The messages of one file in one language.

    Args:
        path: of the ``.ftl`` file.
        language: its tag.
        functions: that its messages may call.
    """

    def __init__(self, path: Path, language: str, functions: Mapping[str, Callable[..., Any]]) -> None:
        from fluent.runtime import FluentBundle

        self._bundle = FluentBundle([language], functions=dict(functions), use_isolating=False)
        self._sources = dict(entries(path.read_text(encoding="utf-8")))

    def message(self, message_id: str) -> Any | None:
        """Return a parsed message, or None where the file has none of this id."""
        if not self._load(message_id):
            return None
        return self._bundle.get_message(message_id) if self._bundle.has_message(message_id) else None

    def format(self, pattern: Any, arguments: Mapping[str, str | int | float]) -> str:
        """Render a pattern of one of the messages."""
        return str(self._bundle.format_pattern(pattern, dict(arguments))[0])

    def _load(self, entry_id: str) -> bool:
        """Parse an entry and all that it refers to; an entry is parsed once."""
        from fluent.runtime import FluentResource

        source = self._sources.get(entry_id)
        if source is None:
            return False
        if source:
            # Before its references, so that a circle of them ends.
            self._sources[entry_id] = ""
            self._bundle.add_resource(FluentResource(source))
            for reference in _REFERENCE.findall(source):
                self._load(reference)
        return True


def entries(text: str) -> Iterator[tuple[str, str]]:
    """Yield each entry's id and source: from its line to the line before the next entry.

    Comments between two entries go with the first, where they mean nothing to the parser.
    """
    found = list(_ENTRY.finditer(text))
    for index, match in enumerate(found):
        end = found[index + 1].start() if index + 1 < len(found) else len(text)
        yield match[1], text[match.start() : end]
