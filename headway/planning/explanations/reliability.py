"""How the numbers on failures came about."""

from __future__ import annotations

from typing import TYPE_CHECKING

from headway.planning.explanation import Explanation
from headway.planning.reliability.explain import explain
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan


def explain_reliability(recipe: Recipe, plan: Plan) -> tuple[Explanation, ...]:
    """Return the steps from the published failure rates to goodput and spares, and by chance; none where a CPU trains.

    Args:
        recipe: that was planned; all that counts of it stands in the plan.
        plan: made from it.
    """
    found = plan.reliability
    if found is None:
        return ()
    # NumPy takes a while to load, and nothing else of an explanation needs it.
    from headway.planning.reliability.chance import explain_chance

    return (*explain(found), *explain_chance(found, plan.hardware.nodes))
