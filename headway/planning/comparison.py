"""One training planned on several accelerators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from headway.errors import HeadwayError
from headway.planning.unbeaten import unbeaten
from headway.planning.variation import own_accelerator, with_accelerator
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

MakePlan = Callable[[Recipe], "Plan"]
"""Plans a recipe; the caller knows whether a machine must be probed for it."""


@dataclass(frozen=True, kw_only=True)
class Compared:
    """The training on one accelerator.

    Attributes:
        accelerator: as it was asked for.
        plan: what it takes; None where it cannot be planned.
        error: why not; None where it can.
        is_on_front: whether no other accelerator is both as fast and as cheap.
    """

    accelerator: str
    plan: Plan | None = None
    error: HeadwayError | None = None
    is_on_front: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values."""
        content: dict[str, Any] = {"accelerator": self.accelerator}
        if self.plan is not None:
            content |= {"is_on_front": self.is_on_front, "plan": self.plan.to_dict()}
        return {**content, **(self.error.to_dict() if self.error is not None else {})}


def compare(recipe: Recipe, accelerators: Sequence[str], make_plan: MakePlan) -> tuple[Compared, ...]:
    """Plan a recipe on each accelerator, once; one that cannot be planned does not keep the others from it.

    Args:
        recipe: the resolved recipe.
        accelerators: ids or aliases in the catalogue, or ``cpu``.
        make_plan: plans a recipe.

    Raises:
        CatalogError: the catalogue does not know a name.
    """
    recipes: dict[str, tuple[str, Recipe]] = {}
    for name in accelerators:
        one = with_accelerator(recipe, name)
        # Two names of one accelerator are one.
        recipes.setdefault(own_accelerator(one), (name, one))
    planned = [_planned(name, one, make_plan) for name, one in recipes.values()]
    front = unbeaten([one.plan for one in planned])
    return tuple(replace(one, is_on_front=index in front) for index, one in enumerate(planned))


def _planned(name: str, recipe: Recipe, make_plan: MakePlan) -> Compared:
    try:
        return Compared(accelerator=name, plan=make_plan(recipe))
    except HeadwayError as error:
        return Compared(accelerator=name, error=error)
