"""Which findings follow from which: the signatures' own statements, drawn out to the end, and the order of time."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from headway.diagnosis.sighting import Sighting
from headway.diagnosis.signature import Signature, signatures

CONSEQUENT_AREAS = ("exit", "collective")
"""When a process fails, its launcher says so, and the ranks that waited for it fail too."""

XID = "xid-"
"""Symptoms among the driver's errors: it says them after whatever ended a program that used the device."""

CLOCKS_DIFFER_SECONDS = 5.0
"""Times of two machines, or of a program and the kernel, are taken to differ by so much before they tell an order."""


@cache
def consequences() -> Mapping[str, frozenset[str]]:
    """Return, for each signature, the ids of all that follows from it, over any number of steps."""
    known = signatures()
    direct = {one.id: _direct(one, known) - {one.id} for one in known.values()}
    whole: dict[str, frozenset[str]] = {}
    for name in known:
        seen: set[str] = set()
        waiting = list(direct[name])
        while waiting:
            other = waiting.pop()
            if other not in seen:
                seen.add(other)
                waiting.extend(direct[other] - seen)
        whole[name] = frozenset(seen - {name})
    return whole


def _direct(one: Signature, known: Mapping[str, Signature]) -> set[str]:
    named = {name for name in one.explains if not name.startswith("@")}
    areas = {name[1:] for name in one.explains if name.startswith("@")}
    if one.kind == "cause" and not one.survivable:
        named |= {other.id for other in known.values() if other.kind == "symptom" and other.area in CONSEQUENT_AREAS}
        named |= {other.id for other in known.values() if other.kind == "symptom" and other.id.startswith(XID)}
    return named | {other.id for other in known.values() if other.area in areas and other.id != one.id}


def explains(cause: Sighting, effect: Sighting) -> bool:
    """Say whether one finding can be the reason of another: by kind, and not against the order of time."""
    if effect.signature not in consequences()[cause.signature]:
        return False
    return not is_after(cause, effect)


def is_after(one: Sighting, other: Sighting) -> bool:
    """Say whether a finding surely came after another.

    The lines of different ranks in one log stand in the order in which they were flushed, which tells nothing.
    """
    if one.source == other.source and one.rank == other.rank and one.rank is not None:
        return one.offset > other.offset
    if one.time is not None and other.time is not None:
        return one.time > other.time + CLOCKS_DIFFER_SECONDS
    return False
