"""What a preflight found: one entry for each thing that was looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["passed", "warning", "failed", "unknown"]

WORST_FIRST: tuple[Status, ...] = ("failed", "warning", "unknown", "passed")


@dataclass(frozen=True, kw_only=True)
class Finding:
    """What one look found.

    Attributes:
        status: ``failed`` where the run would fail or go wrong, ``warning`` where it may or would be slow,
            ``unknown`` where it cannot be told here.
        message_id: says what was found; its ``.next`` says what to do.
        arguments: of that message; names end with their units.
    """

    status: Status
    message_id: str
    arguments: dict[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Check:
    """One thing that was looked at.

    Attributes:
        name: id of the check; its title is the message ``preflight-check-<name>``.
        findings: at least one.
        seconds: how long looking took.
    """

    name: str
    findings: tuple[Finding, ...]
    seconds: float

    @property
    def status(self) -> Status:
        """The worst of its findings."""
        return min((finding.status for finding in self.findings), key=WORST_FIRST.index)


@dataclass(frozen=True, kw_only=True)
class Preflight:
    """All that was looked at before a run."""

    checks: tuple[Check, ...]

    @property
    def passed(self) -> bool:
        """Whether nothing was found that the run would fail of."""
        return all(check.status != "failed" for check in self.checks)

    @property
    def seconds(self) -> float:
        """How long it took."""
        return sum(check.seconds for check in self.checks)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        checks = [{"status": check.status, **asdict(check)} for check in self.checks]
        return {"passed": self.passed, "seconds": self.seconds, "checks": checks}
