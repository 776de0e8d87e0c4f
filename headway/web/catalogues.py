"""The message catalogues as a browser loads them: one file for each language, its name made of its content.

A file whose name is made of its content never changes, so that browsers keep it for ever: a language that was shown
once is shown again without a request.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from headway.i18n.negotiation import FALLBACK_LANGUAGE, LOCALES_FOLDER, known_languages

DOMAINS = ("ui",)
"""The files of the catalogues that every page needs."""

LAZY_DOMAINS = ("catalog", "checkpoint", "data", "diagnosis", "machine", "plan", "preflight", "recipe", "run",
                "supervisor", "training")  # fmt: skip
"""Those that a page loads when a message of them comes."""


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


@cache
def catalogues(folder: Path = LOCALES_FOLDER) -> dict[str, Catalogue]:
    """Return all catalogues by the name of their file."""
    found = {}
    for language in known_languages():
        for domain in (*DOMAINS, *LAZY_DOMAINS):
            path = folder / language / f"{domain}.ftl"
            if path.is_file():
                one = Catalogue(language, domain, _without_comments(path.read_text(encoding="utf-8")).encode())
                found[one.name] = one
    return found


def index() -> dict[str, dict[str, str]]:
    """Return the name of the file by language and domain, the fallback language first."""
    found: dict[str, dict[str, str]] = {FALLBACK_LANGUAGE: {}}
    for name, one in catalogues().items():
        found.setdefault(one.language, {})[one.domain] = name
    return found


def _without_comments(text: str) -> str:
    """Return a catalogue without what is for translators only."""
    kept = [line for line in text.split("\n") if not line.startswith("#")]
    return "\n".join(line for line in kept if line.strip()) + "\n"
