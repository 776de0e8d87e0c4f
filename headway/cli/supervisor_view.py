"""What a supervisor does, in a line each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from headway.i18n import current_translator

EVENTS = frozenset({"attempt-failed", "gave-up", "hang", "retrying"})
"""What a training's reader is told; that it starts and ends it says itself."""


def supervisor_line(record: Mapping[str, Any]) -> str:
    """Return the line that tells an event of the supervisor's."""
    text = current_translator().text
    details = {key: value for key, value in record.items() if isinstance(value, (str, int, float)) and key != "event"}
    if "cause" in details:
        details["cause"] = text(f"diagnosis-cause-{details['cause']}")
    return text(f"supervisor-{record['event']}", **details)
