"""What renting one accelerator for an hour costs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from headway.catalog.accelerators import accelerator
from headway.catalog.schema import Entry
from headway.catalog.store import FACTS_FOLDER, read_facts

FILE = FACTS_FOLDER / "prices.toml"


@dataclass(frozen=True, kw_only=True)
class Price(Entry):
    """One price of one provider at one time; every amount is for one device.

    Attributes:
        accelerator: id of the accelerator in this catalogue.
        provider: who rents it out, or "market range" where a survey of several providers is quoted.
        region: where, as the provider names it.
        instance: the product, and how the price of one device follows from its price.
        usd_per_device_hour: price on demand.
        spot_usd_per_device_hour: price that may be withdrawn at any time.
        low_usd_per_device_hour: lowest price of a surveyed range.
        high_usd_per_device_hour: highest price of a surveyed range.
        as_of: when the price held, as far as the source says.
    """

    accelerator: str
    provider: str
    region: str | None = None
    instance: str | None = None
    usd_per_device_hour: float
    spot_usd_per_device_hour: float | None = None
    low_usd_per_device_hour: float | None = None
    high_usd_per_device_hour: float | None = None
    as_of: str


@cache
def entries() -> Mapping[str, Price]:
    """Return all prices by id."""
    return read_facts(FILE, Price)


def price(accelerator_name: str) -> tuple[Price, ...]:
    """Return every known price of an accelerator, in the order of the file; empty where none is known.

    Raises:
        CatalogError: the catalogue does not know the accelerator.
    """
    wanted = accelerator(accelerator_name).id
    return tuple(entry for entry in entries().values() if entry.accelerator == wanted)
