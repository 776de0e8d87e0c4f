"""Field types of the recipe: quantities written as people do, checked and turned into SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from headway import units

MAX_COUNT = 10**18
"""No count in a recipe is larger; 10^30 parameters is a slip of the keyboard, not a model."""


def _through(parse: Callable[[Any], Any]) -> BeforeValidator:
    def validate(value: Any) -> Any:
        if not isinstance(value, (str, int, float)):
            raise ValueError(f"{value!r} is not a quantity")
        return parse(value)

    return BeforeValidator(validate)


Count = Annotated[int, _through(units.parse_count), Field(ge=0, le=MAX_COUNT)]
"""A count that may be zero: ``"15.6T"`` or 1000."""

PositiveCount = Annotated[int, _through(units.parse_count), Field(gt=0, le=MAX_COUNT)]
"""A count of at least one."""

Bytes = Annotated[int, _through(units.parse_bytes), Field(ge=0, le=MAX_COUNT)]
"""An amount of data: ``"80 GiB"``."""

Seconds = Annotated[float, _through(units.parse_seconds), Field(ge=0, le=1e12)]
"""A duration: ``"7d"``."""

Watts = Annotated[float, _through(units.parse_watts), Field(gt=0, le=1e12)]
"""A power: ``"700 W"``."""

Fraction = Annotated[float, Field(ge=0, le=1)]
"""A share from 0 to 1."""

PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A finite number above zero."""

NonNegativeFloat = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A finite number of at least zero."""
