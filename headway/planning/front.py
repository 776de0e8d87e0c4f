"""Time, memory and cost of all layouts: the cloud, and the front that nothing beats in all of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from headway.planning.device import CPU
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.plan import Plan

MAX_CLOUD = 400
"""So many layouts show the shape of the cloud; those on the front come besides."""


@dataclass(frozen=True, kw_only=True)
class LayoutPoint:
    """One layout that fits.

    Attributes:
        step_seconds: of one step.
        device_peak_bytes: of one device.
        is_on_front: whether no other layout is as fast, as lean and as cheap at once.
        is_chosen: whether it is the plan's.
        relative_cost: over that of the plan's layout, in what the front measures cost in.
    """

    step_seconds: float
    device_peak_bytes: float
    relative_cost: float | None = None
    is_on_front: bool = False
    is_chosen: bool = False


def layout_points(recipe: Recipe, plan: Plan) -> tuple[LayoutPoint, ...]:
    """Return layouts that fit, fastest first: the plan's own, all of the front, and some of the others.

    Args:
        recipe: that was planned.
        plan: made from it.
    """
    found = _of_alternatives(plan) if plan.hardware.accelerator == CPU else _of_all(recipe, plan)
    return tuple(sorted(found, key=lambda point: (point.step_seconds, point.device_peak_bytes)))


def _of_alternatives(plan: Plan) -> list[LayoutPoint]:
    own = LayoutPoint(
        step_seconds=plan.time.step_seconds, device_peak_bytes=plan.memory.device_peak_bytes, is_chosen=True
    )
    others = [
        LayoutPoint(step_seconds=one.step_seconds, device_peak_bytes=one.device_peak_bytes, is_on_front=one.is_on_front)
        for one in plan.alternatives
        if one.fits
    ]
    return [own, *others]


def _of_all(recipe: Recipe, plan: Plan) -> list[LayoutPoint]:
    import numpy as np

    from headway.planning.accelerated import hardware_of, job_of, wishes_of
    from headway.planning.analytic.search import search
    from headway.planning.trades import charges_of

    machines = hardware_of(recipe, plan.hardware.accelerator)
    charges = charges_of(recipe, machines.entry, machines.devices_per_node)
    found = search(job_of(recipe), machines, wishes_of(recipe), charges=charges)
    if found is None or not found.fits:
        return _of_alternatives(plan)
    fitting = np.flatnonzero(np.isfinite(found.seconds))
    ordered = fitting[np.argsort(found.seconds[fitting], kind="stable")]
    picked = ordered[:: max(1, len(ordered) // MAX_CLOUD)]
    front = set(found.front)
    costs = charges.of(found.seconds, found.computing_seconds) / charges.of(
        found.seconds[found.best], found.computing_seconds[found.best]
    )
    return [
        LayoutPoint(
            step_seconds=float(found.seconds[index]),
            device_peak_bytes=float(found.peak_bytes[index]),
            relative_cost=float(costs[index]),
            is_on_front=index in front,
            is_chosen=index == found.best,
        )
        for index in {*map(int, picked), *front, found.best}
    ]
