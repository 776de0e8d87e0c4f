"""Which language to speak: the option, then the environment, then English."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

LOCALES_FOLDER = Path(__file__).parent / "locales"
FALLBACK_LANGUAGE = "en"

ENVIRONMENT_VARIABLES = ("HEADWAY_LANG", "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG")
"""In the order in which they decide; the last four as in GNU gettext (section 2.3, "Locale Names")."""

_LOCALE_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")
_NO_LANGUAGE = ("c", "posix")


@cache
def known_languages(folder: Path = LOCALES_FOLDER) -> tuple[str, ...]:
    """Return the language tags that have a catalogue, sorted."""
    return tuple(sorted({file.parent.name for file in folder.glob("*/*.ftl")}))


def choose_language(
    requested: str | None = None,
    environment: Mapping[str, str] | None = None,
    known: Iterable[str] | None = None,
) -> str:
    """Choose the language of the messages.

    Args:
        requested: the value of ``--lang``, if given; it decides before the environment does.
        environment: the environment variables; the process's own by default.
        known: the languages to choose from; by default those that have a catalogue.

    Returns:
        A known language tag; English where nothing asked for is known.
    """
    environment = os.environ if environment is None else environment
    languages = known_languages() if known is None else tuple(known)
    locale = next((environment[name] for name in _LOCALE_VARIABLES if environment.get(name)), "")
    wishes = [requested or ""]
    for name in ENVIRONMENT_VARIABLES:
        # As in gettext: whoever set the locale to C wants no translation, whatever LANGUAGE still says.
        if name != "LANGUAGE" or _tag(locale) not in _NO_LANGUAGE:
            wishes.extend(environment.get(name, "").split(":"))
    for wish in wishes:
        match = match_language(wish, languages)
        if match is not None:
            return match
    return FALLBACK_LANGUAGE


def match_language(wish: str, known: Iterable[str]) -> str | None:
    """Return the known language that serves a wish such as ``pt_BR.UTF-8``, or None.

    An exact match (``pt-BR``) wins over the same language without its region (``pt``), which wins over the same
    language of another region.
    """
    tag = _tag(wish)
    if not tag:
        return None
    if tag in _NO_LANGUAGE:
        return FALLBACK_LANGUAGE
    by_tag = {language.lower(): language for language in known}
    parts = tag.split("-")
    for length in range(len(parts), 0, -1):
        shorter = "-".join(parts[:length])
        if shorter in by_tag:
            return by_tag[shorter]
    return next((full for lower, full in sorted(by_tag.items()) if lower.split("-")[0] == parts[0]), None)


def _tag(wish: str) -> str:
    """Return ``pt-br`` for ``pt_BR.UTF-8@euro``."""
    return wish.split(".")[0].split("@")[0].replace("_", "-").strip().lower()
