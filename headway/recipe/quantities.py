"""Field types of the recipe: quantities written as people do, checked and turned into SI units."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from headway import units

MAX_COUNT = 10**18
"""No count in a recipe is larger, whatever it counts."""


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

# What plans reckon with has a limit of its own, far beyond all that was ever tried: 10^12 of width is a slip of the
# keyboard, and must end in an error, never in a number.

Width = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**7)]
"""Of a vector or a matrix. The widest published ones are below 10^5 (Llama 3.1 405B: 53,248)."""

Layers = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**5)]
"""The deepest published transformer has 2,500 sublayers. Source: Wang et al. 2022 (arXiv:2203.00555)."""

Heads = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**5)]
"""Published models have at most a few hundred."""

Vocabulary = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**8)]
"""Published ones are below 10^6."""

Experts = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**7)]
"""The most published are a million in a layer. Source: He 2024 (arXiv:2407.04153)."""

Positions = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**9)]
"""Tokens of a sequence; the longest that is claimed is of 10^8 (Magic, LTM-2-mini, 2024)."""

Sequences = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**9)]
"""Of a batch; published ones are below 10^5."""

Steps = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**10)]
"""Of an optimizer; published ones are below 10^7."""

Tokens = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**17)]
"""Of a run or a data set. All text that people have is of the order of 10^15.

Source: Villalobos et al. 2024 (arXiv:2211.04325), section 2."""

Devices = Annotated[int, _through(units.parse_count), Field(gt=0, le=10**7)]
"""Of a run, or a degree of its layout; the largest announced clusters are of the order of 10^6."""

Bytes = Annotated[int, _through(units.parse_bytes), Field(ge=0, le=MAX_COUNT)]
"""An amount of data: ``"80 GiB"``."""

Seconds = Annotated[float, _through(units.parse_seconds), Field(ge=0, le=1e12)]
"""A duration: ``"7d"``."""

Watts = Annotated[float, _through(units.parse_watts), Field(gt=0, le=1e12)]
"""A power: ``"700 W"``."""

Fraction = Annotated[float, Field(ge=0, le=1)]
"""A share from 0 to 1."""

FailureRate = Annotated[float, Field(gt=0, le=1e6, allow_inf_nan=False)]
"""Failures of 1,000 devices and a day. A thousand a day of each device is one every 86 seconds: no machine at all."""

Rate = Annotated[int, _through(units.parse_bytes), Field(gt=0, le=10**16)]
"""Bytes in a second; the fastest links and storage clusters known move below 10^14."""

Price = Annotated[float, Field(ge=0, le=1e6, allow_inf_nan=False)]
"""US dollars of a device hour or a kilowatt-hour, or kilograms of CO2e of one."""

PositiveFloat = Annotated[float, Field(gt=0, allow_inf_nan=False)]
"""A finite number above zero."""

NonNegativeFloat = Annotated[float, Field(ge=0, allow_inf_nan=False)]
"""A finite number of at least zero."""
