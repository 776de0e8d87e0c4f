"""Which rank the others waited for, from what the watchdogs of collectives say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from headway.diagnosis.sighting import LogReport, Sighting

MOST_LISTED = 64

FEWEST_SPEAKERS = 7
"""Ranks that must have spoken before one that did not is silent, where nobody says how many there are: all but one of a
server of eight. Fewer may be a part of a log."""

FURTHEST_BEHIND = 64
"""Operations that a rank may be behind: the others stop at the first that it did not enter, but for what they had
queued. A larger difference is that of two process groups, which count apart."""

WORLD = "world-size"


@dataclass(frozen=True)
class Waited:
    """What the timeouts of collectives tell.

    Attributes:
        kind: ``mismatch``: ranks had entered different operations; ``behind``: some had not entered the one that the
            others were in; ``silent``: some said nothing at all; ``together``: all of them waited in the same one.
        ranks: the ranks that differ, were behind or were silent.
        operation: the operation that the others were in, where known.
    """

    kind: str
    ranks: tuple[int, ...]
    operation: str | None = None


def world_size(sightings: Iterable[Sighting]) -> int | None:
    """Return the number of ranks that the logs state, where they agree on one."""
    stated = Counter(
        int(one.caught["world"])
        for one in sightings
        if one.signature == WORLD and one.caught.get("world", "").isdigit() and int(one.caught["world"]) <= 1_000_000
    )
    return max(stated, default=None)


def waited_for(timeouts: Sequence[Sighting], reports: Sequence[LogReport], world: int | None) -> Waited | None:
    """Return what timeouts of collectives tell of the rank that was waited for.

    Args:
        timeouts: the watchdogs' lines; the groups ``seq``, ``op`` and ``numel`` of their patterns are used.
        reports: the logs, for the ranks that wrote anything.
        world: the number of ranks, where stated.
    """
    spoken = {one.rank: one for one in reversed(timeouts) if one.rank is not None}
    if not spoken:
        return None
    at = {rank: int(one.caught["seq"]) for rank, one in spoken.items() if one.caught.get("seq", "").isdigit()}
    differing = _mismatch(spoken, at)
    if differing:
        return differing
    if len(set(at.values())) > 1:
        furthest = max(at.values())
        behind = tuple(sorted(rank for rank, number in at.items() if number < furthest))
        if len(behind) <= len(at) / 2 and furthest - min(at.values()) <= FURTHEST_BEHIND:
            ahead = next(one for rank, one in spoken.items() if at.get(rank) == furthest)
            return Waited("behind", behind[:MOST_LISTED], ahead.caught.get("op"))
    everyone = set(range(world if world else max(spoken) + 1))
    everyone |= {rank for one in reports for rank in (*one.ranks, one.rank) if rank is not None and not world}
    silent = tuple(sorted(everyone - set(spoken)))
    operation = next(iter(spoken.values())).caught.get("op")
    is_enough = world is not None or len(spoken) >= FEWEST_SPEAKERS
    if silent and is_enough and len(silent) < len(everyone) / 2 and len(everyone) > 1:
        return Waited("silent", silent[:MOST_LISTED], operation)
    return Waited("together", (), operation)


def _mismatch(spoken: dict[int, Sighting], at: dict[int, int]) -> Waited | None:
    """Find ranks whose operation or size differs from the others' under the same number."""
    for number in set(at.values()):
        shapes = {
            rank: (one.caught.get("op", ""), one.caught.get("numel", ""))
            for rank, one in spoken.items()
            if at.get(rank) == number
        }
        common = Counter(shapes.values()).most_common()
        # A broadcast or gather is told with another size at its root; only another operation counts by itself.
        operations = {operation for (operation, _), _ in common}
        if len(common) > 1 and len(operations) > 1:
            usual = common[0][0]
            differing = sorted(rank for rank, shape in shapes.items() if shape != usual)
            return Waited("mismatch", tuple(differing[:MOST_LISTED]), usual[0] or None)
    return None
