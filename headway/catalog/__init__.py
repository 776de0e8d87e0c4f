"""Facts about hardware, models, grids, prices, cooling and failures, each with unit, basis, source and date.

The facts are TOML files beside this module: ``facts/*.toml`` holds one table for each entry, ``models/*.toml`` one
file for each preset. A file is read when it is first asked for. A number that nobody knows is None.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from headway.catalog import (
    accelerators,
    cpus,
    efficiencies,
    grids,
    models,
    networks,
    prices,
    programs,
    reliability,
    trainings,
)
from headway.catalog.accelerators import Accelerator, accelerator
from headway.catalog.cpus import Cpu, cpu
from headway.catalog.efficiencies import Efficiency, efficiency_of
from headway.catalog.grids import Grid, grid
from headway.catalog.models import ModelPreset, RopeScaling, model_preset
from headway.catalog.networks import Network, network
from headway.catalog.prices import Price, price
from headway.catalog.programs import Program, program
from headway.catalog.quantities import Quantity, constants, cooling, power
from headway.catalog.reliability import Failure, failures
from headway.catalog.schema import Entry, plain
from headway.catalog.store import find, unknown_name

__all__ = [
    "KINDS",
    "Accelerator",
    "Cpu",
    "Efficiency",
    "Entry",
    "Failure",
    "Grid",
    "ModelPreset",
    "Network",
    "Price",
    "Program",
    "Quantity",
    "RopeScaling",
    "accelerator",
    "constants",
    "cooling",
    "cpu",
    "describe",
    "efficiency_of",
    "failures",
    "grid",
    "model_preset",
    "names",
    "network",
    "power",
    "price",
    "program",
]

_ENTRIES: dict[str, Callable[[], Mapping[str, Entry]]] = {
    "accelerator": accelerators.entries,
    "cpu": cpus.entries,
    "efficiency": efficiencies.entries,
    "network": networks.entries,
    "grid": grids.entries,
    "price": prices.entries,
    "cooling": cooling,
    "power": power,
    "constant": constants,
    "failure": reliability.entries,
    "training": trainings.entries,
    "program": programs.entries,
    "model": models.entries,
}
KINDS = tuple(_ENTRIES)
"""What the catalogue knows about."""

_ABOUT = ("id", "aliases", "basis", "source", "read_on", "note")


def names(kind: str) -> tuple[str, ...]:
    """Return the ids of all entries of a kind.

    Args:
        kind: one of `KINDS`.

    Raises:
        CatalogError: there is no such kind.
    """
    return models.ids() if kind == "model" else tuple(_entries(kind))


def describe(kind: str, name: str) -> dict[str, Any]:
    """Return everything known about one entry, with where it was read, as plain JSON values.

    Args:
        kind: one of `KINDS`.
        name: id or alias.

    Returns:
        ``kind``, ``id``, ``aliases``, ``basis``, ``source``, ``read_on`` (ISO date), ``note`` (or None), and ``facts``:
        the known facts by field name, unknown ones left out.

    Raises:
        CatalogError: there is no such kind or name.
    """
    entry = model_preset(name) if kind == "model" else find(kind, name, _entries(kind))
    known = plain(entry)
    about = {key: known.get(key) for key in _ABOUT}
    facts = {key: value for key, value in known.items() if key not in _ABOUT}
    return {"kind": kind, **about, "aliases": list(entry.aliases), "facts": facts}


def _entries(kind: str) -> Mapping[str, Entry]:
    if kind not in _ENTRIES:
        raise unknown_name("kind", kind, KINDS)
    return _ENTRIES[kind]()
