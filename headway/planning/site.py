"""Everything that follows from where a run stands and how long it takes: power, energy, cooling, carbon, cost."""

from __future__ import annotations

from dataclasses import dataclass

from headway.catalog import Accelerator
from headway.machine import Machine
from headway.planning.carbon import Carbon, Water, plan_carbon, plan_water
from headway.planning.cooling import Cooling, plan_cooling
from headway.planning.cost import Cost, plan_cost
from headway.planning.energy import Energy, plan_energy
from headway.planning.power import Power, busy_share, plan_power
from headway.planning.time import Time
from headway.recipe import Recipe


@dataclass(frozen=True, kw_only=True)
class Site:
    """What the site must provide, and what that costs."""

    power: Power
    energy: Energy
    cooling: Cooling
    carbon: Carbon
    water: Water
    cost: Cost


def plan_site(recipe: Recipe, *, entry: Accelerator | None, machine: Machine | None, time: Time, per_node: int) -> Site:
    """Return what the site must provide.

    Args:
        recipe: its sections ``[site]`` and ``[hardware]``, and the tokens.
        entry: the accelerator; None for a CPU.
        machine: the server, whose processors the catalogue may know.
        time: of the run; without its length only power and cooling are known.
        per_node: devices of one server.

    Raises:
        CatalogError: the catalogue does not know the grid.
        PlanError: a series of prices or intensities cannot be read.
    """
    site, devices, seconds = recipe.site, recipe.hardware.devices, time.total_seconds
    spares = recipe.resilience.held_spare_nodes
    # Spare servers wait, but are held all the same.
    held = devices + spares * per_node
    power = plan_power(
        site,
        entry=entry,
        machine=machine,
        devices=devices,
        per_node=per_node,
        busy=busy_share(time),
        spare_nodes=spares,
    )
    energy = plan_energy(
        power,
        devices=devices,
        seconds=seconds,
        tokens=recipe.num_tokens,
        time_spread=time.total_spread,
    )
    return Site(
        power=power,
        energy=energy,
        cooling=plan_cooling(site, power),
        carbon=plan_carbon(site, energy, entry=entry, devices=held, seconds=seconds, time_spread=time.total_spread),
        water=plan_water(site, energy),
        cost=plan_cost(
            site,
            entry,
            devices=held,
            nodes=-(-devices // per_node) + spares,
            seconds=seconds,
            power=power,
            energy=energy,
            time_spread=time.total_spread,
        ),
    )
