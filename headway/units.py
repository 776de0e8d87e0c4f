"""Units: the only place where quantities are parsed and converted.

Inside Headway every quantity is in plain SI units (bytes, seconds, watts, joules, hertz, kelvin differences)
and its name ends with the unit. GB (10^9 bytes) and GiB (2^30 bytes) are different units here, always.
Source: BIPM, The International System of Units, 9th edition (2019), tables 7 and 8; IEC 80000-13 for binary prefixes.
"""

from __future__ import annotations

import re
from decimal import Decimal

KIB = 2**10
MIB = 2**20
GIB = 2**30
TIB = 2**40
GIGA = 1e9
TERA = 1e12

SECONDS_PER_MINUTE = 60.0
SECONDS_PER_HOUR = 3600.0
SECONDS_PER_DAY = 86400.0
JOULES_PER_KILOWATT_HOUR = 3.6e6

_COUNT_FACTORS = {"": 1.0, "k": 1e3, "m": 1e6, "b": 1e9, "g": 1e9, "t": 1e12, "p": 1e15, "e": 1e18}
_BYTE_FACTORS = {
    "b": 1.0, "": 1.0,
    "kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "pb": 1e15, "eb": 1e18,
    "kib": 2.0**10, "mib": 2.0**20, "gib": 2.0**30, "tib": 2.0**40, "pib": 2.0**50, "eib": 2.0**60,
}  # fmt: skip
_DURATION_FACTORS = {
    "ms": 1e-3, "": 1.0, "s": 1.0, "sec": 1.0, "second": 1.0, "seconds": 1.0,
    "m": 60.0, "min": 60.0, "minute": 60.0, "minutes": 60.0,
    "h": 3600.0, "hour": 3600.0, "hours": 3600.0,
    "d": 86400.0, "day": 86400.0, "days": 86400.0,
    "w": 604800.0, "week": 604800.0, "weeks": 604800.0,
    "y": 31557600.0, "year": 31557600.0, "years": 31557600.0,
}  # fmt: skip
_POWER_FACTORS = {"": 1.0, "w": 1.0, "kw": 1e3, "mw": 1e6, "gw": 1e9}

_QUANTITY = re.compile(r"\s*([+-]?(?:\d+(?:_\d+)*\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?)\s*([A-Za-z]*)\s*", re.ASCII)
_MAX_TEXT_LENGTH = 64
_LARGEST = Decimal(10) ** 300
"""Near the end of the floating-point range; Python's own integers have no end."""


def _parse(text: str | int | float, factors: dict[str, float], kind: str) -> Decimal:
    """Parse exactly: in binary, 0.3 of a trillion is not a whole number."""
    if isinstance(text, bool):
        raise ValueError(f"{text!r} is not a {kind}")
    if isinstance(text, (int, float)):
        value = Decimal(text)
    else:
        matched = _QUANTITY.fullmatch(text) if len(text) <= _MAX_TEXT_LENGTH else None
        if matched is None or matched[2].lower() not in factors:
            raise ValueError(f"{text[:_MAX_TEXT_LENGTH]!r} is not a {kind}")
        value = Decimal(matched[1].replace("_", "")) * _exact(factors[matched[2].lower()])
    if not value.is_finite() or abs(value) > _LARGEST:
        raise ValueError(f"the {kind} is not finite, or larger than any that is meant")
    return value


def _exact(factor: float) -> Decimal:
    # Factors from one upward are whole numbers that binary holds exactly; a thousandth is not.
    return Decimal(factor) if factor >= 1 else Decimal(str(factor))


def parse_count(text: str | int | float) -> int:
    """Parse a count as people write it: ``15.6T``, ``2_000``, ``300M``, ``1e9``.

    Args:
        text: a number, or digits with a suffix K, M, B (or G), T, P, E (powers of 1,000; case does not matter).

    Returns:
        The count, exactly.

    Raises:
        ValueError: the text is not a count, or not a whole one: half a token is none.
    """
    value = _parse(text, _COUNT_FACTORS, "count")
    whole = round(value)
    if value != whole:
        raise ValueError(f"{text!r} is not a whole count")
    return whole


def parse_bytes(text: str | int | float) -> int:
    """Parse an amount of data: ``80 GiB``, ``1.5TB``, ``1024`` (bytes).

    Args:
        text: a number of bytes, or a number with a decimal (kB ... EB) or binary (KiB ... EiB) unit.

    Returns:
        Bytes, rounded to the nearest whole byte.

    Raises:
        ValueError: the text is not an amount of data.
    """
    return round(_parse(text, _BYTE_FACTORS, "size in bytes"))


def parse_seconds(text: str | int | float) -> float:
    """Parse a duration: ``7d``, ``90 min``, ``1.5h``, ``30`` (seconds).

    Args:
        text: a number of seconds, or a number with ms, s, min (or m), h, d, w or y (365.25 days).

    Returns:
        Seconds.

    Raises:
        ValueError: the text is not a duration.
    """
    return float(_parse(text, _DURATION_FACTORS, "duration"))


def parse_watts(text: str | int | float) -> float:
    """Parse a power: ``700W``, ``1.2 MW``, ``350`` (watts).

    Args:
        text: a number of watts, or a number with W, kW, MW or GW; ``mW`` is refused, since it may mean either.

    Returns:
        Watts.

    Raises:
        ValueError: the text is not a power.
    """
    if isinstance(text, str) and text.rstrip().endswith("mW"):
        raise ValueError(f"{text!r} may be milliwatts or megawatts")
    return float(_parse(text, _POWER_FACTORS, "power"))


def joules_to_kilowatt_hours(energy_joules: float) -> float:
    """Return the energy in kilowatt hours (1 kWh = 3.6 MJ)."""
    return energy_joules / JOULES_PER_KILOWATT_HOUR
