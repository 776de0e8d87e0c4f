"""From what the logs hold to the root cause: not the first error line, nor the last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from headway.diagnosis.causality import consequences, explains, is_after
from headway.diagnosis.collectives import waited_for, world_size
from headway.diagnosis.figures import finer_memory_cause, memory_figures, waiting_figures, work_lost
from headway.diagnosis.result import HEALTHY, UNKNOWN, Diagnosis, Evidence, FirstFailure
from headway.diagnosis.sighting import LogReport, Sighting
from headway.diagnosis.signature import Signature, signatures
from headway.diagnosis.silence import Silence, find_silence
from headway.diagnosis.survival import Survival

MOST_EVIDENCE = 6

EXPLAINS_BONUS = 0.05
"""A cause whose consequences are seen too is surer than one that stands alone."""

RIVAL_PENALTY = 0.15
"""Another cause that nothing explains, nearly as sure, makes either less sure."""

SURVIVABLE_PENALTY = 0.35
"""What trainings usually go on after is a poor reason for an end."""

SYMPTOM_PENALTY = 0.25
"""Where only consequences are seen, the cause behind them is not known."""

TIMEOUT = "collective-timeout"
SAYS_RANK = ("torchrun-summary", "task-failed")
"""What launchers say of the rank that failed first, the surest first."""

OF_WHO_WAITS = frozenset(
    {
        TIMEOUT,
        "collective-aborted",
        "data-outlasts-timeout",
        "nccl-system-error",
        "peer-gone",
        "save-outlasts-timeout",
    }
)
"""Findings that the ranks write which waited for another one: who writes them did not fail first."""


_OF_WAITING = {
    "mismatch": "collective-mismatch",
    "behind": "rank-behind",
    "silent": "rank-silent",
}


@dataclass(frozen=True)
class _Candidate:
    """A finding that may be the root: its first sighting that was not survived, and how good it is."""

    one: Signature
    first: Sighting
    every: tuple[Sighting, ...]
    score: float


class Reasoning:
    """Works out the root cause from the reports of all logs.

    Args:
        reports: what the logs held.
    """

    def __init__(self, reports: Sequence[LogReport]) -> None:
        self._reports = reports
        self._known = signatures()
        self._all = [one for report in reports for one in report.sightings]
        survival = Survival(reports)
        self._survived = {id(one) for one in self._all if survival.is_survived(one)}
        self._final = [one for one in self._all if id(one) not in self._survived]
        self._silence = find_silence(reports)
        self._ends = [one for one in self._all if self._known[one.signature].kind == "healthy"]
        self._timeouts = [one for one in self._final if one.signature == TIMEOUT]
        self._waited = waited_for(self._timeouts, reports, world_size(self._all))
        self._all_dated = all(one.time is not None for one in self._final)
        self._places = {report.name: number for number, report in enumerate(reports)}

    def diagnose(self) -> Diagnosis:
        """Return the diagnosis."""
        told = self._diagnosed()
        if told.cause == HEALTHY:
            return told
        numbers: dict[str, Any] = {**told.numbers, **work_lost(self._reports, self._all)}
        if told.cause == UNKNOWN:
            return replace(told, numbers=numbers)
        numbers |= waiting_figures(self._waited, self._timeouts)
        if self._known[told.cause].area == "device-memory":
            return self._with_memory(told, numbers)
        return replace(told, numbers=numbers)

    def _with_memory(self, told: Diagnosis, numbers: dict[str, Any]) -> Diagnosis:
        """Read what the message says of the device's memory, which can tell more than where it happened."""
        said = [memory_figures(one.caught) for one in self._final if one.signature == "device-memory"]
        figures = max(said, key=len, default={})
        finer = finer_memory_cause(figures)
        numbers |= figures
        if finer is None:
            return replace(told, numbers=numbers)
        chain = (finer, *(name for name in told.chain if name != finer))
        return replace(told, cause=finer, chain=chain, remedies=self._known[finer].remedies, numbers=numbers)

    def _diagnosed(self) -> Diagnosis:
        roots = self._unexplained(self._candidates("cause"))
        if self._is_healthy(roots):
            return self._healthy()
        if roots and not self._only_survivable_without_failure(roots):
            return self._told(roots[0], self._confidence(roots))
        waited = self._told_by_waiting()
        if waited is not None:
            return waited
        symptoms = [one for one in self._unexplained(self._candidates("symptom")) if one.one.alone]
        if symptoms:
            confidence = max(symptoms[0].one.strength - SYMPTOM_PENALTY, 0.05)
            return self._told(symptoms[0], confidence)
        if self._silence is not None:
            return self._silent(self._silence)
        return self._unknown()

    # Candidates

    def _candidates(self, kind: str) -> list[_Candidate]:
        """Return the findings of a kind that were not survived, the best first."""
        by_id: dict[str, list[Sighting]] = {}
        for one in self._final:
            if self._known[one.signature].kind == kind:
                by_id.setdefault(one.signature, []).append(one)
        made = []
        for name, every in by_id.items():
            first = self._earliest(every)
            made.append(_Candidate(self._known[name], first, tuple(every), self._score(self._known[name], first)))
        return sorted(made, key=lambda one: (-one.score, self._order(one.first)))

    def _score(self, one: Signature, first: Sighting) -> float:
        explained = [other for other in self._final if other.signature != one.id and explains(first, other)]
        failed = [other for other in explained if not self._known[other.signature].survivable]
        score = one.strength + (EXPLAINS_BONUS if explained else 0.0)
        return score - (SURVIVABLE_PENALTY if one.survivable and not failed else 0.0)

    def _unexplained(self, candidates: list[_Candidate]) -> list[_Candidate]:
        """Return the candidates that do not follow from another one."""
        roots = [
            one
            for one in candidates
            if not any(
                other is not one and explains(other.first, one.first) and not explains(one.first, other.first)
                for other in candidates
            )
        ]
        return self._by_time(roots or candidates)

    def _by_time(self, roots: list[_Candidate]) -> list[_Candidate]:
        """Put what surely came first before what is as good, since a later failure may be the first one's."""
        if len(roots) < 2:
            return roots
        best = roots[0]
        for other in roots[1:]:
            near = other.score >= best.score - RIVAL_PENALTY and not other.one.survivable
            if near and self._is_before(other.first, best.first):
                best = other
        return [best, *(one for one in roots if one is not best)]

    def _is_before(self, one: Sighting, other: Sighting) -> bool:
        if is_after(other, one):
            return True
        return one.source == other.source and one.rank == other.rank and one.offset < other.offset

    def _only_survivable_without_failure(self, roots: list[_Candidate]) -> bool:
        """Say whether all that could be a cause are warnings, and none of them explains a failure."""
        return all(one.one.survivable and one.score <= one.one.strength for one in roots) and not self._has_failed()

    def _has_failed(self) -> bool:
        return any(
            not self._known[one.signature].survivable and self._known[one.signature].kind in ("cause", "symptom")
            for one in self._final
        )

    def _is_healthy(self, roots: list[_Candidate]) -> bool:
        """Say whether the run came to a good end after all that was seen, or nothing was seen to fail."""
        ends = self._ends
        if ends and all(not self._is_before(end, root.first) for root in roots for end in ends[-1:]):
            later = [root for root in roots if not self._ended_well_after(root.first, ends)]
            return all(root.one.survivable for root in later) and not self._symptoms_after(ends)
        moves = any(report.progress for report in self._reports)
        return moves and not self._has_failed() and self._silence is None

    def _ended_well_after(self, failure: Sighting, ends: list[Sighting]) -> bool:
        return any(
            self._is_before(failure, end) or (end.source == failure.source and end.offset > failure.offset)
            for end in ends
        )

    def _symptoms_after(self, ends: list[Sighting]) -> bool:
        return any(
            self._known[one.signature].kind == "symptom"
            and not self._known[one.signature].survivable
            and not self._ended_well_after(one, ends)
            for one in self._final
        )

    # Waiting ranks

    def _told_by_waiting(self) -> Diagnosis | None:
        if self._waited is None or self._waited.kind not in _OF_WAITING:
            return None
        one = self._known[_OF_WAITING[self._waited.kind]]
        first = replace(self._earliest(self._timeouts), rank=self._waited.ranks[0])
        told = self._told(_Candidate(one, first, tuple(self._timeouts), one.strength), one.strength)
        return replace(told, first_failure=FirstFailure(rank=self._waited.ranks[0]))

    # What is told

    def _told(self, root: _Candidate, confidence: float) -> Diagnosis:
        followed = consequences()[root.one.id]
        places = {(one.source, one.offset) for one in root.every}
        others = [
            one
            for one in self._final
            if self._known[one.signature].kind in ("cause", "symptom")
            and one.signature != root.one.id
            and (one.source, one.offset) not in places
        ]
        ordered = sorted(others, key=self._order)
        seen = tuple(dict.fromkeys(one.signature for one in ordered))
        chain = (root.one.id, *(name for name in seen if name in followed))
        shown = _each_line_once([*sorted(root.every, key=self._order)[:3], *_first_of_each(ordered)])
        return Diagnosis(
            cause=root.one.id,
            confidence=min(max(confidence, 0.05), 0.98),
            evidence=tuple(Evidence.of(one) for one in shown[:MOST_EVIDENCE]),
            first_failure=self._first_failure(root),
            remedies=root.one.remedies,
            also_seen=seen,
            chain=chain,
            survived=self._survived_ids(),
        )

    def _confidence(self, roots: list[_Candidate]) -> float:
        best = roots[0]
        rivals = [
            one
            for one in roots[1:]
            if one.score >= best.score - RIVAL_PENALTY
            and not one.one.survivable
            and (one.first.source, one.first.offset) != (best.first.source, best.first.offset)
        ]
        return best.score - (RIVAL_PENALTY if rivals else 0.0)

    def _first_failure(self, root: _Candidate) -> FirstFailure:
        first = root.first
        rank = None
        if root.one.id not in OF_WHO_WAITS:
            ranked = (one.rank for one in sorted(root.every, key=self._order) if one.rank is not None)
            rank = first.rank if first.rank is not None else next(ranked, None)
        if rank is None and self._waited is not None and self._waited.ranks:
            rank = self._waited.ranks[0]
        # What a scheduler ends, it ends on all ranks.
        if rank is None and root.one.area != "scheduler":
            summary = [one for one in self._final if one.signature in SAYS_RANK and one.rank is not None]
            summary.sort(key=lambda one: SAYS_RANK.index(one.signature))
            rank = summary[0].rank if summary else self._only_local_rank()
        return FirstFailure(rank=rank, host=first.host, time=first.time)

    def _only_local_rank(self) -> int | None:
        """Return the local rank that a launcher names, where one server is all that there is."""
        local = [one.caught["local"] for one in self._final if one.caught.get("local", "").isdigit()]
        hosts = {one.host for one in self._all if one.host}
        return int(local[0]) if local and len(hosts) <= 1 else None

    def _healthy(self) -> Diagnosis:
        return Diagnosis(
            cause=HEALTHY,
            confidence=0.95 if self._ends else 0.7,
            evidence=tuple(Evidence.of(one) for one in self._ends[-1:]),
            survived=self._survived_ids(),
        )

    def _silent(self, silence: Silence) -> Diagnosis:
        one = self._known["hang"]
        return Diagnosis(
            cause=one.id,
            confidence=one.strength,
            first_failure=FirstFailure(rank=silence.rank, time=silence.since),
            remedies=one.remedies,
            numbers={"silent_seconds": silence.seconds, "usual_step_seconds": silence.usual_seconds},
            survived=self._survived_ids(),
        )

    def _unknown(self) -> Diagnosis:
        seen = tuple(dict.fromkeys(one.signature for one in sorted(self._final, key=self._order)))
        shown = _first_of_each(sorted(self._final, key=self._order))
        return Diagnosis(
            cause=UNKNOWN,
            confidence=0.0,
            evidence=tuple(Evidence.of(one) for one in shown[:MOST_EVIDENCE]),
            remedies=("collect-all-ranks", "collect-kernel-log", "collect-longer"),
            also_seen=seen,
            survived=self._survived_ids(),
        )

    def _survived_ids(self) -> tuple[str, ...]:
        return tuple(
            dict.fromkeys(
                one.signature
                for one in self._all
                if id(one) in self._survived and self._known[one.signature].kind in ("cause", "symptom")
            )
        )

    # Order

    def _earliest(self, every: Sequence[Sighting]) -> Sighting:
        return min(every, key=self._order)

    def _order(self, one: Sighting) -> tuple[float, int, int]:
        """Order by time where all have one, else by place."""
        dated = one.time if one.time is not None and self._all_dated else 0.0
        return (dated, self._places.get(one.source, 0), one.offset)


def _first_of_each(ordered: Sequence[Sighting]) -> list[Sighting]:
    kept: dict[str, Sighting] = {}
    for one in ordered:
        kept.setdefault(one.signature, one)
    return list(kept.values())


def _each_line_once(sightings: Sequence[Sighting]) -> list[Sighting]:
    kept: dict[tuple[str, int], Sighting] = {}
    for one in sightings:
        kept.setdefault((one.source, one.offset), one)
    return list(kept.values())
