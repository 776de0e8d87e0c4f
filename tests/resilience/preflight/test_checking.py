from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from headway.errors import RunError
from headway.resilience.preflight import Check, Preflight, checking, preflight
from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject

Make = Callable[..., Subject]


def test_the_quick_checks_look_at_this_server(subject: Make) -> None:
    begun: list[str] = []
    found = preflight(subject(), tuple(checking.QUICK), on_begin=lambda name, _fraction: begun.append(name))
    assert begun == list(checking.QUICK)
    assert found.passed
    assert [check.name for check in found.checks] == begun
    written = found.to_dict()
    assert written["passed"]
    assert written["checks"][0]["findings"][0]["message_id"] == "preflight-engine"


def test_the_engine_must_be_the_planned_one(subject: Make) -> None:
    plan = {"software": {"engine_version": "torch 2.12.1"}}
    (check,) = preflight(subject(plan=plan), ("software",)).checks
    (finding,) = check.findings
    assert (finding.status, finding.arguments["planned"]) == ("warning", "2.12.1")
    without = subject(parts={"software": {"frameworks": {}}})
    assert not preflight(without, ("software",)).passed


def test_an_unknown_check_is_refused(subject: Make) -> None:
    with pytest.raises(RunError) as caught:
        preflight(subject(), ("memry",))
    assert caught.value.message_id == "preflight-check-unknown"


def test_a_check_that_cannot_look_does_not_end_the_others(subject: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    def look(_subject: Subject) -> Iterator[Finding]:
        yield Finding(status="passed", message_id="preflight-clock")
        raise PermissionError(13, "Permission denied")

    monkeypatch.setitem(checking.CHECKS, "clock", look)
    found = preflight(subject(), ("clock", "software"))
    assert [check.status for check in found.checks] == ["unknown", "passed"]
    assert found.passed


@pytest.mark.parametrize(
    ("statuses", "worst"),
    [(("passed", "warning"), "warning"), (("unknown", "passed"), "unknown"), (("warning", "failed"), "failed")],
)
def test_a_check_is_as_good_as_its_worst_finding(statuses: tuple[str, ...], worst: str) -> None:
    findings = tuple(Finding(status=status, message_id="preflight-clock") for status in statuses)  # type: ignore[arg-type]
    check = Check(name="clock", findings=findings, seconds=0.0)
    assert check.status == worst
    assert Preflight(checks=(check,)).passed == (worst != "failed")
