"""Versions: what the plan was made for, what is installed, and whether the two sides of a driver fit."""

from __future__ import annotations

from collections.abc import Iterator

from headway.resilience.preflight.result import Finding
from headway.resilience.preflight.subject import Subject


def software(subject: Subject) -> Iterator[Finding]:
    """Compare the framework that is installed with the one that was planned."""
    engine = subject.recipe.training.engine
    installed = subject.inventory.software.frameworks.get(engine)
    if installed is None:
        yield Finding(status="failed", message_id="preflight-engine-missing", arguments={"engine": engine})
        return
    planned = str((subject.plan.get("software") or {}).get("engine_version") or "")
    # A local part, as of "2.13.0+cpu", says how it was built and not what it is.
    wanted = planned.removeprefix(engine).strip().partition("+")[0]
    if wanted and wanted != installed.partition("+")[0]:
        yield Finding(
            status="warning",
            message_id="preflight-engine-version",
            arguments={"engine": engine, "planned": wanted, "installed": installed},
        )
        return
    yield Finding(status="passed", message_id="preflight-engine", arguments={"engine": engine, "installed": installed})
