"""Constants of the catalogue that planning cannot do without."""

from __future__ import annotations

from headway import catalog


def constant(name: str) -> float:
    """Return a constant that the catalogue states, in the unit that its entry names."""
    value = catalog.constants()[name].value
    assert value is not None, f"the catalogue states {name}"
    return value
