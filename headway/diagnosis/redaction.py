"""Takes out of a diagnosis what names people, machines and places, so that it may be shown to others."""

from __future__ import annotations

from dataclasses import replace

from headway.diagnosis.line import compiled
from headway.diagnosis.result import Diagnosis, Evidence, FirstFailure

_HEX = "[0-9a-fA-F]{1,4}"
_PATTERNS = (
    # Tokens first, since the others would cut them up.
    (r"\b(?:hf|gh[pousr]|glpat|xox[abpr]|sk|pk|wandb)[_-][A-Za-z0-9_\-]{8,}", "<token>"),
    (r"\bAKIA[0-9A-Z]{16}\b", "<token>"),
    (r"\beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]+)?", "<token>"),
    (
        r"(?i)\b(?:api[_-]?key|token|secret|password|passwd|authorization|bearer)\b[\"']?\s*[=: ]\s*[\"']?"
        r"(?:bearer\s+)?[^\s\"',;]{4,}",
        "<secret>",
    ),
    (r"\b[0-9a-fA-F]{40,}\b", "<digest>"),
    (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+", "<address>"),
    (r"[a-z][a-z0-9+.-]*://[^\s\"'<>)\]]+", "<url>"),
    (r"\b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?", "<ip>"),
    (rf"\b{_HEX}(?::{_HEX}){{7}}\b|\b{_HEX}(?::{_HEX}){{0,6}}::{_HEX}(?::{_HEX}){{0,6}}\b", "<ip>"),
    (r"\bGPU-[0-9a-f]{8}-[0-9a-f-]{20,}", "<device>"),
)
_PATH = r"(?P<before>^|[\s\"'=(\[:,<>])(?P<path>(?:[A-Za-z]:\\|~?/)[^\s\"'():,;<>\]]+)"
_KEPT_FOLDERS = ("site-packages/", "dist-packages/", "lib/python")


def redacted(told: Diagnosis) -> Diagnosis:
    """Return a diagnosis without hosts, users, paths, addresses and tokens."""
    hosts = {one.host for one in told.evidence if one.host} | ({told.first_failure.host} - {None})
    names = {
        name: f"log-{number}"
        for number, name in enumerate(dict.fromkeys((*told.logs, *(e.file for e in told.evidence))), 1)
    }
    evidence = tuple(_evidence(one, hosts, names) for one in told.evidence)
    first = told.first_failure
    return replace(
        told,
        evidence=evidence,
        first_failure=FirstFailure(first.rank, "<host>" if first.host else None, first.time),
        troubles=(),
        logs=tuple(names[name] for name in told.logs),
    )


def _evidence(one: Evidence, hosts: set[str | None], names: dict[str, str]) -> Evidence:
    text = without_names(one.text, {host for host in hosts if host})
    return replace(one, text=text, file=names.get(one.file, "log"), host="<host>" if one.host else None)


def without_names(text: str, hosts: set[str]) -> str:
    """Return a line without what names people, machines and places.

    Args:
        text: the line.
        hosts: names that are known to be machines'.
    """
    for pattern, mark in _PATTERNS:
        text = compiled(pattern).sub(mark, text)
    text = compiled(_PATH).sub(_short_path, text)
    for host in sorted(hosts, key=len, reverse=True):
        text = text.replace(host, "<host>")
    cleaned: str = compiled(r"\b(?:user|uid|User|username)[=: ]+\S+").sub("<user>", text)
    return cleaned


def _short_path(found: object) -> str:
    before, path = found.group("before"), found.group("path")  # type: ignore[attr-defined]
    for folder in _KEPT_FOLDERS:
        if folder in path:
            return f"{before}<path>/{path.split(folder, 1)[1]}"
    return f"{before}<path>/{path.replace(chr(92), '/').rsplit('/', 1)[-1]}"
