"""What a plan has to say beside numbers: message ids with plain arguments."""

from __future__ import annotations

from dataclasses import dataclass, field

Argument = str | int | float | bool


@dataclass(frozen=True, kw_only=True)
class Message:
    """One warning, obstacle or advice.

    Attributes:
        id: of the message in ``plan.ftl``.
        arguments: the values that it names.
        phase: of a training in phases, that it is about; None where it is about the recipe itself, or all phases.
    """

    id: str
    arguments: dict[str, Argument] = field(default_factory=dict)
    phase: str | None = None
