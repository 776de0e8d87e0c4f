"""What the records of a run's files must hold for the rest of Headway to read them without asking.

A record that somebody damaged is passed over, as a torn line is; a file of one record that is damaged is an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_METRIC_NUMBERS = frozenset(
    {
        "time",
        "loss",
        "gradient_norm",
        "learning_rate",
        "tokens",
        "tokens_per_second",
        "step_seconds",
        "steps_since_start",
        "data_seconds",
        "resident_bytes",
    }
)
"""Fields of the metric log that are numbers wherever they stand; ``step`` must stand in each record."""

_EVENT_NUMBERS: dict[str, tuple[str, ...]] = {
    "data-ready": ("dataset_bytes",),
    "checkpoint-saved": ("step", "bytes", "seconds"),
    "evaluated": ("step", "loss"),
    "memory": ("peak_bytes",),
}
_MESSAGES = ("notice", "resume-notice", "checkpoint-damaged")
"""Events that carry a message: an id and its arguments."""

_PLAN_SECTIONS = ("time", "layout", "reliability", "power", "energy", "carbon", "cost", "memory", "storage")


def is_metric(record: Mapping[str, Any]) -> bool:
    """Say whether a record is one of the metric log."""
    if type(record.get("step")) is not int:
        return False
    return all(_is_number(value) for name, value in record.items() if name in _METRIC_NUMBERS)


def is_event(record: Mapping[str, Any]) -> bool:
    """Say whether a record is an event with all that its kind has."""
    kind = record.get("event")
    if not isinstance(kind, str) or not _is_number(record.get("time")):
        return False
    if kind in _MESSAGES and not (isinstance(record.get("id"), str) and isinstance(record.get("arguments"), dict)):
        return False
    if kind == "engine-ready" and not isinstance(record.get("torch"), str):
        return False
    if kind == "guard" and not all(isinstance(record.get(name), str) for name in ("guard", "action")):
        return False
    if kind == "energy" and not (record.get("package_joules") is None or _is_number(record["package_joules"])):
        return False
    return all(_is_number(record.get(name)) for name in _EVENT_NUMBERS.get(kind, ()))


def plan_flaw(content: Mapping[str, Any]) -> str | None:
    """Name the section of a plan that is none; None where all are."""
    return next((name for name in _PLAN_SECTIONS if not isinstance(content.get(name, {}), dict)), None)


def ledger_flaw(content: Mapping[str, Any]) -> str | None:
    """Name what keeps a ledger from being one; None where nothing does."""
    rows = content.get("rows")
    if not isinstance(rows, list):
        return "rows"
    for number, row in enumerate(rows):
        if not isinstance(row, dict):
            return f"rows[{number}]"
        for name in ("resource", "quantity"):
            if not isinstance(row.get(name), str):
                return f"rows[{number}].{name}"
        for name in ("predicted", "measured"):
            if not (row.get(name) is None or isinstance(row[name], str) or _is_number(row[name])):
                return f"rows[{number}].{name}"
    return None


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
