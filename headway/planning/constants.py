"""Constants of the catalogue that planning cannot do without."""

from __future__ import annotations

from headway import catalog
from headway.catalog import Quantity


def constant(name: str) -> float:
    """Return a constant that the catalogue states, in the unit that its entry names."""
    value = catalog.constants()[name].value
    assert value is not None, f"the catalogue states {name}"
    return value


def power_fact(name: str) -> float:
    """Return a fact about power in the unit that its entry names; the middle where the source states a range."""
    return _middle(catalog.power()[name])


def cooling_fact(name: str) -> float:
    """Return a cooling rule in the unit that its entry names; the middle where the source states a range."""
    return _middle(catalog.cooling()[name])


def _middle(quantity: Quantity) -> float:
    if quantity.value is not None:
        return quantity.value
    assert quantity.low is not None, f"{quantity.id} has a value or a range"
    assert quantity.high is not None, f"{quantity.id} has a value or a range"
    return (quantity.low + quantity.high) / 2
