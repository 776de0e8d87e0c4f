"""Runs side by side: how their recipes differ, and what each took."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from headway.runs.folder import RunFolder


def compare_runs(runs: Sequence[RunFolder]) -> dict[str, Any]:
    """Lay runs side by side.

    Returns:
        ``runs``, their names, and ``rows``, each with a ``name`` and a value for each run (None where a run has none):
        the settings of the recipes that differ, then the last loss, then everything measured in the ledgers.
    """
    settings = [_flatten(run.recipe().to_dict()) for run in runs]
    rows = [
        {"name": name, "values": [setting.get(name) for setting in settings]}
        for name in sorted({name for setting in settings for name in setting})
        if name != "name" and len({repr(setting.get(name)) for setting in settings}) > 1
    ]
    last: list[dict[str, Any]] = [(run.metrics() or [{}])[-1] for run in runs]
    rows.extend({"name": name, "values": [record.get(name) for record in last]} for name in ("step", "loss"))
    ledgers = [{row["quantity"]: row.get("measured") for row in (run.ledger() or {"rows": []})["rows"]} for run in runs]
    quantities = dict.fromkeys(quantity for ledger in ledgers for quantity in ledger)
    rows.extend({"name": name, "values": [ledger.get(name) for ledger in ledgers]} for name in quantities)
    return {"runs": [run.name for run in runs], "rows": rows}


def _flatten(content: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, value in content.items():
        if isinstance(value, Mapping):
            flat.update(_flatten(value, f"{prefix}{name}."))
        else:
            flat[prefix + name] = value
    return flat
