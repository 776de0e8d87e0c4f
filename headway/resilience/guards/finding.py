"""What a guard says when it sees something."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from headway.errors import HeadwayError

Action = Literal["warn", "skip", "roll-back", "pause", "stop"]
"""Tell it; leave the step out; go back and pass over the data; save and end; end at once."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that a guard saw."""

    guard: str
    """Which guard: the message ``guard-<guard>`` tells it."""

    action: Action
    """What should be done."""

    arguments: Mapping[str, float | int | str] = field(default_factory=dict)
    """Of the message; the step is added to them."""

    error: HeadwayError | None = None
    """What a run that is stopped for it ends with."""

    first_bad_step: int | None = None
    """The first optimizer step, from 0, that is not to be trusted; None where that is the last one."""
