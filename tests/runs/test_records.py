"""Run folders that somebody damaged: passed over where a record is lost, told where a whole file is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from headway.errors import RunError
from headway.runs import RunFolder, list_runs
from headway.runs.records import is_event, is_metric, ledger_flaw, plan_flaw

EVENT = {"time": 1.0, "event": "finished"}


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        ({"step": 1}, True),
        ({"step": 1, "loss": 2, "tokens_per_second": 1e9, "note": "any"}, True),
        ({"step": "1"}, False),
        ({"step": True}, False),
        ({}, False),
        ({"step": 1, "loss": "low"}, False),
        ({"step": 1, "step_seconds": None}, False),
        ({"step": 1, "time": True}, False),
    ],
)
def test_metrics(record: dict[str, Any], expected: bool) -> None:
    assert is_metric(record) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, True),
        ({"time": "now"}, False),
        ({"event": 3}, False),
        ({"event": "evaluated", "step": 1, "loss": 2.0}, True),
        ({"event": "evaluated", "step": 1}, False),
        ({"event": "notice", "id": "x", "arguments": {}}, True),
        ({"event": "notice", "id": "x"}, False),
        ({"event": "checkpoint-damaged", "id": 3, "arguments": {}}, False),
        ({"event": "engine-ready"}, False),
        ({"event": "energy", "package_joules": None}, True),
        ({"event": "energy", "package_joules": []}, False),
    ],
)
def test_events(changes: dict[str, Any], expected: bool) -> None:
    assert is_event({**EVENT, **changes}) == expected


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"rows": []}, None),
        ({"rows": [{"resource": "time", "quantity": "step_seconds", "predicted": 1, "measured": "x"}]}, None),
        ({}, "rows"),
        ({"rows": [3]}, "rows[0]"),
        ({"rows": [{"resource": "time"}]}, "rows[0].quantity"),
        ({"rows": [{"resource": "time", "quantity": "q", "measured": []}]}, "rows[0].measured"),
    ],
)
def test_ledgers(content: dict[str, Any], expected: str | None) -> None:
    assert ledger_flaw(content) == expected


def test_plans() -> None:
    assert plan_flaw({}) is plan_flaw({"time": {}, "any": 3}) is None
    assert plan_flaw({"time": []}) == "time"


@pytest.mark.parametrize("content", ["{}", "[]", '{"rows": 3}', '{"rows": [{"resource": 1}]}'])
def test_a_damaged_ledger_is_told(run: RunFolder, content: str) -> None:
    (run.path / "ledger.json").write_text(content)
    with pytest.raises(RunError, match="run-file-damaged"):
        run.ledger()
    (run.path / "plan.json").write_text(json.dumps({"time": 3}))
    with pytest.raises(RunError, match="run-file-damaged"):
        run.plan()


def test_damaged_lines_are_passed_over(trained: RunFolder) -> None:
    before = len(trained.metrics()), len(trained.events())
    with trained.metrics_path().open("a") as metrics, trained.events_path.open("a") as events:
        metrics.write('{"step": 90, "loss": "?"}\n{"loss": 3}\n')
        events.write('{"event": "evaluated"}\n{"event": "notice", "time": 1}\n[]\n')
    assert (len(trained.metrics()), len(trained.events())) == before


def test_a_run_without_its_recipe_is_listed_and_told(trained: RunFolder) -> None:
    (trained.path / "recipe.toml").unlink()
    root = trained.path.parent
    assert [run.name for run in list_runs(root)] == [trained.name]
    with pytest.raises(RunError, match="run-file-damaged"):
        RunFolder.open(root, trained.name)
    (root / "no-run").mkdir()
    assert [run.name for run in list_runs(root)] == [trained.name]


def test_later_plans_lie_beside_the_first(run: RunFolder) -> None:
    assert [run.add_plan({"time": {"step_seconds": 1.0}}).name for _ in range(2)] == ["plan-2.json", "plan-3.json"]
    assert run.plan() == {"time": {"step_seconds": 0.5}}
    assert run.size_bytes() > sum(path.stat().st_size for path in Path(run.path).glob("plan*.json")) > 0
