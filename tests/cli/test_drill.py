from __future__ import annotations

from pathlib import Path

import pytest

from headway.cli.drill_view import page, show_drill, write_page
from headway.errors import RunError
from headway.resilience.drills import FAULTS, Drill, Reason, Result
from tests.command_line import Headway

REASONS = {
    "drill-reason-missed": {"log": "a.log"},
    "drill-reason-overdue": {"log": "a.log"},
    "drill-reason-not-finished": {"log": "a.log"},
    "drill-reason-not-detected": {"log": "<b>"},
    "drill-reason-by-hand": {"log": "a.log"},
    "drill-reason-weights": {"log": "a.log"},
    "drill-reason-repeated": {"steps": 2},
    "drill-reason-orphans": {"pids": "1, 2"},
}


def made() -> Drill:
    failed = [
        Result(fault="nan", status="failed", is_identical=False, reasons=(Reason(message_id=name, arguments=told),))
        for name, told in REASONS.items()
    ]
    rest = [Result(fault=name, status="passed", detected_seconds=1.5, repeated_steps=2) for name in FAULTS]
    return Drill(recipe="<r>", folder="runs", steps=24, clean_seconds=1.0, results=(*failed, *rest))


def test_every_reason_is_told_and_escaped(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    show_drill(made())
    shown = capsys.readouterr()
    assert "Processes were left behind: 1, 2." in shown.out
    assert f"{len(FAULTS)} passed, {len(REASONS)} failed" in shown.err
    write_page(made(), tmp_path / "drill.html")
    written = (tmp_path / "drill.html").read_text()
    assert "&lt;b&gt;" in written
    assert "Drills of &lt;r&gt;" in written
    assert "://" not in page(made())


def test_a_page_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(RunError, match="run-unwritable"):
        write_page(made(), tmp_path / "nowhere" / "drill.html")


def test_a_fault_that_does_not_exist_is_told(headway: Headway) -> None:
    done = headway("drill", "headway-tiny-4m", "--fault", "wings")
    assert done.code == 1
    assert "killed-worker" in done.err
