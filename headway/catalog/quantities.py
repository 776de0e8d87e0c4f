"""Single numbers with a unit: cooling rules, power of parts, and constants that belong to no product."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, read_facts

COOLING_FILE = FACTS_FOLDER / "cooling.toml"
CONSTANTS_FILE = FACTS_FOLDER / "constants.toml"
POWER_FILE = FACTS_FOLDER / "power.toml"


@dataclass(frozen=True, kw_only=True)
class Quantity(Entry):
    """A number, a range, or both.

    Attributes:
        unit: of the value and of the range: ``W``, ``L/min per kW``, ``ratio``, ...
        value: the number, or None where the source states only a range.
        low: lower end of the range.
        high: upper end of the range.
    """

    unit: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


@cache
def cooling() -> Mapping[str, Quantity]:
    """Return the cooling rules and limits by id."""
    return read_facts(COOLING_FILE, Quantity)


@cache
def constants() -> Mapping[str, Quantity]:
    """Return the other constants by id: embodied carbon, memory reserves, times of detection and restart."""
    return read_facts(CONSTANTS_FILE, Quantity)


@cache
def power() -> Mapping[str, Quantity]:
    """Return the power of the parts of a cluster by id, and the shares of design power from idle to busy."""
    return read_facts(POWER_FILE, Quantity)
