"""What is known of failures: signatures as data, read from ``signatures/*.toml``."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from functools import cache
from pathlib import Path
from typing import Any

from headway.errors import DiagnosisError

FOLDER = Path(__file__).parent / "signatures"

KINDS = ("cause", "symptom", "healthy", "fact")
AREAS = (
    "access",
    "checkpoint",
    "collective",
    "configuration",
    "data",
    "device-memory",
    "driver",
    "exit",
    "hardware",
    "host-memory",
    "network",
    "numerics",
    "program",
    "scheduler",
    "serving",
    "storage",
)


@dataclass(frozen=True, slots=True)
class Signature:
    """How one kind of failure shows in logs, and what follows from it.

    Attributes:
        id: stable name; its text is the message ``diagnosis-cause-<id>``.
        kind: ``cause``: can be the root; ``symptom``: what a failure looks like elsewhere; ``healthy``: a good end;
            ``fact``: something worth knowing.
        area: the field that it belongs to.
        patterns: expressions in RE2's syntax, letters of either case; one of them in a line shows it. Named groups are
            kept: ``rank`` and ``host`` say where it happened, others go into its text.
        excludes: expressions that, in the same line, void it.
        frames: expressions, one of which must stand in the traceback above the line.
        near: expressions, one of which must stand within the lines around it.
        explains: ids of signatures, or of areas behind an ``@``, that are its consequences. Every cause explains the
            symptoms of the areas ``exit`` and ``collective`` without saying so.
        strength: how sure the root cause is where this is found and nothing contradicts, 0 to 1.
        survivable: trainings go on after it, so that it is the root only where it explains what ended the run, or
            where nothing else does.
        alone: a symptom that, where no cause is found, is told as the result by itself.
        remedies: ids of what to do; their texts are ``diagnosis-remedy-<id>``.
        source: where the software's text or the meaning is documented.
    """

    id: str
    kind: str
    area: str
    patterns: tuple[str, ...]
    source: str
    strength: float = 0.8
    excludes: tuple[str, ...] = ()
    frames: tuple[str, ...] = ()
    near: tuple[str, ...] = ()
    explains: tuple[str, ...] = ()
    survivable: bool = False
    alone: bool = False
    remedies: tuple[str, ...] = ()


@cache
def signatures(folder: Path = FOLDER) -> Mapping[str, Signature]:
    """Return all signatures by id.

    Raises:
        DiagnosisError: a table breaks a rule.
    """
    found: dict[str, Signature] = {}
    for file in sorted(folder.glob("*.toml")):
        content = _content(file)
        tables = [{"area": content.get("area"), **table} for table in content.get("signature", ())]
        for table in [*tables, *_of_xids(content)]:
            one = _signature(table, file)
            if one.id in found:
                raise _broken(file, one.id, "id")
            found[one.id] = one
    for file in sorted(folder.glob("*.toml")):
        _add_patterns(found, file)
    return found


def _content(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _broken(file, "", str(error)[:200]) from error


def _xid_patterns(number: int) -> list[str]:
    """Return how the driver, and tools that repeat it, write the error of a number."""
    return [rf"NVRM: (?:GPU at \S+ )?Xid \([^)]{{1,60}}\): {number}\b", rf"\bXid[:= ]{{1,3}}{number}\b"]


def _of_xids(content: Mapping[str, Any]) -> Iterable[dict[str, Any]]:
    """Yield the signatures of the numbers that are signatures of their own."""
    for xid in content.get("xid", ()):
        if "as" not in xid:
            number = xid["number"]
            rest = {key: value for key, value in xid.items() if key != "number"}
            yield {
                "id": f"xid-{number}",
                "area": "hardware",
                "patterns": _xid_patterns(number),
                "source": content.get("source", ""),
                **rest,
            }


def _add_patterns(found: dict[str, Signature], file: Path) -> None:
    """Add the patterns that belong to a signature of another table: numbers of Xid, and ids of our own errors."""
    content = _content(file)
    added = [(xid.get("as"), _xid_patterns(xid["number"])) for xid in content.get("xid", ()) if "as" in xid]
    added += [(table.get("to"), list(table.get("patterns", ()))) for table in content.get("adds", ())]
    for owner_id, patterns in added:
        owner = found.get(str(owner_id))
        if owner is None:
            raise _broken(file, str(owner_id), "as")
        found[owner.id] = replace(owner, patterns=(*owner.patterns, *patterns))


def _signature(table: dict[str, Any], file: Path) -> Signature:
    name = str(table.get("id", ""))
    known = {field.name: field for field in fields(Signature)}
    unknown = sorted(set(table) - set(known))
    if unknown:
        raise _broken(file, name, unknown[0])
    values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in table.items()}
    try:
        one = Signature(**values)
    except TypeError as error:
        raise _broken(file, name, str(error)[:200]) from error
    for key, holds in (
        ("id", bool(one.id) and one.id == one.id.lower()),
        ("kind", one.kind in KINDS),
        ("area", one.area in AREAS),
        ("patterns", bool(one.patterns)),
        ("strength", 0 < one.strength < 1),
        ("remedies", bool(one.remedies) or one.kind != "cause"),
        ("source", bool(one.source)),
    ):
        if not holds:
            raise _broken(file, name, key)
    return one


def _broken(file: Path, signature: str, key: str) -> DiagnosisError:
    return DiagnosisError("diagnosis-signature-broken", file=file.name, signature=signature, key=key)
