"""What the drills of a recipe found."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

Status = Literal["passed", "failed", "impossible"]


@dataclass(frozen=True, kw_only=True)
class Reason:
    """Why something is as it is: a message id and its arguments."""

    message_id: str
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Result:
    """What one fault did to a run.

    Attributes:
        fault: its name.
        status: ``passed`` where all that is promised held, ``impossible`` where this machine or recipe does not permit
            the fault, which is then no proof of anything.
        detected_seconds: from the fault until the run noticed; None where it need not, or did not.
        recovered_seconds: from the fault to the first step beyond those done before; None where there was none.
        repeated_steps: that were done again.
        is_identical: whether the last weights and optimizer state are those of the clean run, byte for byte.
        reasons: why a promise was not kept, why the weights differ, or why the fault is not possible here.
        seconds: that the drill took.
    """

    fault: str
    status: Status
    detected_seconds: float | None = None
    recovered_seconds: float | None = None
    repeated_steps: int | None = None
    is_identical: bool | None = None
    reasons: tuple[Reason, ...] = ()
    seconds: float = 0.0


@dataclass(frozen=True, kw_only=True)
class Drill:
    """The drills of one recipe.

    Attributes:
        recipe: its name.
        folder: that holds the runs.
        steps: of each run.
        clean_seconds: that the run without a fault took.
        results: by fault.
    """

    recipe: str
    folder: str
    steps: int
    clean_seconds: float
    results: tuple[Result, ...]

    @property
    def passed(self) -> bool:
        """Whether no promise was broken; what was not possible here proves nothing either way."""
        return all(result.status != "failed" for result in self.results)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        return {"passed": self.passed, **asdict(self)}
