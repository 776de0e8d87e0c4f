"""How a number of the plan came about: steps that a reader can follow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

QuantityKind = Literal[
    "bytes",
    "bytes_per_second",
    "count",
    "flops_per_second",
    "joules",
    "kg_co2e",
    "litres",
    "number",
    "ratio",
    "seconds",
    "usd",
    "watts",
]
"""How a value is written for people."""


@dataclass(frozen=True, kw_only=True)
class Explanation:
    """One step.

    Attributes:
        id: of the message that names the formula and its inputs.
        quantity: the kind of the value.
        value: what comes out.
        arguments: of the message: the inputs, in SI units.
        source: of the formula or of the constant; an id in the catalogue or a publication.
    """

    id: str
    quantity: QuantityKind
    value: float
    arguments: Mapping[str, float | str] = field(default_factory=dict)
    source: str
