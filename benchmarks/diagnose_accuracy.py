"""How often the root cause is right: ``python -m benchmarks.diagnose_accuracy [--cases DIR --labels CSV] [--json]``.

Aims: root cause right in 95 % of the cases, first failing rank in 95 %, no cause on a healthy log. Beside it two naive
readers: one takes the cause of the last error line, one that of the first line that any signature knows.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.machine_line import machine_line
from headway.diagnosis import Diagnosis, diagnose
from headway.diagnosis.result import HEALTHY, UNKNOWN
from headway.diagnosis.signature import signatures
from headway.diagnosis.survey import survey
from headway.errors import HeadwayError

CASES = Path(__file__).parents[1] / "tests" / "diagnosis" / "cases"
BINS = ((0.0, 0.5), (0.5, 0.8), (0.8, 0.9), (0.9, 1.01))


@dataclass(frozen=True)
class Case:
    """A log or folder of logs, and what is known of it."""

    path: Path
    cause: str
    rank: int | None


def read_cases(folder: Path, labels: Path) -> list[Case]:
    """Read the labels: columns ``case``, ``cause`` and ``rank``, which may be empty."""
    with labels.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return [Case(folder / row["case"], row["cause"], int(row["rank"]) if row.get("rank") else None) for row in rows]


def naive(path: Path) -> tuple[str, str]:
    """Return the cause of the last line that shows one, and of the first."""
    known = signatures()
    reports = survey([file for file in sorted(path.rglob("*")) if file.is_file()] if path.is_dir() else [path])
    seen = [one for report in reports for one in report.sightings if known[one.signature].kind in ("cause", "symptom")]
    if not seen:
        return HEALTHY, HEALTHY
    return max(seen, key=lambda one: one.last_offset).signature, min(seen, key=lambda one: one.offset).signature


def told_of(case: Case) -> Diagnosis:
    """Diagnose a case; what cannot be read is unknown."""
    try:
        return diagnose([case.path])
    except HeadwayError:
        return Diagnosis(UNKNOWN, 0.0)


def measure(cases: list[Case]) -> dict[str, object]:
    """Return the figures."""
    told = [told_of(case) for case in cases]
    right = [one.cause == case.cause for one, case in zip(told, cases, strict=True)]
    ranks = [
        (one.first_failure.rank, case.rank) for one, case in zip(told, cases, strict=True) if case.rank is not None
    ]
    quiet = [one for one, case in zip(told, cases, strict=True) if case.cause in (HEALTHY, UNKNOWN)]
    last, first = zip(*(naive(case.path) for case in cases), strict=True)
    misled = [
        case
        for case, one, other in zip(cases, last, first, strict=True)
        if case.cause not in (HEALTHY, UNKNOWN) and case.cause not in (one, other)
    ]
    return {
        "cases": len(cases),
        "root_cause_right": sum(right) / len(cases),
        "first_rank_right": sum(found == wanted for found, wanted in ranks) / len(ranks) if ranks else None,
        "ranks": len(ranks),
        "quiet_cases": len(quiet),
        "false_causes_on_quiet": sum(one.cause not in (HEALTHY, UNKNOWN) for one in quiet),
        "both_lines_mislead": len(misled),
        "last_line_right": sum(name == case.cause for name, case in zip(last, cases, strict=True)) / len(cases),
        "first_line_right": sum(name == case.cause for name, case in zip(first, cases, strict=True)) / len(cases),
        "calibration": calibration(told, right),
        "wrong": [
            {"case": str(case.path.name), "wanted": case.cause, "told": one.cause}
            for case, one, is_right in zip(cases, told, right, strict=True)
            if not is_right
        ],
    }


def calibration(told: list[Diagnosis], right: list[bool]) -> list[dict[str, float]]:
    """Return how often what was said with some confidence was right."""
    rows = []
    for low, high in BINS:
        inside = [
            (one.confidence, is_right)
            for one, is_right in zip(told, right, strict=True)
            if low <= one.confidence < high
        ]
        if inside:
            said = sum(confidence for confidence, _ in inside) / len(inside)
            rows.append(
                {"said": said, "right": sum(is_right for _, is_right in inside) / len(inside), "n": len(inside)}
            )
    return rows


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=Path, default=CASES)
    parser.add_argument("--labels", type=Path)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    figures = measure(read_cases(given.cases, given.labels or given.cases / "labels.csv"))
    if given.json:
        print(json.dumps(figures, indent=2))
        return
    print(machine_line())
    print(f"{figures['cases']} cases")
    for name in ("root_cause_right", "first_rank_right", "last_line_right", "first_line_right"):
        value = figures[name]
        print(f"  {name.replace('_', ' '):24} {'-' if value is None else f'{value:.1%}'}")
    for name in ("quiet_cases", "false_causes_on_quiet", "both_lines_mislead"):
        print(f"  {name.replace('_', ' '):24} {figures[name]}")
    for row in figures["calibration"]:  # type: ignore[attr-defined]
        print(f"  said {row['said']:.2f}: right {row['right']:.2f} of {row['n']}")
    confused = Counter((one["wanted"], one["told"]) for one in figures["wrong"])  # type: ignore[attr-defined]
    for (wanted, told), count in confused.most_common():
        print(f"  {count} x {wanted} told as {told}")


if __name__ == "__main__":
    main()
