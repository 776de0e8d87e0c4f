"""Runs the checks, one after the other; a check that fails of itself is a finding, and never ends the others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from headway.errors import RunError
from headway.resilience.preflight import devices, host, meeting, software, storage
from headway.resilience.preflight.result import Check, Finding, Preflight
from headway.resilience.preflight.subject import Subject

Look = Callable[[Subject], Iterator[Finding]]

QUICK: dict[str, Look] = {
    "software": software.software,
    "devices": devices.devices,
    "memory": host.memory,
    "disk": storage.disk_space,
    "shared-memory": host.shared_memory,
    "limits": host.limits,
    "port": meeting.port,
    "clock": host.clock,
    "load": host.load,
}
"""Checks that only read: milliseconds."""

MEASURED: dict[str, Look] = {"disk-speed": storage.disk_speed, "self-test": devices.self_test}
"""Checks that work: seconds."""

CHECKS: dict[str, Look] = {**QUICK, **MEASURED}
"""By the name of the check, in the order in which they run."""


def preflight(
    subject: Subject,
    names: Sequence[str] = tuple(CHECKS),
    on_begin: Callable[[str, float], None] = lambda _name, _fraction: None,
) -> Preflight:
    """Look at everything that a run needs, before it starts.

    Args:
        subject: what is looked at.
        names: the checks.
        on_begin: told of each check when it begins, with the share that is done.

    Raises:
        RunError: there is no check of a name.
    """
    for name in names:
        if name not in CHECKS:
            raise RunError("preflight-check-unknown", name=name, known=", ".join(CHECKS))
    checks = []
    for number, name in enumerate(names):
        on_begin(name, number / len(names))
        started = time.perf_counter()
        findings = tuple(_look(CHECKS[name], subject))
        checks.append(Check(name=name, findings=findings, seconds=time.perf_counter() - started))
    return Preflight(checks=tuple(checks))


def _look(look: Look, subject: Subject) -> Iterator[Finding]:
    try:
        yield from look(subject)
    except OSError as error:
        # What cannot be read here is unknown; the other checks go on.
        reason = f"{type(error).__name__}: {error}"
        yield Finding(status="unknown", message_id="preflight-check-failed", arguments={"reason": reason})
