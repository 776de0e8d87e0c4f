"""Which of several plans of one training no other is both as fast and as cheap as."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from headway.planning.plan import Plan


def unbeaten(plans: Sequence[Plan | None]) -> frozenset[int]:
    """Return the indices of the plans that can run, end and have a price, and that nothing beats in time and money.

    Args:
        plans: of one training on other devices, or on other numbers of them; None for those that could not be made.
    """
    known = {
        index: (plan.time.total_seconds, plan.cost.total_usd)
        for index, plan in enumerate(plans)
        if plan is not None
        and plan.is_feasible
        and plan.time.total_seconds is not None
        and plan.cost.total_usd is not None
    }
    return frozenset(
        index
        for index, (seconds, usd) in known.items()
        if not any(other[0] <= seconds and other[1] <= usd and other != (seconds, usd) for other in known.values())
    )
