"""From a message id and its arguments to text in the reader's language."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any

from headway.errors import HeadwayError
from headway.i18n import formatting
from headway.i18n.lazy_bundle import LazyBundle
from headway.i18n.negotiation import FALLBACK_LANGUAGE, LOCALES_FOLDER, choose_language
from headway.i18n.plain import without_controls

NEXT_STEP = "next"
"""The Fluent attribute of a message that tells the reader what to do."""

_LARGEST_NUMBER = 1e21
_LARGEST_ARGUMENTS = 1800
"""Characters of all arguments of a message together."""


def _functions(locale: str) -> dict[str, Callable[..., Any]]:
    """Return the functions that catalogues may call on raw SI quantities: ``{ BYTES($needed_bytes) }``."""

    def number(argument: Any) -> float | None:
        try:
            return float(argument)
        except (TypeError, ValueError):
            return None

    return {
        "BYTES": lambda value: formatting.format_bytes(number(value), locale),
        "COUNT": lambda value: formatting.format_count(number(value), locale),
        "DECIMAL": lambda value, digits=3: formatting.format_decimal(number(value), locale, int(number(digits) or 3)),
        "DURATION": lambda value: formatting.format_duration(number(value), locale),
        "FLOPS": lambda value: formatting.format_si(number(value), "FLOP/s", locale),
        "BYTERATE": lambda value: formatting.format_si(number(value), "B/s", locale),
        "PERCENT": lambda value: formatting.format_percent(number(value), locale),
        "USD": lambda value: formatting.format_usd(number(value), locale),
        "WATTS": lambda value: formatting.format_si(number(value), "W", locale),
    }


def function_names() -> frozenset[str]:
    """Return the functions that messages may call, those of Fluent itself included."""
    return frozenset(_functions(FALLBACK_LANGUAGE)) | {"NUMBER", "DATETIME"}


class Translator:
    """Renders messages in one language, falling back to English message by message.

    Args:
        language: a tag that has a folder below ``folder``.
        folder: where the catalogues lie.
    """

    def __init__(self, language: str = FALLBACK_LANGUAGE, folder: Path = LOCALES_FOLDER) -> None:
        self.language = language
        self._folder = folder
        self._bundles: dict[tuple[str, str], LazyBundle | None] = {}

    def has(self, message_id: str) -> bool:
        """Say whether a message exists in this language or in English."""
        return any(True for _ in self._find(message_id))

    def text(self, message_id: str, /, **arguments: Any) -> str:
        """Render a message; an unknown id is shown as itself, since a lost text must not hide the news."""
        for bundle, message in self._find(message_id):
            if message.value is not None:
                return _render(bundle, message.value, arguments)
        return _bare(message_id, arguments)

    def next_step(self, message_id: str, /, **arguments: Any) -> str | None:
        """Render what the reader can do about a message, or None where the catalogue says nothing."""
        for bundle, message in self._find(message_id):
            if NEXT_STEP in message.attributes:
                return _render(bundle, message.attributes[NEXT_STEP], arguments)
        return None

    def error(self, error: HeadwayError) -> tuple[str, str | None]:
        """Render an error as its text and its next step."""
        arguments = error.arguments
        return self.text(error.message_id, **arguments), self.next_step(error.message_id, **arguments)

    def _find(self, message_id: str) -> Iterator[tuple[LazyBundle, Any]]:
        """Yield the message in this language, then in English."""
        for language in dict.fromkeys((self.language, FALLBACK_LANGUAGE)):
            bundle = self._bundle(language, message_id.split("-")[0])
            message = None if bundle is None else bundle.message(message_id)
            if bundle is not None and message is not None:
                yield bundle, message

    def _bundle(self, language: str, domain: str) -> LazyBundle | None:
        key = (language, domain)
        if key not in self._bundles:
            path = self._folder / language / f"{domain}.ftl"
            self._bundles[key] = LazyBundle(path, language, _functions(language)) if path.is_file() else None
        return self._bundles[key]


def _render(bundle: LazyBundle, pattern: Any, arguments: Mapping[str, Any]) -> str:
    plain = _shortened({name: _plain(value) for name, value in arguments.items()})
    return bundle.format(pattern, plain)


def _shortened(arguments: dict[str, str | int | float]) -> dict[str, str | int | float]:
    """Cut long texts in their middle, so that all arguments together stay below what Fluent renders.

    The limit of a rendered part is 2,500 characters, and a part can hold all arguments (Python fluent.runtime 0.4,
    ``resolver.MAX_PART_LENGTH``); beyond it, the whole message is lost.
    """
    lengths = sorted(len(value) for value in arguments.values() if isinstance(value, str))
    if sum(lengths) <= _LARGEST_ARGUMENTS:
        return arguments
    # Short texts stay whole, and the long ones share what these leave.
    left, limit = _LARGEST_ARGUMENTS, 0
    for position, length in enumerate(lengths):
        limit = left // (len(lengths) - position)
        if length > limit:
            break
        left -= length
    return {name: _cut(value, limit) if isinstance(value, str) else value for name, value in arguments.items()}


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    half = max(0, (limit - 1) // 2)
    return f"{text[:half]}\N{HORIZONTAL ELLIPSIS}{text[len(text) - half :]}"


def _plain(value: Any) -> str | int | float:
    """Return an argument as Fluent takes it: it drops what is neither text nor number, and huge numbers break it."""
    if value is None:
        return formatting.UNKNOWN
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)) and (abs(value) < _LARGEST_NUMBER or value != value or abs(value) == math.inf):
        return value
    return without_controls(str(value))


def _bare(message_id: str, arguments: dict[str, Any]) -> str:
    listed = ", ".join(f"{name}={without_controls(str(value))}" for name, value in arguments.items())
    return f"{message_id} ({listed})" if listed else message_id


_current: ContextVar[Translator | None] = ContextVar("headway_translator", default=None)


def use_language(requested: str | None = None) -> Translator:
    """Make a language the current one for this context, and return its translator."""
    translator = Translator(choose_language(requested))
    _current.set(translator)
    return translator


def current_translator() -> Translator:
    """Return the translator of this context, chosen from the environment on first use."""
    return _current.get() or use_language()
