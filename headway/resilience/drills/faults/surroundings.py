"""Memory, network and clock of a worker."""

from __future__ import annotations

from typing import final

from headway.resilience.drills.fault import DOWN, Grounds, InnerFault

CLOCK_JUMP_SECONDS = 3600


@final
class ExhaustedMemory(InnerFault):
    """The worker may have no more address space, and asks for more; a person has to change the recipe."""

    name = "exhausted-memory"
    deed = "memory"
    is_mended_by_hand = True
    signs = DOWN


@final
class NetworkCut(InnerFault):
    """All connections of one rank to the others break off."""

    name = "network-cut"
    deed = "cut"
    needs_many = True


@final
class ClockJump(InnerFault):
    """The worker's clock is an hour ahead from one step to the next; nothing may go by it."""

    name = "clock-jump"
    deed = "clock"
    signs = frozenset()

    def amount(self, grounds: Grounds) -> int:
        """Return the seconds."""
        return CLOCK_JUMP_SECONDS
