"""Electricity grids: carbon and water for each kilowatt hour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Literal

from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, find, read_facts

FILE = FACTS_FOLDER / "grids.toml"


@dataclass(frozen=True, kw_only=True)
class Grid(Entry):
    """The average electricity of a country, of the place of a cloud region, or of the world.

    Attributes:
        name: as people call it.
        scope: what the average is over.
        carbon_kg_co2e_per_kilowatt_hour: emissions.
        second_carbon_kg_co2e_per_kilowatt_hour: the same from a second source, to show how far sources differ.
        water_litres_per_kilowatt_hour: water that the generation consumes; not the water of the site.
        year: the year that the average is of.
    """

    name: str
    scope: Literal["country", "cloud-region", "world"]
    carbon_kg_co2e_per_kilowatt_hour: float
    second_carbon_kg_co2e_per_kilowatt_hour: float | None = None
    water_litres_per_kilowatt_hour: float | None = None
    year: int | None = None


@cache
def entries() -> Mapping[str, Grid]:
    """Return all grids by id."""
    return read_facts(FILE, Grid)


def grid(name: str) -> Grid:
    """Return a grid by id or alias: ``germany``, ``DEU``, ``gcp-us-central1``, ``world``.

    Raises:
        CatalogError: the catalogue does not know the name.
    """
    return find("grid", name, entries())
