"""What the layouts that nothing beats take: time, memory, energy and money, beside each other.

Source: `power`, `energy` and `cost`, as for the plan itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from headway import units
from headway.catalog import Accelerator
from headway.planning.choice import Choice, FrontPoint, Layout
from headway.planning.cost import Cost, plan_cost
from headway.planning.energy import Energy, plan_energy
from headway.planning.power import plan_power
from headway.planning.time import Time
from headway.recipe import Recipe

if TYPE_CHECKING:
    from headway.planning.analytic.pareto import Charges


@dataclass(frozen=True, kw_only=True)
class Trade:
    """One layout of the front, or the plan's own, and what the run takes with it.

    Attributes:
        layout: how the work is split.
        precision: of the products.
        step_seconds: of one step.
        device_peak_bytes: of one device.
        headroom_share: of the device's memory, that is left free; None where its capacity is not known.
        total_seconds: of the run.
        facility_joules: of the run; None where no power is known.
        total_usd: of the run; None where a price is not known.
        is_on_front: whether no other is as good in time, memory and cost at once.
        is_chosen: whether it is the plan's.
    """

    layout: Layout
    precision: str
    step_seconds: float
    device_peak_bytes: float
    headroom_share: float | None
    total_seconds: float
    facility_joules: float | None
    total_usd: float | None
    is_on_front: bool
    is_chosen: bool


def charges_of(recipe: Recipe, entry: Accelerator, per_node: int) -> Charges:
    """Return what a second costs while devices wait, and what more while they compute.

    It is money where the price of electricity is known apart, and else energy, which somebody pays all the same. Where
    neither is known, or one price holds for all, cost follows the time.
    """
    from headway.planning.analytic.pareto import Charges

    idle, busy = (_running(recipe, entry, per_node, seconds=units.SECONDS_PER_HOUR, busy=share) for share in (0.0, 1.0))
    usd, joules = (idle[1].known_usd, busy[1].known_usd), (idle[0].facility_joules, busy[0].facility_joules)
    axes: tuple[tuple[Literal["usd", "joules"], float | None, float | None], ...] = (("usd", *usd), ("joules", *joules))
    for axis, waiting, computing in axes:
        if waiting is not None and computing is not None and computing > waiting:
            return Charges(second=waiting, computing_second=computing - waiting, axis=axis)
    return Charges()


def _running(recipe: Recipe, entry: Accelerator, per_node: int, *, seconds: float, busy: float) -> tuple[Energy, Cost]:
    """Return energy and cost of so many seconds, of which the devices compute a share."""
    devices, spares, site = recipe.hardware.devices, recipe.resilience.held_spare_nodes, recipe.site
    power = plan_power(
        site, entry=entry, machine=None, devices=devices, per_node=per_node, busy=busy, spare_nodes=spares
    )
    energy = plan_energy(power, devices=devices, seconds=seconds, tokens=recipe.num_tokens)
    cost = plan_cost(
        site,
        entry,
        devices=devices + spares * per_node,
        nodes=-(-devices // per_node) + spares,
        seconds=seconds,
        power=power,
        energy=energy,
    )
    return energy, cost


def trades(recipe: Recipe, chosen: Choice, time: Time) -> tuple[Trade, ...]:
    """Return what the run takes with the layouts of the front; nothing where it never ends.

    Args:
        recipe: that is planned.
        chosen: the layout that is used, and the front.
        time: of the run with it.

    Leaves out: that a run of another length is interrupted more or less often, and saved more or less often.
    """
    if time.total_seconds is None or chosen.entry is None:
        return ()
    return tuple(_trade(recipe, chosen, chosen.entry, time, time.total_seconds, point) for point in chosen.front)


def _trade(
    recipe: Recipe, chosen: Choice, entry: Accelerator, time: Time, total_seconds: float, point: FrontPoint
) -> Trade:
    seconds = total_seconds * point.step_seconds / chosen.step_seconds
    busy = point.computing_seconds / point.step_seconds * time.training_seconds / total_seconds
    energy, cost = _running(recipe, entry, chosen.devices_per_node, seconds=seconds, busy=busy)
    capacity = chosen.memory.device_capacity_bytes
    return Trade(
        layout=point.layout,
        precision=point.precision,
        step_seconds=point.step_seconds,
        device_peak_bytes=point.device_peak_bytes,
        headroom_share=None if capacity is None else 1 - point.device_peak_bytes / capacity,
        total_seconds=seconds,
        facility_joules=energy.facility_joules,
        total_usd=cost.total_usd,
        is_on_front=point.is_on_front,
        is_chosen=(point.layout, point.precision) == (chosen.layout, chosen.precision),
    )
