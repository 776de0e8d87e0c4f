"""Every case of ``cases/``: the root cause and the rank that failed first are those of ``labels.csv``."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from headway.diagnosis import diagnose
from headway.diagnosis.result import HEALTHY, UNKNOWN
from headway.diagnosis.signature import signatures

CASES = Path(__file__).parent / "cases"


def labels() -> list[dict[str, str]]:
    with (CASES / "labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("label", labels(), ids=lambda label: label["case"])
def test_the_cause_and_the_rank_are_those_of_the_label(label: dict[str, str]) -> None:
    told = diagnose([CASES / label["case"]])
    assert told.cause == label["cause"], told.to_dict()
    if label["rank"]:
        assert told.first_failure.rank == int(label["rank"])


def test_there_are_enough_cases_of_each_kind() -> None:
    names = [label["cause"] for label in labels()]
    assert len(names) >= 150
    assert sum(name in (HEALTHY, UNKNOWN) for name in names) >= 20
    assert set(names) <= {*signatures(), HEALTHY, UNKNOWN}
    files = {path.name for path in CASES.iterdir()} - {"labels.csv"}
    assert files == {label["case"] for label in labels()}
