"""How a drill asks a worker for a fault: an environment variable, off unless it is set.

    HEADWAY_REHEARSAL=nan:10:0          the fault "nan" after step 10, in rank 0
    HEADWAY_REHEARSAL=quota:10:0:4096   with an argument

The worker does it once in the life of a run (`headway.training.rehearsing`), and says so in the event `rehearsal`. At
``gate`` it only waits, so that what is done to it from outside is done at a known step.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Self, cast, get_args

from headway.errors import TrainingError

REHEARSAL = "HEADWAY_REHEARSAL"
"""Environment variable: the order, as `Order.to_text` writes it."""

EVENT = "rehearsal"
"""The event that a worker writes when it does what it was asked for."""

Deed = Literal["gate", "nan", "spike", "flip", "slow", "cut", "memory", "quota", "slow-disk", "clock"]
"""What a worker can be asked for."""


@dataclass(frozen=True, kw_only=True)
class Order:
    """What a worker is asked for.

    Attributes:
        deed: what.
        step: optimizer steps that are done then.
        rank: which process does it.
        amount: of it: bytes for ``quota``, milliseconds for ``slow-disk``, seconds for ``clock``; unused otherwise.
    """

    deed: Deed
    step: int
    rank: int = 0
    amount: int = 0

    def to_text(self) -> str:
        """Return the value of the variable."""
        return f"{self.deed}:{self.step}:{self.rank}:{self.amount}"

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Self | None:
        """Read the variable; None where it is not set.

        Raises:
            TrainingError: it is set to something else.
        """
        text = environment.get(REHEARSAL)
        if not text:
            return None
        deed, *numbers = text.split(":")
        if deed not in get_args(Deed) or not 1 <= len(numbers) <= 3 or not all(one.isdecimal() for one in numbers):
            raise TrainingError("training-rehearsal", value=text, variable=REHEARSAL)
        step, rank, amount = (int(one) for one in [*numbers, "0", "0"][:3])
        return cls(deed=cast(Deed, deed), step=step, rank=rank, amount=amount)


def reached_mark(run: Path) -> Path:
    """Return the file that a worker makes when it does what it was asked for; it is done once."""
    return run / ".rehearsal-reached"


def go_mark(run: Path) -> Path:
    """Return the file that a worker waits for at a gate."""
    return run / ".rehearsal-go"
