"""The message catalogues as a browser loads them: static files whose names are made of their content.

Such a file never changes, so that browsers keep it for ever: a language that was shown once is shown again without a
request. What a language lacks is filled in from English here, so that a page needs one file for a language.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headway.i18n.lazy_bundle import entries
from headway.i18n.negotiation import FALLBACK_LANGUAGE, LOCALES_FOLDER, known_languages
from headway.i18n.pseudo import PSEUDO_LANGUAGE, pseudo_localized

CORE = "core"
"""What every page needs: the dashboard's own messages, and those that it shares with the command line."""

SHARED = ("event", "guard", "quantity", "resource", "status", "ui")
"""The files that it is made of."""

DOMAINS = ("catalog", "checkpoint", "data", "diagnosis", "machine", "plan", "preflight", "recipe", "run", "supervisor",
           "training", "web")  # fmt: skip
"""Catalogues that a page loads when a message of theirs comes."""


@dataclass(frozen=True)
class Catalogue:
    """Messages of one language, as they are sent."""

    language: str
    domain: str
    content: bytes

    @property
    def name(self) -> str:
        """The file's name: language, domain, and a digest of the content."""
        digest = hashlib.blake2b(self.content, digest_size=8).hexdigest()
        return f"{self.language}.{self.domain}.{digest}.ftl"


PSEUDO_VARIABLE = "HEADWAY_PSEUDO"
"""Environment variable: where it is set, the pseudo-language can be chosen too."""


@cache
def catalogues(folder: Path = LOCALES_FOLDER) -> dict[str, Catalogue]:
    """Return all catalogues by the name of their file."""
    found = {}
    for domain in (CORE, *DOMAINS) if os.environ.get(PSEUDO_VARIABLE) else ():
        english = "".join(dict(_messages(folder, FALLBACK_LANGUAGE, domain)).values())
        one = Catalogue(PSEUDO_LANGUAGE, domain, pseudo_localized(english).encode())
        found[one.name] = one
    for language in known_languages(folder):
        for domain in (CORE, *DOMAINS):
            messages = {
                **dict(_messages(folder, FALLBACK_LANGUAGE, domain)),
                **dict(_messages(folder, language, domain)),
            }
            one = Catalogue(language, domain, "".join(messages.values()).encode())
            found[one.name] = one
    return found


@cache
def index(folder: Path = LOCALES_FOLDER) -> dict[str, dict[str, str]]:
    """Return the name of the file by language and domain."""
    found: dict[str, dict[str, str]] = {}
    for name, one in catalogues(folder).items():
        found.setdefault(one.language, {})[one.domain] = name
    return found


def _messages(folder: Path, language: str, domain: str) -> Iterator[tuple[str, str]]:
    """Yield the id and the source of each message, without what is for translators only."""
    for file in SHARED if domain == CORE else (domain,):
        path = folder / language / f"{file}.ftl"
        if not path.is_file():
            continue
        for message_id, source in entries(path.read_text(encoding="utf-8")):
            lines = [line for line in source.split("\n") if line.strip() and not line.startswith("#")]
            yield message_id, "\n".join(lines) + "\n"
