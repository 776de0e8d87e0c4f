"""Run folders of Headway's own, with the events that it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from headway.diagnosis import diagnose
from headway.runs.logs import EventLog, MetricLog


@pytest.mark.parametrize(
    ("error", "arguments", "cause"),
    [
        ("data-disk-full", {"path": "/x"}, "disk-full"),
        ("run-unwritable", {"path": "/x", "reason": "No space left on device"}, "disk-full"),
        ("checkpoint-unwritable", {"path": "/x", "reason": "Read-only file system"}, "read-only"),
        ("training-loss-not-finite", {"step": 12}, "nan-loss"),
        ("training-loss-spike", {"step": 12}, "loss-spike"),
        ("training-scale-collapse", {"step": 12}, "loss-scale-minimum"),
        ("training-corruption", {"step": 12, "what": "replay"}, "silent-corruption"),
        ("training-device-error", {"step": 12, "device": "GPU-8a", "code": 79}, "gpu-ecc-uncorrectable"),
        ("training-device-error", {"step": 12, "device": "mc0", "code": 0}, "machine-check"),
        ("checkpoint-all-damaged", {"path": "/x"}, "checkpoint-truncated"),
        ("data-json-invalid", {"path": "/x", "line": 3}, "bad-row"),
        ("data-path-missing", {"path": "/x"}, "data-missing"),
        ("training-no-layout", {}, "configuration-divisible"),
        ("run-recipe-changed", {"setting": "model"}, "headway-refused"),
    ],
)
def test_the_error_of_a_run_is_its_cause(tmp_path: Path, error: str, arguments: dict[str, object], cause: str) -> None:
    with EventLog(tmp_path / "events.jsonl") as events:
        events.record("started", pid=1)
        events.record("failed", pid=1, kind="RunError", id=error, arguments=arguments)
    assert diagnose([tmp_path]).cause == cause


def test_what_a_guard_has_mended_is_no_cause_of_a_later_failure(tmp_path: Path) -> None:
    nan = float("nan")
    with MetricLog(tmp_path / "metrics" / "rank-0.jsonl") as metrics:
        metrics.append({"step": 7, "loss": nan, "gradient_norm": nan, "is_left_out": True})
    with EventLog(tmp_path / "events.jsonl") as events:
        events.record("started", pid=1)
        events.record("guard", guard="not-finite", action="roll-back", step=7, loss=nan, gradient_norm=nan, to_step=5)
        events.record("guard", guard="loss-spike", action="roll-back", step=90, loss=9.0, median=2.0, to_step=5)
        events.record("guard", guard="disk", action="warn", step=95, free_bytes=1, left_seconds=9.0)
        events.record("failed", pid=1, kind="DataError", id="data-path-missing", arguments={"path": "/x"})
    assert diagnose([tmp_path]).cause == "data-missing"


def test_steps_since_the_last_checkpoint_are_counted(tmp_path: Path) -> None:
    (tmp_path / "metrics").mkdir()
    lines = [json.dumps({"step": step, "time": 1_796_000_000.0 + step, "loss": 2.0}) for step in range(1, 48)]
    (tmp_path / "metrics" / "rank-0.jsonl").write_text("\n".join(lines) + "\n")
    with EventLog(tmp_path / "events.jsonl") as events:
        for step in (10, 20, 30, 40):
            events.record("checkpoint-saved", step=step)
        events.record("failed", pid=1, kind="TrainingError", id="training-loss-not-finite", arguments={"step": 48})
    told = diagnose([tmp_path])
    assert told.cause == "nan-loss"
    assert (told.numbers["last_step"], told.numbers["last_checkpoint_step"], told.numbers["steps_lost"]) == (47, 40, 7)
