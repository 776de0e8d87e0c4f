"""The measured side of the ledger, worked out by hand from logs written by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from headway.recipe import resolve_recipe
from headway.runs import EventLog, LedgerRow, MetricLog, RunFolder
from headway.training.accounting import measure_run

PLAN = {
    "time": {"step_seconds": 2.0, "model_flops_utilization": 0.5, "total_seconds": 100.0},
    "memory": {"device_peak_bytes": 900, "device_peak_bytes_low": 800, "device_peak_bytes_high": 1000},
    "power": {"facility_watts": 50.0},
    "energy": {"facility_joules": 5000.0},
    "carbon": {"operational_kg_co2e": 2.0},
}


def test_skipped_steps_are_counted_where_there_is_a_loss_scale(tmp_path: Path) -> None:
    run = write(tmp_path, {})
    assert "skipped_steps" not in {row.quantity for row in measure_run(run).rows}
    with MetricLog(run.metrics_path()) as metrics:
        for step, is_skipped in ((5, True), (6, False), (7, True)):
            timed = {"step_seconds": 1.0, "time": 60 + step, "resident_bytes": 700}
            metrics.append({"step": step, "loss_scale": 2.0, "is_skipped": is_skipped, **timed})
    (row,) = (row for row in measure_run(run).rows if row.quantity == "skipped_steps")
    assert row.measured == 2


def write(root: Path, plan: dict[str, Any], energy: float | None = None, with_memory: bool = True) -> RunFolder:
    recipe = resolve_recipe(
        {"model": {"preset": "headway-tiny-1m"}, "training": {"steps": 6, "sequence_length": 8, "global_batch_size": 4}}
    )
    run = RunFolder.create(root, recipe, plan, "made")
    with MetricLog(run.metrics_path()) as metrics:
        # Killed after step 4 and resumed at step 2: steps 3 and 4 are done twice, and the later record counts.
        for step, since, seconds, time in (
            (1, 1, 9.0, 9), (2, 2, 8.0, 17), (3, 3, 4.0, 21), (4, 4, 4.0, 25),
            (3, 1, 9.0, 40), (4, 2, 9.0, 49), (5, 3, 4.0, 53), (6, 4, 4.0, 57),
        ):  # fmt: skip
            metrics.append(
                {"step": step, "steps_since_start": since, "step_seconds": seconds, "time": time, "resident_bytes": 700}
            )
    with EventLog(run.events_path) as events:
        for event in (
            {"time": 0, "event": "started", "step": 0},
            {"time": 1, "event": "data-ready", "dataset_bytes": 123},
            {"time": 2, "event": "engine-ready", "torch": "2.13.0"},
            {"time": 17, "event": "checkpoint-saved", "step": 2, "bytes": 50, "seconds": 1.0},
            {"time": 30, "event": "resumed", "step": 2},
            {"time": 57, "event": "checkpoint-saved", "step": 6, "bytes": 60, "seconds": 3.0},
            {"time": 58, "event": "evaluated", "step": 6, "loss": 2.0, "bits_per_byte": 1.0},
            {"time": 59, "event": "energy", "package_joules": energy},
            *([{"time": 59, "event": "memory", "peak_bytes": 1000}] if with_memory else []),
            {"time": 60, "event": "finished"},
        ):
            events.append(event)
    return run


def rows_of(run: RunFolder) -> dict[str, LedgerRow]:
    return {row.quantity: row for row in measure_run(run).rows}


def test_every_quantity_by_hand(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PLAN))
    measured = {name: row.measured for name, row in rows.items()}
    # Steps 5 and 6 are the only ones beyond the warm-up of their process whose record counts.
    assert measured["step_seconds"] == 4.0
    assert rows["step_seconds"].error == pytest.approx(2.0 / 4.0 - 1)
    assert measured["tokens_per_second"] == 32 / 4.0
    assert measured["model_flops_utilization"] == pytest.approx(0.25)
    assert measured["peak_bytes"] == 1000
    assert rows["peak_bytes"].error == pytest.approx(-0.1)
    assert (rows["peak_bytes"].predicted_low, rows["peak_bytes"].predicted_high) == (800, 1000)
    assert measured["dataset_bytes"] == 123
    assert measured["checkpoint_bytes"] == 60
    assert measured["checkpoint_write_seconds"] == 2.0
    assert measured["total_seconds"] == 60
    assert measured["interruptions"] == 1
    # Six steps that count, of a median of 4 s; two were done twice, for 8 s; 5 s went by before the run was resumed,
    # and 1 s of the first step after it is more than that step took.
    assert measured["goodput"] == pytest.approx(6 * 4 / 60)
    assert measured["lost_work_share"] == pytest.approx(8 / 60)
    assert measured["restart_share"] == pytest.approx(6 / 60)
    assert measured["validation_loss"] == 2.0
    assert measured["engine_version"] == "torch 2.13.0"


def test_energy_is_estimated_where_no_counter_was_read(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PLAN))
    # The first process left traces from 0 to 25 s, the second from 30 to 60 s: what lay between cost nothing.
    joules = 50.0 * (25 + 30)
    assert (rows["energy_joules"].measured, rows["energy_joules"].basis) == (joules, "estimated")
    assert rows["carbon_kg_co2e"].measured == pytest.approx(2.0 * joules / 5000)
    assert "package_joules" not in rows


def test_a_part_of_the_energy_is_not_taken_for_the_whole(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, PLAN, energy=77.0))
    assert "package_joules" not in rows, "the process that was killed left no reading"


def test_the_processors_energy_is_read_where_every_process_left_it(tmp_path: Path) -> None:
    run = write(tmp_path, PLAN, energy=77.0)
    with EventLog(run.events_path) as events:
        events.append({"time": 60, "event": "energy", "package_joules": 3.0})
    row = rows_of(run)["package_joules"]
    assert (row.measured, row.basis) == (80.0, "measured")


def test_what_is_not_known_is_absent(tmp_path: Path) -> None:
    rows = rows_of(write(tmp_path, {}, with_memory=False))
    assert "energy_joules" not in rows
    assert "model_flops_utilization" not in rows
    assert rows["peak_bytes"].measured == 700
    assert rows["step_seconds"].predicted is None
    assert rows["step_seconds"].error is None


def test_a_run_without_a_step_has_nothing_but_its_plan(tmp_path: Path) -> None:
    recipe = resolve_recipe({"model": {"preset": "headway-tiny-1m"}, "training": {"steps": 6}})
    run = RunFolder.create(tmp_path, recipe, PLAN, "empty")
    assert all(row.measured is None for row in measure_run(run).rows)


def test_the_wait_before_a_new_start_takes_no_energy(tmp_path: Path) -> None:
    run = write(tmp_path, PLAN)
    before = {row.quantity: row.measured for row in measure_run(run).rows}["energy_joules"]
    with EventLog(run.events_path) as events:
        events.append({"time": 28, "event": "retrying", "attempt": 2, "wait_seconds": 1.5, "cause": "killed"})
        events.append({"time": 29.5, "event": "attempt-started", "attempt": 2})
    after = {row.quantity: row.measured for row in measure_run(run).rows}["energy_joules"]
    assert after == before is not None
