"""What a run really took, worked out from its own logs."""

from __future__ import annotations

import statistics
from itertools import pairwise
from typing import Any

from headway.runs import Ledger, Measurement, RunFolder, build_ledger
from headway.runs.goodput import WARM_UP_STEPS, account


def measure_run(run: RunFolder) -> Ledger:
    """Build the ledger of a run from its plan, metrics and events."""
    plan, recipe = run.plan(), run.recipe()
    metrics, events = [record for record in run.metrics() if _is_timed(record)], run.events()
    measured: dict[str, Measurement] = {
        **_speed(metrics, recipe.tokens_per_step, plan),
        **_memory(metrics, events),
        **_storage(events),
        **_stalls(metrics),
        **_time(run.metric_records(), events),
        **_quality(events),
        **_skipped(metrics),
    }
    ready = _last(events, "engine-ready")
    if ready is not None:
        measured["engine_version"] = Measurement(f"torch {ready['torch']}")
        measured["precision"] = Measurement(recipe.training.precision)
    # Steps that were done twice took energy twice.
    measured.update(_energy(run.metric_records(), events, plan))
    return build_ledger(plan, measured, _source_tokens(metrics, recipe.training.sequence_length))


def _is_timed(record: dict[str, Any]) -> bool:
    """Say whether a record tells all that the ledger asks; others are of a damaged log."""
    return record.get("step_seconds", 0) > 0 and "time" in record and "resident_bytes" in record


def _speed(metrics: list[dict[str, Any]], tokens_per_step: int, plan: dict[str, Any]) -> dict[str, Measurement]:
    if not metrics:
        return {}
    step_seconds = statistics.median(_steady(metrics))
    measured = {
        "step_seconds": Measurement(step_seconds),
        "tokens_per_second": Measurement(tokens_per_step / step_seconds),
    }
    utilization = _number(plan, "time", "model_flops_utilization")
    predicted_seconds = _number(plan, "time", "step_seconds")
    if utilization and predicted_seconds:
        # The same FLOPs over the same peak: only the time differs.
        measured["model_flops_utilization"] = Measurement(utilization * predicted_seconds / step_seconds)
    return measured


def steady_tokens_per_second(metrics: list[dict[str, Any]], tokens_per_step: int) -> float | None:
    """Return the speed that the ledger states: over the median step, warm-up left out; None before the first step."""
    timed = [record for record in metrics if _is_timed(record)]
    return tokens_per_step / statistics.median(_steady(timed)) if timed else None


def _steady(metrics: list[dict[str, Any]]) -> list[float]:
    """Return the durations of the steps that follow the warm-up of their process."""
    steady = [record["step_seconds"] for record in metrics if record.get("steps_since_start", 0) > WARM_UP_STEPS]
    return steady or [record["step_seconds"] for record in metrics]


def _memory(metrics: list[dict[str, Any]], events: list[dict[str, Any]]) -> dict[str, Measurement]:
    peaks = [event["peak_bytes"] for event in events if event["event"] == "memory"]
    if not peaks:
        peaks = [record["resident_bytes"] for record in metrics]
    return {"peak_bytes": Measurement(max(peaks))} if peaks else {}


def _storage(events: list[dict[str, Any]]) -> dict[str, Measurement]:
    measured = {}
    data = _last(events, "data-ready")
    if data is not None:
        measured["dataset_bytes"] = Measurement(data["dataset_bytes"])
    saved = [event for event in events if event["event"] == "checkpoint-saved"]
    if saved:
        measured["checkpoint_bytes"] = Measurement(saved[-1]["bytes"])
        measured["checkpoint_write_seconds"] = Measurement(statistics.median(event["seconds"] for event in saved))
    return measured


def _stalls(metrics: list[dict[str, Any]]) -> dict[str, Measurement]:
    """Add up how long steps waited for their data."""
    told = [record["data_seconds"] for record in metrics if "data_seconds" in record]
    return {"data_stall_seconds": Measurement(sum(told))} if told else {}


def _source_tokens(metrics: list[dict[str, Any]], sequence_length: int) -> dict[str, int]:
    """Return the tokens of each source, where there are several; the last step has the sum of all."""
    rows = metrics[-1].get("source_sequences") if metrics else None
    if not isinstance(rows, dict):
        return {}
    return {name: count * sequence_length for name, count in rows.items() if isinstance(count, int)}


def _time(metrics: list[dict[str, Any]], events: list[dict[str, Any]]) -> dict[str, Measurement]:
    starts = [event for event in events if event["event"] in ("started", "resumed")]
    if not metrics or not starts:
        return {}
    spent = account(metrics, events)
    measured = {
        "total_seconds": Measurement(spent.seconds_in_all),
        "interruptions": Measurement(len(starts) - 1),
    }
    if spent.share is not None:
        measured["goodput"] = Measurement(spent.share)
        for part in ("checkpoint_stall", "restart", "lost_work"):
            measured[f"{part}_share"] = Measurement(spent.seconds(part) / spent.seconds_in_all)
    return measured


def _quality(events: list[dict[str, Any]]) -> dict[str, Measurement]:
    evaluated = _last(events, "evaluated")
    if evaluated is None:
        return {}
    names = {"validation_loss": "loss", "bits_per_byte": "bits_per_byte"}
    return {name: Measurement(evaluated[field]) for name, field in names.items() if field in evaluated}


def _skipped(metrics: list[dict[str, Any]]) -> dict[str, Measurement]:
    """Count the steps whose gradients overflowed, where there is a loss scale."""
    told = [record["is_skipped"] for record in metrics if "is_skipped" in record]
    return {"skipped_steps": Measurement(sum(map(bool, told)))} if told else {}


def _energy(
    metrics: list[dict[str, Any]], events: list[dict[str, Any]], plan: dict[str, Any]
) -> dict[str, Measurement]:
    """Read the processors' energy, and estimate what no instrument reads: the planned power over the active time.

    The counters of the processor packages know nothing of the rest of the server and of the site, so that they have a
    row of their own.
    """
    found: dict[str, Measurement] = {}
    readings = [event["package_joules"] for event in events if event["event"] == "energy"]
    starts = sum(event["event"] in ("started", "resumed") for event in events)
    if readings and len(readings) == starts and all(reading is not None for reading in readings):
        # A process that was killed took its reading along, and a part is not the whole.
        found["package_joules"] = Measurement(sum(readings))
    watts, planned_joules = _number(plan, "power", "facility_watts"), _number(plan, "energy", "facility_joules")
    if watts is None or not planned_joules:
        return found
    active_seconds = _active_seconds(metrics, events)
    if not active_seconds:
        return found
    joules = watts * active_seconds
    found["energy_joules"] = Measurement(joules, estimated=True)
    paths = {
        "carbon_kg_co2e": ("carbon", "operational_kg_co2e"),
        "total_usd": ("cost", "total_usd"),
        "energy_usd": ("cost", "energy_usd"),
    }
    for quantity, path in paths.items():
        predicted = _number(plan, *path)
        if predicted is not None:
            found[quantity] = Measurement(predicted * joules / planned_joules, estimated=True)
    return found


def _number(plan: dict[str, Any], section: str, name: str) -> float | None:
    value = plan.get(section, {}).get(name)
    return value if isinstance(value, (int, float)) else None


_BETWEEN = frozenset(
    {"attempt-started", "attempt-failed", "attempt-stopped", "attempt-finished", "retrying", "gave-up", "preflight"}
)
"""Events that nobody wrote who trains."""


def _active_seconds(metrics: list[dict[str, Any]], events: list[dict[str, Any]]) -> float:
    """Return how long processes of the run were alive, as far as they left a trace; the time between does not count."""
    starts = [event["time"] for event in events if event["event"] in ("started", "resumed")]
    # What the supervisor and the next start write before it begins is no sign of life of the one before.
    own = (event for event in events if event["event"] not in _BETWEEN)
    traces = sorted(record["time"] for record in (*metrics, *own) if "time" in record)
    total = 0.0
    for start, following in pairwise([*starts, float("inf")]):
        total += max((time for time in traces if start <= time < following), default=start) - start
    return total


def _last(events: list[dict[str, Any]], kind: str) -> dict[str, Any] | None:
    return next((event for event in reversed(events) if event.get("event") == kind), None)
