"""Whether catalogues say the same in every language: what is missing, left over, or takes other arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from fluent.syntax import FluentParser, ast
from fluent.syntax.visitor import Visitor

from headway.i18n.negotiation import FALLBACK_LANGUAGE, LOCALES_FOLDER, known_languages

Kind = Literal["missing", "unknown", "arguments", "parts", "functions", "place", "broken"]

TAG = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*")
"""Source: RFC 5646, section 2.1, without extensions and private use."""


@dataclass(frozen=True)
class Message:
    """What a message holds, apart from its words.

    Attributes:
        file: domain that it lies in.
        arguments: names of the variables in its value and attributes.
        parts: ``value`` and the names of its attributes.
        functions: that it calls.
        references: messages and terms that it refers to.
    """

    file: str
    arguments: frozenset[str]
    parts: frozenset[str]
    functions: frozenset[str]
    references: frozenset[str]


@dataclass(frozen=True)
class Finding:
    """Something wrong in a catalogue.

    Attributes:
        language: of the catalogue.
        file: domain.
        message: id of the message; empty where a file is broken.
        kind: what is wrong.
        detail: which arguments, parts, functions or line.
    """

    language: str
    file: str
    message: str
    kind: Kind
    detail: str = ""


class _Contents(Visitor):
    def __init__(self) -> None:
        self.arguments: set[str] = set()
        self.functions: set[str] = set()
        self.references: set[str] = set()

    def visit_VariableReference(self, node: ast.VariableReference) -> None:  # noqa: N802
        self.arguments.add(node.id.name)

    def visit_FunctionReference(self, node: ast.FunctionReference) -> None:  # noqa: N802
        self.functions.add(node.id.name)
        self.generic_visit(node)

    def visit_MessageReference(self, node: ast.MessageReference) -> None:  # noqa: N802
        self.references.add(node.id.name)

    def visit_TermReference(self, node: ast.TermReference) -> None:  # noqa: N802
        self.references.add(node.id.name)
        self.generic_visit(node)


def read_catalogue(language: str, folder: Path = LOCALES_FOLDER) -> tuple[dict[str, Message], list[Finding]]:
    """Return the messages of a language by id, and what in its files is no message.

    Args:
        language: its tag.
        folder: where the catalogues lie.
    """
    messages: dict[str, Message] = {}
    findings: list[Finding] = []
    for path in sorted((folder / language).glob("*.ftl")):
        text = path.read_text(encoding="utf-8")
        for entry in FluentParser().parse(text).body:
            if isinstance(entry, ast.Junk):
                line = text.count("\n", 0, entry.span.start) + 1 if entry.span is not None else 0
                findings.append(Finding(language, path.stem, "", "broken", f"{path.name}:{line}"))
            elif isinstance(entry, ast.Message):
                messages[entry.id.name] = _described(entry, path.stem)
    return messages, findings


def _described(entry: Any, file: str) -> Message:
    contents = _Contents()
    contents.visit(entry)
    parts = {attribute.id.name for attribute in entry.attributes} | ({"value"} if entry.value is not None else set())
    return Message(
        file=file,
        arguments=frozenset(contents.arguments),
        parts=frozenset(parts),
        functions=frozenset(contents.functions),
        references=frozenset(contents.references),
    )


def check(language: str, folder: Path = LOCALES_FOLDER) -> list[Finding]:
    """Compare a language with English; a file that a language has at all must be whole.

    Args:
        language: its tag.
        folder: where the catalogues lie.
    """
    from headway.i18n.translator import function_names

    english, _ = read_catalogue(FALLBACK_LANGUAGE, folder)
    found, findings = read_catalogue(language, folder)
    files = {message.file for message in found.values()}
    for name, message in english.items():
        if name not in found and message.file in files:
            findings.append(Finding(language, message.file, name, "missing"))
    for name, message in found.items():
        findings += _compared(language, name, message, english.get(name), function_names())
    return findings


def _compared(
    language: str, name: str, message: Message, english: Message | None, known: frozenset[str]
) -> Iterator[Finding]:
    if english is None:
        yield Finding(language, message.file, name, "unknown")
        return
    if message.file != english.file:
        yield Finding(language, message.file, name, "place", english.file)
    # What a language leaves out is lost to its readers, and what it adds has no value.
    for kind, ours, theirs in (
        ("arguments", message.arguments, english.arguments),
        ("parts", message.parts, english.parts),
    ):
        if ours != theirs:
            detail = ", ".join(
                [*(f"-{one}" for one in sorted(theirs - ours)), *(f"+{one}" for one in sorted(ours - theirs))]
            )
            yield Finding(language, message.file, name, "arguments" if kind == "arguments" else "parts", detail)
    unknown = message.functions - known
    if unknown:
        yield Finding(language, message.file, name, "functions", ", ".join(sorted(unknown)))


def coverage(folder: Path = LOCALES_FOLDER) -> dict[str, dict[str, tuple[int, int]]]:
    """Return for each language and file how many messages are there, and how many English has."""
    english, _ = read_catalogue(FALLBACK_LANGUAGE, folder)
    files = sorted({message.file for message in english.values()})
    table: dict[str, dict[str, tuple[int, int]]] = {}
    for language in known_languages(folder):
        found, _ = read_catalogue(language, folder)
        table[language] = {
            file: (
                sum(name in found for name, message in english.items() if message.file == file),
                sum(message.file == file for message in english.values()),
            )
            for file in files
        }
    return table


def start_language(language: str, folder: Path = LOCALES_FOLDER) -> list[Path]:
    """Write the files of a new language: every message of English as a comment, to be translated below it.

    Files that are there already stay as they are.

    Args:
        language: its tag.
        folder: where the catalogues lie.

    Returns:
        The files that were written.
    """
    written = []
    (folder / language).mkdir(parents=True, exist_ok=True)
    for path in sorted((folder / FALLBACK_LANGUAGE).glob("*.ftl")):
        target = folder / language / path.name
        if target.exists():
            continue
        lines = path.read_text(encoding="utf-8").split("\n")
        target.write_text(
            "\n".join(line if not line.strip() or line.startswith("#") else f"# {line}" for line in lines),
            encoding="utf-8",
        )
        written.append(target)
    return written
