"""The guard of silent corruption: a device that computes wrong, or memory that changes by itself.

A step that is done twice from the same state must give the same bits, and processes that hold copies of the same
weights must hold the same. Source: Dixit et al. 2021 (arXiv:2102.11245) for processors that compute wrong without a
word; Dubey et al. 2024 (arXiv:2407.21783), table 5: 6 of 419 unexpected interruptions were such.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Literal, final

from headway.errors import TrainingError
from headway.resilience.guards.finding import Finding

GUARD = "corruption"
UNKNOWN_RANK = -1


@final
class Corruption:
    """Acts on steps and copies that differ.

    Args:
        action: what to do.
        every_steps: steps between two looks; None looks never.
    """

    def __init__(self, action: Literal["off", "warn", "stop"], *, every_steps: int | None) -> None:
        self._action = action
        self._every_steps = every_steps

    def is_due(self, step: int) -> bool:
        """Say whether a step is to be done twice."""
        return self._action != "off" and self._every_steps is not None and step % self._every_steps == 0

    def take(self, step: int, *, wrong_ranks: Sequence[int], digests: Sequence[int]) -> Finding | None:
        """Take in how a step went.

        Args:
            step: optimizer steps done.
            wrong_ranks: processes in which doing it twice did not give the same.
            digests: of the copies that processes hold, by rank; none where they hold parts.
        """
        if self._action == "off" or (not wrong_ranks and len(set(digests)) <= 1):
            return None
        what = "replay" if wrong_ranks else "copies"
        # One that computed wrong has spoilt the others' sums too; where several did, the copies may tell the first.
        rank = wrong_ranks[0] if len(wrong_ranks) == 1 else odd_one(digests)
        return Finding(
            guard=GUARD,
            action=self._action,
            arguments={"what": what, "rank": rank},
            error=TrainingError("training-corruption", step=step, what=what, rank=rank),
        )


def odd_one(digests: Sequence[int]) -> int:
    """Return the rank whose digest most of the others do not share; `UNKNOWN_RANK` where no majority tells."""
    if len(set(digests)) < 2:
        return UNKNOWN_RANK
    (common, count), *_ = Counter(digests).most_common()
    if 2 * count <= len(digests):
        return UNKNOWN_RANK
    return next(rank for rank, digest in enumerate(digests) if digest != common)
